package envelope

// Reader reads JSON from left to right for packages whose payloads have a form of their own. It is as lenient as the decoder,
// and like it holds nothing of what it passes over.
type Reader struct{ scanner scanner }

// NewReader returns a reader of a payload, which it copies.
func NewReader(payload []byte) *Reader { return &Reader{scanner{text: clean(payload)}} }

// Members calls visit with the name of each member of the object that comes next. What visit does not read is passed over,
// and so is whatever is not an object.
func (r *Reader) Members(visit func(name string)) {
	s := &r.scanner
	if s.peek() != '{' {
		s.skip()
		return
	}
	for m := s.object(); m.next(); {
		r.visit(func() { visit(m.key) })
	}
}

// Elements calls visit for each element of the array that comes next. What visit does not read is passed over, and so is
// whatever is not an array.
func (r *Reader) Elements(visit func()) {
	s := &r.scanner
	if s.peek() != '[' {
		s.skip()
		return
	}
	for e := s.array(); e.next(); {
		r.visit(visit)
	}
}

func (r *Reader) visit(visit func()) {
	r.scanner.peek()
	before := r.scanner.pos
	visit()
	if r.scanner.pos == before {
		r.scanner.skip()
	}
}

// Text reads the string that comes next. Anything else is passed over and read as an empty one.
func (r *Reader) Text() string { return r.scanner.stringOr("") }

// Raw passes over the value that comes next and returns its JSON.
func (r *Reader) Raw() string { return r.scanner.raw() }

// ReadRaw returns a reader of what Raw returned.
func ReadRaw(json string) *Reader { return &Reader{scanner{text: json}} }

// IsObject reports whether an object comes next.
func (r *Reader) IsObject() bool { return r.scanner.peek() == '{' }

// IsArray reports whether an array comes next.
func (r *Reader) IsArray() bool { return r.scanner.peek() == '[' }

// End returns the first mistake of the grammar that was met, or that more text follows.
func (r *Reader) End() error {
	if !r.scanner.end() && r.scanner.err == nil {
		r.scanner.fail("more text behind the end")
	}
	return r.scanner.err
}
