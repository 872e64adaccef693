package sourcemap

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"strings"
)

// maxInlineHead bounds the part of a data: URL before the data.
const maxInlineHead = 1 << 10

// ErrNotInline is the error for a data: URL without a map.
var ErrNotInline = errors.New("it is not a data: URL of JSON")

// DecodeInlineMap returns the source map in a data: URL, such as Links.MapURL may be.
func DecodeInlineMap(mapURL string) ([]byte, error) {
	reader, err := NewInlineReader(strings.NewReader(mapURL))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

// NewInlineReader returns a reader of the source map in a data: URL. The URL ends at the end of its line.
func NewInlineReader(mapURL io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(mapURL, maxInlineHead)
	head, err := buffered.ReadSlice(',')
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	kind, isWhole := strings.CutSuffix(string(head), ",")
	kind, isData := strings.CutPrefix(kind, "data:")
	if !isWhole || !isData || !strings.HasPrefix(kind, "application/json") {
		return nil, ErrNotInline
	}
	if strings.HasSuffix(kind, ";base64") {
		return base64.NewDecoder(base64.RawStdEncoding, &inlineData{reader: buffered, isBase64: true}), nil
	}
	return &inlineData{reader: buffered}, nil
}

// inlineData is the data of a data: URL, up to the end of its line: base 64 without the padding, or text with its escapes
// decoded.
type inlineData struct {
	reader   *bufio.Reader
	isBase64 bool
	isOver   bool
}

func (d *inlineData) Read(into []byte) (n int, err error) {
	for n < len(into) && !d.isOver {
		c, err := d.reader.ReadByte()
		switch {
		case errors.Is(err, io.EOF), err == nil && (c <= ' ' || d.isBase64 && c == '='):
			d.isOver = true
			continue
		case err == nil && c == '%':
			c, err = d.readEscape()
		}
		if err != nil {
			return n, err
		}
		into[n] = c
		n++
	}
	if d.isOver && n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// readEscape reads the two digits after a %.
func (d *inlineData) readEscape() (byte, error) {
	var digits [2]byte
	var decoded [1]byte
	if _, err := io.ReadFull(d.reader, digits[:]); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err
	}
	if _, err := hex.Decode(decoded[:], digits[:]); err != nil {
		return 0, ErrNotInline
	}
	return decoded[0], nil
}

// inlineComments are the beginnings of a comment with an inline map.
var inlineComments = [][]byte{[]byte("//# sourceMappingURL=data:"), []byte("//@ sourceMappingURL=data:")}

// FindInlineMap returns where the data: URL of an emitted file's inline map begins: in the last comment that has one. It is -1
// when there is none. FindLinks judges comments more strictly; this function reads a file of any size in little memory, when it
// is known that the map is in the file.
func FindInlineMap(file io.Reader) (int64, error) {
	const prefix = len("//# sourceMappingURL=")
	overlap := len(inlineComments[0]) - 1
	found, start := int64(-1), int64(0) // start is the position of the buffer
	buffer, kept := make([]byte, scannerBuffer), 0
	for {
		n, err := file.Read(buffer[kept:])
		text := buffer[:kept+n]
		for _, comment := range inlineComments {
			if at := bytes.LastIndex(text, comment); at >= 0 {
				found = max(found, start+int64(at+prefix))
			}
		}
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return -1, err
		}
		kept = min(overlap, len(text))
		start += int64(len(text) - kept)
		copy(buffer, text[len(text)-kept:])
	}
}
