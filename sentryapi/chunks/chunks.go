// Package chunks keeps the pieces that sentry-cli uploads a file in, until all are there and the file is assembled.
// Pieces are blobs, kept for at most a day.
package chunks

import (
	"context"
	"crypto/sha1" //nolint:gosec // the protocol names pieces with it
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"errand/blob"
	"errand/core"
	"errand/sentryapi"
)

// keptFor is how long a piece waits for the others.
const keptFor = 24 * time.Hour

const keyPrefix = "chunks/"

// Store keeps pieces in a blob store. It is safe for concurrent use, also by several processes.
type Store struct {
	blobs blob.Store
	clock core.Clock
	usage usage
}

// New makes a Store.
func New(blobs blob.Store, clock core.Clock) *Store {
	return &Store{blobs: blobs, clock: clock, usage: newUsage()}
}

var validSum = regexp.MustCompile(`^[0-9a-f]{40}$`)

// chunkKey returns the key of a piece. Errand makes the owner, but the sum comes from clients.
func chunkKey(owner, sum string) (string, error) {
	if !validSum.MatchString(sum) {
		return "", core.RefuseField("chunks", "must be named by their SHA-1: 40 hexadecimal digits in lower case")
	}
	return keyPrefix + owner + "/" + sum, nil
}

// FindMissing returns the missing pieces, each once.
func (s *Store) FindMissing(ctx context.Context, owner string, sums []string) ([]string, error) {
	sizes := map[string]int64{}
	for entry, err := range s.blobs.List(ctx, keyPrefix+owner+"/") {
		if err != nil {
			return nil, err
		}
		sizes[entry.Key[strings.LastIndexByte(entry.Key, '/')+1:]] = entry.Size
	}
	missing := []string{}
	for _, sum := range sums {
		if _, err := chunkKey(owner, sum); err != nil {
			return nil, err
		}
		if _, isThere := sizes[sum]; !isThere {
			missing = append(missing, sum)
			sizes[sum] = 0
		}
	}
	return missing, nil
}

// PutChunk keeps a piece. A piece that is too large is payload_too_large, one that does not match its sum is
// invalid_request, and too many pieces are limit.
func (s *Store) PutChunk(ctx context.Context, owner, sum string, data io.Reader) error {
	key, err := chunkKey(owner, sum)
	if err != nil {
		return err
	}
	if err := s.usage.reservePiece(ctx, owner, s.clock(), s.countKept); err != nil {
		return err
	}
	summed := &summedReader{data: data, sum: sum, hash: sha1.New()} //nolint:gosec // see above
	written, err := s.blobs.Put(ctx, key, summed, sentryapi.ChunkSize)
	if errors.Is(err, blob.ErrTooLarge) {
		err = core.NewError(core.PayloadTooLarge).With("max_bytes", sentryapi.ChunkSize)
	}
	s.usage.notePiece(owner, written.Size)
	return err
}

// countKept counts the bytes of each owner, and deletes pieces that have waited too long.
func (s *Store) countKept(ctx context.Context) (map[string]int64, error) {
	kept, oldest := map[string]int64{}, s.clock().Add(-keptFor)
	for entry, err := range s.blobs.List(ctx, keyPrefix) {
		if err != nil {
			return nil, err
		}
		if entry.ModifiedAt.Before(oldest) {
			if err := s.blobs.Delete(ctx, entry.Key); err != nil {
				return nil, err
			}
			continue
		}
		owner, _, _ := strings.Cut(strings.TrimPrefix(entry.Key, keyPrefix), "/")
		kept[owner] += entry.Size
	}
	return kept, nil
}

// DropOld deletes pieces that have waited for a day.
func (s *Store) DropOld(ctx context.Context) error {
	_, err := s.countKept(ctx)
	return err
}

// DropChunks deletes pieces that were assembled.
func (s *Store) DropChunks(ctx context.Context, owner string, sums []string) error {
	for _, sum := range sums {
		key, err := chunkKey(owner, sum)
		if err == nil {
			err = s.blobs.Delete(ctx, key)
		}
		if err != nil {
			return err
		}
	}
	s.usage.countSoon()
	return nil
}

// summedReader passes data on, and fails at its end if the data does not match its SHA-1.
type summedReader struct {
	data io.Reader
	sum  string
	hash hash.Hash
}

func (r *summedReader) Read(b []byte) (int, error) {
	n, err := r.data.Read(b)
	r.hash.Write(b[:n])
	if errors.Is(err, io.EOF) {
		if got := hex.EncodeToString(r.hash.Sum(nil)); got != r.sum {
			return n, core.RefuseField("chunks", "must be what their SHA-1 says: %s is %s", r.sum, got)
		}
	}
	return n, err
}

// OpenWhole opens the file that pieces form in their order. A missing piece is not_found.
func (s *Store) OpenWhole(ctx context.Context, owner string, sums []string) (sentryapi.Whole, error) {
	w := &whole{}
	for _, sum := range sums {
		key, err := chunkKey(owner, sum)
		if err == nil {
			err = w.addPiece(ctx, s.blobs, key)
		}
		if errors.Is(err, blob.ErrNotFound) {
			err = core.NewError(core.NotFound).Because(err)
		}
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	return w, nil
}

// whole is the file that pieces form. It holds the piece that was read last.
type whole struct {
	pieces []blob.Object
	starts []int64
	size   int64

	mu   sync.Mutex
	held int // index of the piece in data
	data []byte
}

func (w *whole) addPiece(ctx context.Context, blobs blob.Store, key string) error {
	piece, err := blobs.Open(ctx, key)
	if err != nil {
		return err
	}
	w.pieces, w.starts = append(w.pieces, piece), append(w.starts, w.size)
	w.size += piece.Size()
	if piece.Size() > sentryapi.ChunkSize {
		return fmt.Errorf("a piece of %d bytes", piece.Size())
	}
	return nil
}

// Size is the number of bytes.
func (w *whole) Size() int64 { return w.size }

// ReadAt reads across pieces.
func (w *whole) ReadAt(into []byte, offset int64) (n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for n < len(into) && offset < w.size {
		if err := w.holdPiece(offset); err != nil {
			return n, err
		}
		copied := copy(into[n:], w.data[offset-w.starts[w.held]:])
		n, offset = n+copied, offset+int64(copied)
	}
	if n < len(into) {
		return n, io.EOF
	}
	return n, nil
}

// holdPiece reads the piece at an offset into memory, unless it is there.
func (w *whole) holdPiece(offset int64) error {
	at := len(w.starts) - 1
	for w.starts[at] > offset || w.pieces[at].Size() == 0 {
		at--
	}
	if w.data != nil && at == w.held {
		return nil
	}
	data := make([]byte, w.pieces[at].Size())
	if _, err := io.ReadFull(io.NewSectionReader(w.pieces[at], 0, int64(len(data))), data); err != nil {
		return err
	}
	w.held, w.data = at, data
	return nil
}

// Close closes the pieces.
func (w *whole) Close() error {
	var err error
	for _, piece := range w.pieces {
		err = errors.Join(err, piece.Close())
	}
	return err
}
