package core

// NextCall is a call that makes sense after an answer: the name of a tool, and the arguments that are known.
type NextCall struct {
	Tool      string    `json:"tool"`
	Arguments Arguments `json:"arguments"`
}

// JSONSchema is a plain object, which explains itself: written out in each tool, it would cost every client tokens.
func (NextCall) JSONSchema() Schema { return Schema{"type": "object"} }

// SchemaName is empty: no schema refers to it.
func (NextCall) SchemaName() string { return "" }

// Arguments are the arguments of a call by their names.
type Arguments map[string]any

// JSONSchema is any object.
func (Arguments) JSONSchema() Schema { return Schema{"type": "object"} }

// MarshalJSON writes an object, never null.
func (a Arguments) MarshalJSON() ([]byte, error) {
	if a == nil {
		return []byte("{}"), nil
	}
	return marshalPlain(map[string]any(a))
}

// DataAndNext is a single object with the calls that make sense next, at most two.
type DataAndNext[T any] struct {
	Data T              `json:"data"`
	Next List[NextCall] `json:"next"`
}

// SchemaName is empty: the object in data has a name.
func (DataAndNext[T]) SchemaName() string { return "" }

// WasFound reports whether the object existed before.
func (d DataAndNext[T]) WasFound() bool {
	found, ok := any(d.Data).(FoundOutput)
	return ok && found.WasFound()
}
