package envelope

import (
	"strconv"
	"strings"

	"errand/core"
)

// maxDepth is how deep objects and arrays of the free-form parts may be nested; deeper values become null.
const maxDepth = 64

// readValue reads any JSON value. Of members with the same name the last one counts, as in most JSON readers.
func (d *decoder) readValue() core.Value {
	switch d.json.peekByte() {
	case '"':
		return core.StringValue(d.json.readString())
	case '{':
		return d.readContainer(core.Object)
	case '[':
		return d.readContainer(core.Array)
	}
	return literalValue(d.json.readLiteral())
}

func literalValue(text string) core.Value {
	switch text {
	case "", "null":
		return core.Value{}
	case "true", "false":
		return core.Value{Kind: core.Bool, Text: text}
	}
	if isNumber(text) {
		return core.Value{Kind: core.Number, Text: text}
	}
	return core.StringValue(text)
}

// readContainer reads an object or array. The members are gathered on one stack that all levels share, so that each container
// takes exactly the memory it needs.
func (d *decoder) readContainer(kind core.Kind) core.Value {
	if d.depth == maxDepth {
		d.dropValue("nested deeper than 64 levels")
		return core.Value{}
	}
	d.depth++
	mark := len(d.stack.members)
	if kind == core.Object {
		for m := d.json.enterObject(); m.nextMember(); {
			if key := m.key; d.admitMember() {
				d.stack.push(core.Member{Key: key, Value: d.readValue()})
			}
		}
	} else {
		for e := d.json.enterArray(); e.nextElement(); {
			if d.admitMember() {
				d.stack.push(core.Member{Value: d.readValue()})
			}
		}
	}
	d.depth--
	return d.popContainer(kind, mark)
}

// popObject makes a field's object from the members on the stack from mark on. A field without members is null.
func (d *decoder) popObject(mark int) core.Value { return orNull(d.popContainer(core.Object, mark)) }

// orNull returns null for an object or array without members.
func orNull(v core.Value) core.Value {
	if v.IsEmpty() {
		return core.Value{}
	}
	return v
}

// popContainer makes a container from the members on the stack from mark on.
func (d *decoder) popContainer(kind core.Kind, mark int) core.Value {
	kids := d.stack.from(mark)
	if kind == core.Object {
		kids = lastOfEachKey(kids)
	}
	v := core.Value{Kind: kind, Kids: d.kept.members.copyList(kids)}
	d.stack.cutTo(mark)
	return v
}

// lastOfEachKey leaves out members that a later one with the same key replaces.
func lastOfEachKey(kids []core.Member) []core.Member {
	if len(kids) > 24 { // the number of comparisons grows with the square
		return lastOfManyKeys(kids)
	}
	for i := 0; i < len(kids); i++ {
		for j := i + 1; j < len(kids); j++ {
			if kids[j].Key == kids[i].Key {
				kids = append(kids[:i], kids[i+1:]...)
				i--
				break
			}
		}
	}
	return kids
}

func lastOfManyKeys(kids []core.Member) []core.Member {
	last := make(map[string]int, len(kids))
	for i := range kids {
		last[kids[i].Key] = i
	}
	kept := kids[:0]
	for i := range kids {
		if last[kids[i].Key] == i {
			kept = append(kept, kids[i])
		}
	}
	return kept
}

// isNumber reports whether text is a number in JSON's grammar that a double can hold.
func isNumber(text string) bool {
	rest := strings.TrimPrefix(text, "-")
	whole := countDigits(rest)
	if whole == 0 || whole > 1 && rest[0] == '0' || len(text) > maxDigits {
		return false
	}
	if rest = rest[whole:]; rest == "" {
		return true
	}
	if rest[0] == '.' {
		n := countDigits(rest[1:])
		if rest = rest[1+n:]; n == 0 || rest == "" {
			return n > 0
		}
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	if rest = rest[1:]; rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	if n := countDigits(rest); n == 0 || n < len(rest) {
		return false
	}
	_, err := strconv.ParseFloat(text, 64) // the exponent may be too large
	return err == nil
}

// countDigits counts the digits at the start of a text.
func countDigits(text string) int {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return i
		}
	}
	return len(text)
}

// maxDigits is the longest number that stays a number; a longer one becomes a text.
const maxDigits = 64
