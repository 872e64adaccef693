package envelope

// Reader reads JSON from left to right for packages whose payloads have a form of their own. It is as lenient as the decoder,
// and like it holds nothing of what it passes over.
type Reader struct{ scanner scanner }

// NewReader returns a reader of a payload, which it copies.
func NewReader(payload []byte) *Reader { return &Reader{scanner{text: cleanPayload(payload)}} }

// VisitMembers calls visit with the name of each member of the object that comes next. What visit does not read is passed over,
// and so is whatever is not an object.
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

// VisitElements calls visit for each element of the array that comes next. What visit does not read is passed over, and so is
// whatever is not an array.
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

// ReadText reads the string that comes next. Anything else is passed over and read as an empty one.
func (r *Reader) ReadText() string { return r.scanner.readStringOr("") }

// ReadRaw passes over the value that comes next and returns its JSON.
func (r *Reader) ReadRaw() string { return r.scanner.readRaw() }

// NewRawReader returns a reader of what Raw returned.
func NewRawReader(json string) *Reader { return &Reader{scanner{text: json}} }

// IsObject reports whether an object comes next.
func (r *Reader) IsObject() bool { return r.scanner.peekByte() == '{' }

// IsArray reports whether an array comes next.
func (r *Reader) IsArray() bool { return r.scanner.peekByte() == '[' }

// CheckEnd returns the first mistake of the grammar that was met, or that more text follows.
func (r *Reader) CheckEnd() error {
	if !r.scanner.isAtEnd() && r.scanner.err == nil {
		r.scanner.failWith("more text behind the end")
	}
	return r.scanner.err
}
