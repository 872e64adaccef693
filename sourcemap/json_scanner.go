package sourcemap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// scannerBuffer is how much of a map is in memory at a time: its strings come in chunks of at most this size. JSON libraries hold
// a string as a whole, and `mappings` alone may be 30 MB.
const scannerBuffer = 64 << 10

// longestEscape is the length of a character written as two escapes, such as \ud83d\ude00.
const longestEscape = 12

// maxDepth bounds how deep the values of unknown fields may be nested.
const maxDepth = 512

// maxMap bounds how much of a map is read: offsets in an index have 32 bits. The limit of an upload is far below.
const maxMap = 128 << 20

var errLongMap = fmt.Errorf("the source map is longer than %d MB", maxMap>>20)

// scanner reads JSON (RFC 8259) from a stream.
type scanner struct {
	reader   io.Reader
	buffer   []byte
	pos, end int   // the unread part of the buffer
	before   int64 // bytes of the stream before the buffer
	readErr  error // of reader; io.EOF at the end of the stream
}

func newScanner(reader io.Reader) *scanner {
	return &scanner{reader: reader, buffer: make([]byte, scannerBuffer)}
}

// refuse returns the error of a stream that is not JSON, or the error that ended the stream.
func (s *scanner) refuse(what string) error {
	if s.readErr != nil && !errors.Is(s.readErr, io.EOF) {
		return s.readErr
	}
	return &Invalid{Reason: NotJSON, Detail: fmt.Sprintf("%s at byte %d", what, s.before+int64(s.pos))}
}

// fillBuffer makes at least atLeast unread bytes available, unless the stream ends earlier.
func (s *scanner) fillBuffer(atLeast int) {
	if s.end-s.pos >= atLeast || s.readErr != nil {
		return
	}
	s.before += int64(s.pos)
	copy(s.buffer, s.buffer[s.pos:s.end])
	s.end -= s.pos
	s.pos = 0
	if s.before > maxMap {
		s.readErr = errLongMap
	}
	for idle := 0; s.end < atLeast && s.readErr == nil; idle++ {
		var count int
		count, s.readErr = s.reader.Read(s.buffer[s.end:])
		s.end += count
		if count > 0 {
			idle = 0
		}
		if idle == 100 && s.readErr == nil {
			s.readErr = io.ErrNoProgress
		}
	}
}

// peekByte skips white space and returns the next byte without reading it; 0 at the end of the stream.
func (s *scanner) peekByte() byte {
	for {
		for ; s.pos < s.end; s.pos++ {
			switch s.buffer[s.pos] {
			case ' ', '\t', '\n', '\r':
			default:
				return s.buffer[s.pos]
			}
		}
		if s.fillBuffer(1); s.pos == s.end {
			return 0
		}
	}
}

// expectByte skips white space and reads the byte wanted.
func (s *scanner) expectByte(wanted byte) error {
	if s.peekByte() != wanted {
		return s.refuse(fmt.Sprintf("expected %q", wanted))
	}
	s.pos++
	return nil
}

// skipPrefix skips a byte order mark, and the line that servers put before JSON so that no page can run it as a script (ECMA-426,
// ConsumeSourceMap).
func (s *scanner) skipPrefix() {
	const mark, guard = "\xef\xbb\xbf", ")]}'"
	if s.fillBuffer(len(mark)); s.end-s.pos >= len(mark) && string(s.buffer[s.pos:s.pos+len(mark)]) == mark {
		s.pos += len(mark)
	}
	if s.fillBuffer(len(guard)); s.end-s.pos < len(guard) || string(s.buffer[s.pos:s.pos+len(guard)]) != guard {
		return
	}
	for s.fillBuffer(1); s.pos < s.end && s.buffer[s.pos] != '\n'; s.fillBuffer(1) {
		s.pos++
	}
}

// readChunk returns the next part of a string whose opening quote has been read, unescaped, and whether there is more of it. The
// chunk is valid until the next call. Characters that are not valid UTF-8 stay as they are.
func (s *scanner) readChunk() (chunk []byte, more bool, err error) {
	if s.fillBuffer(longestEscape); s.pos == s.end {
		return nil, false, s.refuse("a string without an end")
	}
	start, to := s.pos, s.pos // unescaped text is shorter: it moves within the buffer
	for {
		plain := countPlain(s.buffer[s.pos:s.end])
		if to != s.pos {
			copy(s.buffer[to:], s.buffer[s.pos:s.pos+plain])
		}
		to += plain
		s.pos += plain
		if s.pos == s.end {
			return s.buffer[start:to], true, nil
		}
		switch c := s.buffer[s.pos]; {
		case c == '"':
			s.pos++
			return s.buffer[start:to], false, nil
		case c < ' ':
			return nil, false, s.refuse("a control character in a string")
		case s.end-s.pos < longestEscape && s.readErr == nil:
			return s.buffer[start:to], true, nil // the escape may be cut off: the next call sees the whole
		}
		written, read := unescape(s.buffer[to:], s.buffer[s.pos:s.end])
		if read == 0 {
			return nil, false, s.refuse("a broken escape in a string")
		}
		to += written
		s.pos += read
	}
}

// countPlain returns how many bytes are before the first quote, backslash or control character. It checks eight at a time,
// because most of a map is plain text.
func countPlain(text []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; len(text)-i >= 8; i += 8 {
		word := binary.LittleEndian.Uint64(text[i:])
		quote, backslash := word^(ones*'"'), word^(ones*'\\')
		special := (quote-ones)&^quote | (backslash-ones)&^backslash | (word-ones*' ')&^word
		if special &= highs; special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i
}
