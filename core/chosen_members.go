package core

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// chosenMember is a member of a struct that is written.
type chosenMember struct {
	name  string // with quotes and the colon
	index []int
	inner []chosenMember // the members of its value that are written; nil for all
}

// chooseMembers finds the chosen members of a struct in the order of their declaration: id, or claim.holder for a member of a member.
func chooseMembers(object reflect.Type, chosen []string) []chosenMember {
	members := []chosenMember{}
	for _, f := range reflect.VisibleFields(object) {
		name := jsonName(f)
		var inner []string
		for _, c := range chosen {
			if rest, ok := strings.CutPrefix(c, name+"."); ok {
				inner = append(inner, rest)
			}
		}
		isWhole := slices.Contains(chosen, name)
		if name == "" || !isWhole && inner == nil {
			continue
		}
		member := chosenMember{name: `"` + name + `":`, index: f.Index}
		if !isWhole {
			t := f.Type
			if t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			member.inner = chooseMembers(t, inner)
		}
		members = append(members, member)
	}
	return members
}

// writeMembers returns the JSON of a struct with these members alone.
func writeMembers(object reflect.Value, members []chosenMember) ([]byte, error) {
	var b bytes.Buffer
	values := json.NewEncoder(&b)
	values.SetEscapeHTML(false)
	err := appendMembers(&b, values, object, members)
	return b.Bytes(), err
}

// appendMembers appends the JSON of a struct. The encoder of the values writes to the same buffer.
func appendMembers(b *bytes.Buffer, values *json.Encoder, object reflect.Value, members []chosenMember) error {
	b.WriteByte('{')
	for n, member := range members {
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteString(member.name)
		value := object.FieldByIndex(member.index)
		if inner := reflect.Indirect(value); member.inner != nil && inner.IsValid() { // otherwise it is null
			if err := appendMembers(b, values, inner, member.inner); err != nil {
				return err
			}
			continue
		}
		if err := values.Encode(value.Interface()); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the line break
	}
	b.WriteByte('}')
	return nil
}
