package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// jsonObject is a JSON object with its members in the order they were sent.
type jsonObject []jsonMember

type jsonMember struct {
	name  string
	value any // a jsonObject, []any, string, json.Number, bool or nil
}

// findMember returns the value at a dotted path such as claim.holder; nil when there is none.
func (o jsonObject) findMember(path string) any {
	first, rest, isDeeper := strings.Cut(path, ".")
	for _, m := range o {
		if m.name != first {
			continue
		}
		inner, isObject := m.value.(jsonObject)
		switch {
		case !isDeeper:
			return m.value
		case isObject:
			return inner.findMember(rest)
		}
	}
	return nil
}

// replaceMember returns a copy of the object with another value for the member.
func (o jsonObject) replaceMember(name string, value any) jsonObject {
	replaced := slices.Clone(o)
	for i := range replaced {
		if replaced[i].name == name {
			replaced[i].value = value
		}
	}
	return replaced
}

// decodeOrdered reads a JSON value and keeps the order of its members.
func decodeOrdered(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return decodeNext(dec)
}

func decodeNext(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	delimiter, opens := token.(json.Delim)
	if err != nil || !opens {
		return token, err
	}
	list, object := []any{}, jsonObject{}
	for dec.More() {
		var name string
		if delimiter == '{' {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			name = fmt.Sprint(key)
		}
		value, err := decodeNext(dec)
		if err != nil {
			return nil, err
		}
		list, object = append(list, value), append(object, jsonMember{name, value})
	}
	if _, err := dec.Token(); err != nil { // the end of the object or array
		return nil, err
	}
	if delimiter == '{' {
		return object, nil
	}
	return list, nil
}

// encodeOrdered writes a value in one line for people: texts without quotes, objects as {name=value}.
func encodeOrdered(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case json.Number, bool:
		return fmt.Sprint(value)
	case []any:
		texts := make([]string, len(value))
		for i, item := range value {
			texts[i] = encodeOrdered(item)
		}
		return strings.Join(texts, ", ")
	case jsonObject:
		texts := make([]string, len(value))
		for i, m := range value {
			texts[i] = m.name + "=" + encodeOrdered(m.value)
		}
		return "{" + strings.Join(texts, " ") + "}"
	}
	return ""
}
