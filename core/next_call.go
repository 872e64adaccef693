package core

// NextCall is a call that makes sense after an answer: the name of a tool, and its arguments as far as they are known.
type NextCall struct {
	Tool      string    `json:"tool"`
	Arguments Arguments `json:"arguments"`
}

// JSONSchema is an object that explains itself: written out in each tool it would cost every client.
func (NextCall) JSONSchema() Schema { return Schema{"type": "object"} }

// SchemaName is empty: there is nothing to refer to.
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

// WasFound reports whether the object was there already.
func (d DataAndNext[T]) WasFound() bool {
	found, ok := any(d.Data).(FoundOutput)
	return ok && found.WasFound()
}
