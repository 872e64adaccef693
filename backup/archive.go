// Package backup writes an installation into one file, checks such a file, and restores it. The file is a tar archive: what it
// is, the keys (encrypted with a passphrase, in the format of age), the tables in pieces, the source maps, and at its end the
// checksum of everything before. It can be written to and read from a pipe.
package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"errand/store/dump"
)

// Format is the version of the files that this package writes. It reads those up to it.
const Format = 1

// The names of the entries, in their order in the file.
const (
	aboutEntry = "errand-backup.json"
	keysEntry  = "keys.age"
	tablesPath = "tables/" // then the table, a slash, and the number of the piece
	blobsPath  = "blobs/"  // then the key
	endEntry   = "end.json"
)

// Bounds of what is held in memory while a file is read, which somebody may have made by hand.
const (
	maxText  = 4 << 20  // an entry in JSON, or the keys
	maxPiece = 64 << 20 // a piece of a table
)

// About describes a backup. It is the first entry.
type About struct {
	Format       int          `json:"format"`
	Errand       string       `json:"errand"`       // version of the program
	Schema       int64        `json:"schema"`       // the newest migration
	MadeAt       time.Time    `json:"made_at"`      // the moment that it shows
	Installation string       `json:"installation"` // id; empty when no server has needed one yet
	Postgres     string       `json:"postgres"`     // version of the server
	EventDays    []string     `json:"event_days"`   // with a partition of events, as 2026-01-31
	Tables       []dump.Table `json:"tables"`       // in the order in which they are loaded
	HasKeys      bool         `json:"has_keys"`     // whether the keys are in it
	HasBlobs     bool         `json:"has_blobs"`    // whether the source maps are in it
}

// End is the last entry.
type End struct {
	SHA256       string           `json:"sha256"` // of all entries before
	Rows         map[string]int64 `json:"rows"`   // by table
	Blobs        int64            `json:"blobs"`
	BlobBytes    int64            `json:"blob_bytes"`
	MissingBlobs []string         `json:"missing_blobs,omitempty"` // keys that the database names, but the storage did not have
}

// checksum sums entries: the length and the text of the name, the length and the bytes of the content.
type checksum struct{ hash.Hash }

func newChecksum() checksum { return checksum{sha256.New()} }

func (c checksum) addHead(name string, size int64) {
	head := binary.BigEndian.AppendUint64(nil, uint64(len(name)))
	head = binary.BigEndian.AppendUint64(append(head, name...), uint64(size))
	_, _ = c.Write(head) // never fails
}

func (c checksum) String() string { return hex.EncodeToString(c.Sum(nil)) }

// writer writes entries.
type writer struct {
	tar *tar.Writer
	sum checksum
	at  time.Time
}

func newWriter(w io.Writer, at time.Time) *writer {
	return &writer{tar.NewWriter(w), newChecksum(), at}
}

// add writes an entry of this many bytes.
func (w *writer) add(name string, size int64, content io.Reader) error {
	header := &tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: w.at, Format: tar.FormatPAX}
	if err := w.tar.WriteHeader(header); err != nil {
		return err
	}
	w.sum.addHead(name, size)
	_, err := io.CopyN(io.MultiWriter(w.tar, w.sum), content, size)
	return err
}

func (w *writer) addJSON(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return w.add(name, int64(len(text)), bytes.NewReader(text))
}

func (w *writer) finish(end End) error {
	end.SHA256 = w.sum.String()
	if err := w.addJSON(endEntry, end); err != nil {
		return err
	}
	return w.tar.Close()
}

// The errors of files that are no whole backup.
var (
	ErrNoBackup = errors.New("this is no backup of Errand")
	ErrBroken   = errors.New("the backup is damaged or cut off")
)

// reader reads entries in their order.
type reader struct {
	tar *tar.Reader
	sum checksum
	now *tar.Header // the entry that is read; nil after the last
}

// openReader reads what the backup says about itself, and stands at the entry after it.
func openReader(r io.Reader) (*reader, About, error) {
	opened := &reader{tar: tar.NewReader(r), sum: newChecksum()}
	var about About
	var err error
	if opened.now, err = opened.tar.Next(); err != nil || opened.now.Name != aboutEntry {
		return nil, about, ErrNoBackup
	}
	if err := opened.readJSON(&about); err != nil {
		return nil, about, err
	}
	if about.Format > Format {
		return nil, about, fmt.Errorf("the backup has the format %d, made by Errand %s: this Errand reads up to %d; use a newer one",
			about.Format, about.Errand, Format)
	}
	return opened, about, opened.next()
}

// next goes to the next entry.
func (r *reader) next() (err error) {
	r.now, err = r.tar.Next()
	if err != nil { // also io.EOF: the last entry is read by readEnd
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return nil
}

// content returns the content of the entry, which the caller reads to its end.
func (r *reader) content() io.Reader {
	r.sum.addHead(r.now.Name, r.now.Size)
	return io.TeeReader(brokenReader{r.tar}, r.sum)
}

// brokenReader says of a file that ends too early that it is damaged.
type brokenReader struct{ io.Reader }

func (r brokenReader) Read(into []byte) (int, error) {
	n, err := r.Reader.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return n, err
}

// readAll returns the content of an entry of at most this many bytes.
func (r *reader) readAll(limit int64) ([]byte, error) {
	if r.now.Size > limit {
		return nil, fmt.Errorf("%w: the entry %q is too large", ErrBroken, r.now.Name)
	}
	return io.ReadAll(r.content())
}

func (r *reader) readJSON(into any) error {
	text, err := r.readAll(maxText)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%w: %q: %w", ErrBroken, r.now.Name, err)
	}
	return nil
}

// readEnd checks that the entry is the last one and that nothing was changed.
func (r *reader) readEnd() (End, error) {
	var end End
	if r.now.Name != endEntry {
		return end, fmt.Errorf("%w: there is an unknown entry %q", ErrBroken, r.now.Name)
	}
	sum := r.sum.String()
	if err := r.readJSON(&end); err != nil {
		return end, err
	}
	if end.SHA256 != sum {
		return end, fmt.Errorf("%w: the checksum is not the one in the file", ErrBroken)
	}
	return end, nil
}
