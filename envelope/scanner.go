package envelope

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// scanner reads JSON from left to right, on demand. SDKs send one thing in many shapes, so each field's reader looks at the next
// value (peekByte) and reads it or skips it (skipValue). There is no tree in between: skipped values cost nothing, and no payload
// can make the server hold more than it keeps.
//
// It accepts everything that encoding/json accepts, and more: control characters in strings, unknown escapes, NaN. A mistake in
// the grammar is kept in err and moves the scanner to the end of the text, which ends every loop.
type scanner struct {
	text      string // see cleanPayload
	pos       int
	err       error
	unescaped strings.Builder // strings that had escapes, side by side
}

// cleanPayload returns the text that a scanner reads: valid UTF-8 without NUL bytes. It is a copy, so that the caller may use the
// payload's buffer again; the strings of the event are parts of it.
func cleanPayload(payload []byte) string {
	text := strings.TrimPrefix(string(payload), "\ufeff")
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "")
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	return text
}

// peekByte returns the first byte of the next value or punctuation, or 0 at the end.
func (s *scanner) peekByte() byte {
	for s.pos < len(s.text) {
		if c := s.text[s.pos]; c > ' ' {
			return c
		}
		s.pos++
	}
	return 0
}

func (s *scanner) failWith(reason string) {
	if s.err == nil {
		s.err = fmt.Errorf("not valid JSON: %s at byte %d", reason, s.pos)
	}
	s.pos = len(s.text)
}

// objectMembers walks an object. The body of the loop must read or skip each member's value:
//
//	for m := s.enterObject(); m.nextMember(); {
//		switch m.key { ... default: s.skipValue() }
//	}
type objectMembers struct {
	scanner *scanner
	key     string
	started bool
}

// enterObject enters the object that peekByte has seen.
func (s *scanner) enterObject() objectMembers {
	s.pos++
	return objectMembers{scanner: s}
}

func (m *objectMembers) nextMember() bool {
	json := m.scanner
	// The short way first, for compact JSON.
	if m.started && strings.HasPrefix(json.text[json.pos:], `,"`) {
		json.pos++
	} else if !json.moveOn(&m.started, '}') {
		return false
	} else if json.peekByte() != '"' {
		json.failWith("a member without a name")
		return false
	}
	m.key = json.readString()
	if json.peekByte() != ':' {
		json.failWith("no colon after a member's name")
		return false
	}
	json.pos++
	return true
}

// arrayElements walks an array, as objectMembers walks an object.
type arrayElements struct {
	scanner *scanner
	started bool
}

// enterArray enters the array that peekByte has seen.
func (s *scanner) enterArray() arrayElements {
	s.pos++
	return arrayElements{scanner: s}
}

func (e *arrayElements) nextElement() bool { return e.scanner.moveOn(&e.started, ']') }

// moveOn moves to the next member or element, or behind the closing bracket.
func (s *scanner) moveOn(started *bool, end byte) bool {
	char := s.peekByte()
	switch {
	case char == end:
		s.pos++
		return false
	case char == 0:
		s.failWith("the end inside an object or array")
		return false
	case !*started:
		*started = true
		return true
	case char != ',':
		s.failWith("neither a comma nor a closing bracket")
		return false
	}
	s.pos++
	if char = s.peekByte(); char == end || char == 0 {
		s.failWith("a comma before the closing bracket")
		return false
	}
	return true
}

// readString reads the string that peekByte has seen.
func (s *scanner) readString() string {
	start := s.pos + 1
	end := start + plainLength(s.text[start:])
	if end == len(s.text) {
		s.failWith("a string without an end")
		return ""
	}
	if s.text[end] == '"' {
		s.pos = end + 1
		return s.text[start:end]
	}
	if end = s.findStringEnd(start); end < 0 {
		s.failWith("a string without an end")
		return ""
	}
	s.pos = end + 1
	return s.unescapeString(s.text[start:end])
}

// findStringEnd returns the index of the quote that ends the string whose text starts at i, or -1.
func (s *scanner) findStringEnd(i int) int {
	for i < len(s.text) {
		i += plainLength(s.text[i:])
		if i < len(s.text) && s.text[i] == '"' {
			return i
		}
		i += 2 // the backslash and what it escapes
	}
	return -1
}

// plainLength returns the length of the text before the first quote or backslash. It checks eight bytes per step: most strings
// are too short for vector instructions to pay.
func plainLength(text string) int {
	const (
		ones   = 0x0101010101010101
		highs  = 0x8080808080808080
		quotes = ones * '"'
		slants = ones * '\\'
	)
	i := 0
	for ; i+8 <= len(text); i += 8 {
		t := text[i : i+8]
		word := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		q, b := word^quotes, word^slants // a byte that matches is zero
		if zero := ((q-ones)&^q | (b-ones)&^b) & highs; zero != 0 {
			return i + bits.TrailingZeros64(zero)/8
		}
	}
	for ; i < len(text); i++ {
		if text[i] == '"' || text[i] == '\\' {
			return i
		}
	}
	return i
}

// readLiteral reads a value that is not a string, object or array: a number, true, false, null, or a word that some encoders
// write although JSON does not have it.
func (s *scanner) readLiteral() string {
	start := s.pos
	for s.pos < len(s.text) {
		if c := s.text[s.pos]; c <= ' ' || c == ',' || c == ']' || c == '}' {
			break
		}
		s.pos++
	}
	literal := s.text[start:s.pos]
	switch literal {
	case "true", "false", "null", "NaN", "Infinity", "-Infinity":
		return literal
	case "":
		s.failWith("no value")
		return ""
	}
	for i := range len(literal) {
		if c := literal[i]; (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			s.pos = start
			s.failWith("an unknown word")
			return ""
		}
	}
	return literal
}

// skipValue skips one value of any depth without recursion. It checks strings and words, but not every comma.
func (s *scanner) skipValue() {
	for depth := 0; ; {
		char := s.peekByte()
		switch {
		case char == '"':
			end := s.findStringEnd(s.pos + 1)
			if end < 0 {
				s.failWith("a string without an end")
				return
			}
			s.pos = end + 1
		case char == '{' || char == '[':
			s.pos++
			depth++
		case depth > 0 && (char == '}' || char == ']'):
			s.pos++
			depth--
		case depth > 0 && (char == ',' || char == ':'):
			s.pos++
		default:
			s.readLiteral()
		}
		if depth == 0 || s.err != nil {
			return
		}
	}
}

// readRaw skips one value and returns its JSON text.
func (s *scanner) readRaw() string {
	s.peekByte()
	start := s.pos
	s.skipValue()
	if s.err != nil {
		return ""
	}
	return s.text[start:s.pos]
}

// isAtEnd reports whether only white space is left, and there was no mistake.
func (s *scanner) isAtEnd() bool { return s.err == nil && s.peekByte() == 0 }
