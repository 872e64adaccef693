package core

import (
	"slices"
	"strconv"
)

// Each of these reads the value that begins here into a field of an event. A null leaves the field as it is.

// isNull reports whether null begins here, and moves past it.
func (r *valueReader) isNull() bool {
	r.skipSpace()
	if r.at == len(r.text) || r.text[r.at] != 'n' {
		return false
	}
	r.readLiteral()
	return true
}

// readMembers calls read for each member of an object. read may read the value; otherwise the value is dropped.
func (r *valueReader) readMembers(read func(key string)) {
	r.readKidsOf('{', '}', func() {
		r.skipSpace()
		key := r.readString()
		if !r.takeByte(':') {
			r.fail()
			return
		}
		start := r.at
		if read(key); r.at == start {
			r.readValue(1)
		}
	})
}

// readElements calls read for each element of an array. read must read the element.
func (r *valueReader) readElements(read func()) { r.readKidsOf('[', ']', read) }

// readKidsOf calls read for each member or element between two brackets.
func (r *valueReader) readKidsOf(open, end byte, read func()) {
	if r.isNull() {
		return
	}
	if !r.takeByte(open) {
		r.fail()
		return
	}
	for isFirst := true; !r.hasFailed && !r.takeByte(end); isFirst = false {
		if !isFirst && !r.takeByte(',') {
			r.fail()
			return
		}
		read()
	}
}

func readList[T any](r *valueReader, list *List[T], readMember func(*T, string)) {
	r.readElements(func() {
		var zero T
		*list = append(*list, zero)
		one := &(*list)[len(*list)-1]
		r.readMembers(func(key string) { readMember(one, key) })
	})
}

func readOptional[T any](r *valueReader, object **T, readMember func(*T, string)) {
	if r.isNull() {
		return
	}
	*object = new(T)
	r.readMembers(func(key string) { readMember(*object, key) })
}

func readText[T ~string](r *valueReader, text *T) {
	if !r.isNull() {
		*text = T(r.readString())
	}
}

func (r *valueReader) readTexts(texts *List[Untrusted]) {
	var few [16]Untrusted
	read := few[:0]
	r.readElements(func() {
		var text Untrusted
		readText(r, &text)
		read = append(read, text)
	})
	if len(read) > 0 {
		*texts = slices.Clone(read)
	}
}

func (r *valueReader) readFlag(flag *bool) { *flag = r.readValue(1).Text == "true" }

func (r *valueReader) readInt(n *OptInt) {
	value := r.readValue(1)
	if value.Kind == Null {
		return
	}
	read, err := strconv.ParseInt(value.Text, 10, 64)
	if value.Kind != Number || err != nil {
		r.fail()
	}
	*n = OptInt(read)
}

func (r *valueReader) readTime(t *Time) {
	start := r.at
	if !r.isNull() {
		r.readString()
		if t.UnmarshalJSON([]byte(r.text[start:r.at])) != nil {
			r.fail()
		}
	}
}
