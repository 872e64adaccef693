package core

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

// jsonWriter writes the members of an object and leaves out the empty ones.
type jsonWriter struct {
	b      []byte
	absent int // bytes that readers see for the members left out
}

func (w *jsonWriter) writeKey(name string) {
	w.b = append(appendComma(w.b, '{'), '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
}

// leaveOut leaves out an empty member. Readers see it with the value, such as null.
func (w *jsonWriter) leaveOut(name, value string) { w.absent += len(name) + len(`"":,`) + len(value) }

// endObject ends an object. When all members were left out, readers see one comma less than members.
func (w *jsonWriter) endObject() {
	if w.b[len(w.b)-1] == '{' {
		w.absent--
	}
	w.b = append(w.b, '}')
}

func (w *jsonWriter) writeString(name, s string) {
	if s == "" {
		w.leaveOut(name, `""`)
		return
	}
	w.writeKey(name)
	w.b = appendString(w.b, s)
}

func (w *jsonWriter) writeText(name string, s Untrusted) {
	if s == "" {
		w.leaveOut(name, "null")
		return
	}
	w.writeString(name, string(s))
}

func (w *jsonWriter) writeInt(name string, n OptInt) {
	if n == 0 {
		w.leaveOut(name, "null")
		return
	}
	w.writeKey(name)
	w.b = strconv.AppendInt(w.b, int64(n), 10)
}

func (w *jsonWriter) writeFlag(name string, on bool) {
	if !on {
		w.leaveOut(name, "false")
		return
	}
	w.writeKey(name)
	w.b = append(w.b, "true"...)
}

func (w *jsonWriter) writeTime(name string, t Time) {
	if t.IsZero() {
		w.leaveOut(name, "null")
		return
	}
	w.writeKey(name)
	w.b = t.appendJSON(w.b)
}

func (w *jsonWriter) writeValue(name string, v Value) {
	if v.IsEmpty() {
		w.leaveOut(name, "null")
		return
	}
	w.writeKey(name)
	w.b = v.AppendJSON(w.b)
}

func (w *jsonWriter) writeTexts(name string, list []Untrusted) {
	if len(list) == 0 {
		w.leaveOut(name, "[]")
		return
	}
	w.writeKey(name)
	w.b = append(w.b, '[')
	for _, s := range list {
		w.b = appendString(appendComma(w.b, '['), string(s))
	}
	w.b = append(w.b, ']')
}

func (w *jsonWriter) writeObject(name string, members func()) {
	w.writeKey(name)
	w.b = append(w.b, '{')
	members()
	w.endObject()
}

func writeList[T any](w *jsonWriter, name string, items []T, write func(*jsonWriter, *T)) {
	if len(items) == 0 {
		w.leaveOut(name, "[]")
		return
	}
	w.writeKey(name)
	w.b = append(w.b, '[')
	for i := range items {
		w.b = append(appendComma(w.b, '['), '{')
		write(w, &items[i])
		w.endObject()
	}
	w.b = append(w.b, ']')
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string, with the escapes of encoding/json. Bytes that are not UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := len(b)
	b = append(b, s...)
	if plain := plainPrefix(b[start:]); plain < len(s) {
		b = appendEscaped(b[:start+plain], s[plain:])
	}
	return append(b, '"')
}

// fittingPrefix returns how many bytes of the text fit into room bytes of JSON without the quotes. It never splits a character.
func fittingPrefix(s string, room int) int {
	var buffer [16]byte
	for i := 0; i < len(s); {
		_, size := utf8.DecodeRuneInString(s[i:])
		if room -= len(appendString(buffer[:0], s[i:i+size])) - len(`""`); room < 0 {
			return i
		}
		i += size
	}
	return len(s)
}

// plainPrefix counts the bytes before the first one that needs an escape or is not ASCII. It looks at 8 bytes at a
// time: in the sum below, such a byte sets its own high bit, or the borrow sets the high bit of a later byte.
func plainPrefix(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		x := binary.LittleEndian.Uint64(b[n:])
		control, quote, backslash := x-ones*' ', (x^ones*'"')-ones, (x^ones*'\\')-ones
		if (x|control|quote|backslash)&highs != 0 {
			break
		}
	}
	for n < len(b) && isPlain(b[n]) {
		n++
	}
	return n
}

func isPlain(c byte) bool { return c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf }

func appendEscaped(b []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if isPlain(c) {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == '\u2028' || r == '\u2029':
				b = append(b, s[start:i]...)
				b = append(b, '\\', 'u', '2', '0', '2', hexDigits[r&15])
				i += size
				start = i
				continue
			case r != utf8.RuneError || size != 1:
				i += size
				continue
			}
		}
		b = append(b, s[start:i]...)
		b = appendEscape(b, c)
		i++
		start = i
	}
	return append(b, s[start:]...)
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\t':
		return append(b, '\\', 't')
	case '\r':
		return append(b, '\\', 'r')
	case '\b':
		return append(b, '\\', 'b')
	case '\f':
		return append(b, '\\', 'f')
	}
	if c >= utf8.RuneSelf {
		return append(b, "\ufffd"...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
