package envelope

// Reader reads JSON from left to right for packages with payloads in other forms. It is as lenient as the decoder, and like it
// holds nothing that it skips.
type Reader struct{ scanner scanner }

// NewReader returns a reader of a payload, which it copies.
func NewReader(payload []byte) *Reader { return &Reader{scanner{text: cleanPayload(payload)}} }

// VisitMembers calls visit with the name of each member of the next object. A value that visit does not read is skipped, and so
// is a value that is not an object.
func (r *Reader) VisitMembers(visit func(name string)) {
	json := &r.scanner
	if json.peekByte() != '{' {
		json.skipValue()
		return
	}
	for m := json.enterObject(); m.nextMember(); {
		r.visitValue(func() { visit(m.key) })
	}
}

// VisitElements calls visit for each element of the next array. An element that visit does not read is skipped, and so is a value
// that is not an array.
func (r *Reader) VisitElements(visit func()) {
	json := &r.scanner
	if json.peekByte() != '[' {
		json.skipValue()
		return
	}
	for e := json.enterArray(); e.nextElement(); {
		r.visitValue(visit)
	}
}

func (r *Reader) visitValue(visit func()) {
	r.scanner.peekByte()
	before := r.scanner.pos
	visit()
	if r.scanner.pos == before {
		r.scanner.skipValue()
	}
}

// ReadText reads the next string. Any other value is skipped and read as an empty string.
func (r *Reader) ReadText() string { return r.scanner.readStringOr("") }

// ReadRaw skips the next value and returns its JSON.
func (r *Reader) ReadRaw() string { return r.scanner.readRaw() }

// NewRawReader returns a reader of a result of ReadRaw.
func NewRawReader(json string) *Reader { return &Reader{scanner{text: json}} }

// IsObject reports whether an object comes next.
func (r *Reader) IsObject() bool { return r.scanner.peekByte() == '{' }

// IsArray reports whether an array comes next.
func (r *Reader) IsArray() bool { return r.scanner.peekByte() == '[' }

// CheckEnd returns the first mistake in the grammar, or an error when more text follows.
func (r *Reader) CheckEnd() error {
	if !r.scanner.isAtEnd() && r.scanner.err == nil {
		r.scanner.failWith("more text behind the end")
	}
	return r.scanner.err
}
