package core

// Kind is the kind of a Value.
type Kind uint8

// The kinds of a JSON value.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// Value is one JSON value of an event's free-form parts (vars, contexts, extra, tags, headers), in its original
// order. It holds an object with one allocation, where a map would need many.
type Value struct {
	Kind Kind
	Text string   // String: the text. Number: its literal. Bool: "true" or "false".
	Kids []Member // Object: the members. Array: the elements, with empty keys.
}

// Member is one member of an object, or one element of an array (then Key is empty).
type Member struct {
	Key   string
	Value Value
}

// StringValue makes a Value of a text.
func StringValue(s string) Value { return Value{Kind: String, Text: s} }

// Get returns the first member of an object that has the key, or null.
func (v Value) Get(key string) Value {
	if v.Kind == Object {
		for i := range v.Kids {
			if v.Kids[i].Key == key {
				return v.Kids[i].Value
			}
		}
	}
	return Value{}
}

// IsEmpty reports whether the value is null, or an object or array without members. Such values are not stored.
func (v Value) IsEmpty() bool {
	return v.Kind == Null || (v.Kind == Array || v.Kind == Object) && len(v.Kids) == 0
}

// JSONSchema is any JSON.
func (Value) JSONSchema() Schema { return Schema{} }

// MarshalJSON writes the value.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// AppendJSON appends the value's JSON to b.
func (v Value) AppendJSON(b []byte) []byte {
	switch v.Kind {
	case Bool, Number:
		return append(b, v.Text...)
	case String:
		return appendString(b, v.Text)
	case Array:
		b = append(b, '[')
		for i := range v.Kids {
			b = appendComma(b, '[')
			b = v.Kids[i].Value.AppendJSON(b)
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for i := range v.Kids {
			b = appendComma(b, '{')
			b = appendString(b, v.Kids[i].Key)
			b = append(b, ':')
			b = v.Kids[i].Value.AppendJSON(b)
		}
		return append(b, '}')
	default:
		return append(b, "null"...)
	}
}

// appendComma appends a comma unless b ends with the bracket that opened the list.
func appendComma(b []byte, open byte) []byte {
	if b[len(b)-1] == open {
		return b
	}
	return append(b, ',')
}
