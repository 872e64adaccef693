package core

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// UnmarshalJSON reads a value that AppendJSON wrote, and keeps the order of members. It is written by hand because
// most of a stored event is values, and readers wait for them. The texts are slices of one copy of the JSON.
func (v *Value) UnmarshalJSON(b []byte) error {
	r := valueReader{text: string(b)}
	*v = r.readValue(0)
	if r.skipSpace(); r.hasFailed || r.at < len(r.text) {
		return errNoValue
	}
	return nil
}

var errNoValue = errors.New("core: this is not the JSON of a value")

// maxNesting is the depth that encoding/json allows.
const maxNesting = 10_000

// valueReader reads JSON from a text.
type valueReader struct {
	text      string
	at        int
	hasFailed bool
	open      []Member // members of unfinished objects and arrays, whose number is known only at their end
}

func (r *valueReader) fail() { r.hasFailed, r.at = true, len(r.text) }

func (r *valueReader) skipSpace() {
	for ; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case ' ', '\t', '\r', '\n':
		default:
			return
		}
	}
}

// takeByte reports whether the next character, after spaces, is c, and moves past it.
func (r *valueReader) takeByte(c byte) bool {
	r.skipSpace()
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

func (r *valueReader) readValue(depth int) Value {
	r.skipSpace()
	if r.at == len(r.text) || depth > maxNesting {
		r.fail()
		return Value{}
	}
	switch c := r.text[r.at]; c {
	case '"':
		return StringValue(r.readString())
	case '{', '[':
		return r.readKids(c, depth)
	default:
		return r.readLiteral()
	}
}

// readLiteral reads a number, true, false or null.
func (r *valueReader) readLiteral() Value {
	start := r.at
	for r.at < len(r.text) && strings.IndexByte(",]} \t\r\n", r.text[r.at]) < 0 {
		r.at++
	}
	switch literal := r.text[start:r.at]; {
	case literal == "null":
		return Value{}
	case literal == "true" || literal == "false":
		return Value{Kind: Bool, Text: literal}
	case isNumber(literal):
		return Value{Kind: Number, Text: literal}
	default:
		r.fail()
		return Value{}
	}
}

// isNumber reports whether a literal is a number of JSON. It leaves all but natural numbers to encoding/json.
func isNumber(literal string) bool {
	if literal == "" || literal[0] != '-' && (literal[0] < '0' || literal[0] > '9') {
		return false
	}
	if literal[0] > '0' && strings.Trim(literal, "0123456789") == "" {
		return true
	}
	return json.Valid([]byte(literal))
}

// readKids reads the object or array that begins here.
func (r *valueReader) readKids(open byte, depth int) Value {
	v, end := Value{Kind: Array}, byte(']')
	if open == '{' {
		v.Kind, end = Object, '}'
	}
	r.at++
	if r.takeByte(end) {
		return v
	}
	first := len(r.open)
	for !r.hasFailed {
		var kid Member
		if v.Kind == Object {
			r.skipSpace()
			if kid.Key = r.readString(); !r.takeByte(':') {
				r.fail()
			}
		}
		kid.Value = r.readValue(depth + 1)
		r.open = append(r.open, kid)
		if r.takeByte(end) {
			v.Kids = slices.Clone(r.open[first:])
			r.open = r.open[:first]
			return v
		}
		if !r.takeByte(',') {
			r.fail()
		}
	}
	return v
}

// readString reads the text that begins here. It leaves texts with escapes, and invalid ones, to encoding/json.
func (r *valueReader) readString() string {
	if r.at == len(r.text) || r.text[r.at] != '"' {
		r.fail()
		return ""
	}
	start, isPlain := r.at, true
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			literal := r.text[start:r.at]
			if plain := literal[1 : len(literal)-1]; isPlain && utf8.ValidString(plain) {
				return plain
			}
			var text string
			if json.Unmarshal([]byte(literal), &text) != nil {
				r.fail()
			}
			return text
		case c == '\\':
			isPlain = false
			r.at++
		case c < ' ':
			isPlain = false
		}
	}
	r.fail()
	return ""
}
