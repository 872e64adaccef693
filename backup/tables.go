package backup

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"errand/store/dump"
)

// pieceSize is the size of the pieces of a table: tar wants to know a size before the content, which nobody knows of a table.
const pieceSize = 4 << 20

// pieceWriter writes a stream as the pieces of a table.
type pieceWriter struct {
	w      *writer
	table  string
	buf    bytes.Buffer
	number int
}

// Write takes data, and writes pieces as they become full.
func (p *pieceWriter) Write(data []byte) (int, error) {
	p.buf.Write(data)
	for p.buf.Len() >= pieceSize {
		if err := p.flush(pieceSize); err != nil {
			return 0, err
		}
	}
	return len(data), nil
}

func (p *pieceWriter) flush(size int) error {
	p.number++
	name := fmt.Sprintf("%s%s/%06d.zst", tablesPath, p.table, p.number)
	return p.w.add(name, int64(size), bytes.NewReader(p.buf.Next(size)))
}

// addTable writes a table, compressed.
func (w *writer) addTable(ctx context.Context, r *dump.Reader, table dump.Table, count func(n int)) (rows int64, err error) {
	pieces := &pieceWriter{w: w, table: table.Name}
	compressed, err := zstd.NewWriter(pieces, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return 0, err
	}
	rows, err = r.CopyTable(ctx, table, compressed, count)
	if err != nil {
		return 0, err
	}
	if err := compressed.Close(); err != nil {
		return 0, err
	}
	return rows, pieces.flush(pieces.buf.Len())
}

// pieceReader reads the pieces of one table as one stream.
type pieceReader struct {
	r      *reader
	prefix string
	number int
	piece  []byte // what is left of the piece
}

func newPieceReader(r *reader, table string) *pieceReader {
	return &pieceReader{r: r, prefix: tablesPath + table + "/"}
}

// Read ends with io.EOF where the entries of the table end.
func (p *pieceReader) Read(into []byte) (int, error) {
	for len(p.piece) == 0 {
		if p.r.now == nil || !strings.HasPrefix(p.r.now.Name, p.prefix) {
			return 0, io.EOF
		}
		p.number++
		if want := fmt.Sprintf("%s%06d.zst", p.prefix, p.number); p.r.now.Name != want {
			return 0, fmt.Errorf("%w: %q stands where %q should", ErrBroken, p.r.now.Name, want)
		}
		var err error
		if p.piece, err = p.r.readAll(maxPiece); err != nil {
			return 0, err
		}
		if err := p.r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(into, p.piece)
	p.piece = p.piece[n:]
	return n, nil
}

// maxWindow bounds the memory for decompression.
const maxWindow = 64 << 20

// readTable calls fn with the rows of a table, in the form of dump.Reader.CopyTable.
func (r *reader) readTable(table dump.Table, fn func(io.Reader) error) error {
	pieces := newPieceReader(r, table.Name)
	plain, err := zstd.NewReader(pieces, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return err
	}
	defer plain.Close()
	if err := fn(plain); err != nil {
		return err
	}
	if pieces.number == 0 {
		return fmt.Errorf("%w: the table %s is missing", ErrBroken, table.Name)
	}
	_, err = io.Copy(io.Discard, plain) // the end of the stream, which COPY does not read
	return err
}
