package chunks

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"io"
	"iter"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/blob"
	"errand/core"
	"errand/sentryapi"
)

const owner = "project-7"

// openStore opens a store in a folder of the test, at a time that the test moves.
func openStore(t *testing.T) (*Store, *time.Time) {
	t.Helper()
	blobs, err := blob.OpenStore((&url.URL{Scheme: "file", Path: t.TempDir()}).String(), func(string) string { return "" })
	require.NoError(t, err)
	t.Cleanup(func() { _ = blobs.Close() })
	now := time.Now()
	return New(blobs, func() time.Time { return now }), &now
}

func sumOf(text string) string {
	sum := sha1.Sum([]byte(text)) //nolint:gosec // the protocol names pieces with it
	return hex.EncodeToString(sum[:])
}

// putChunks keeps texts as pieces, and returns their sums.
func putChunks(t *testing.T, s *Store, texts ...string) []string {
	t.Helper()
	var sums []string
	for _, text := range texts {
		sums = append(sums, sumOf(text))
		require.NoError(t, s.PutChunk(t.Context(), owner, sumOf(text), strings.NewReader(text)))
	}
	return sums
}

func TestPiecesMakeAWhole(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t)
	sums := putChunks(t, s, "one", "", "two", "three")

	whole, err := s.OpenWhole(t.Context(), owner, sums)

	require.NoError(t, err)
	defer whole.Close()
	require.EqualValues(t, 11, whole.Size())
	text, err := io.ReadAll(io.NewSectionReader(whole, 0, whole.Size()))
	require.NoError(t, err)
	require.Equal(t, "onetwothree", string(text))
	across := make([]byte, 5)
	n, err := whole.ReadAt(across, 2)
	require.NoError(t, err)
	require.Equal(t, "etwot", string(across[:n]))
	_, err = whole.ReadAt(across, 9)
	require.ErrorIs(t, err, io.EOF)
}

func TestMissingPieces(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t)
	sums := putChunks(t, s, "one")
	absent := sumOf("two")

	missing, err := s.FindMissing(t.Context(), owner, []string{sums[0], absent, absent})

	require.NoError(t, err)
	require.Equal(t, []string{absent}, missing)
	missing, err = s.FindMissing(t.Context(), "project-8", sums)
	require.NoError(t, err)
	require.Equal(t, sums, missing, "of another owner")
	_, err = s.OpenWhole(t.Context(), owner, []string{absent})
	require.True(t, core.HasCode(err, core.NotFound), err)
	require.NoError(t, s.DropChunks(t.Context(), owner, sums))
	missing, err = s.FindMissing(t.Context(), owner, sums)
	require.NoError(t, err)
	require.Equal(t, sums, missing)
}

func TestRefusedPieces(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t)
	large := strings.Repeat("x", sentryapi.ChunkSize+1)
	for name, test := range map[string]struct {
		sum, text string
		code      core.Code
	}{
		"another sum":   {sumOf("one"), "two", core.InvalidRequest},
		"no sum":        {"", "two", core.InvalidRequest},
		"a path":        {"../../etc/passwd", "two", core.InvalidRequest},
		"capitals":      {strings.ToUpper(sumOf("two")), "two", core.InvalidRequest},
		"41 characters": {sumOf("two") + "0", "two", core.InvalidRequest},
		"too large":     {sumOf(large), large, core.PayloadTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			err := s.PutChunk(t.Context(), owner, test.sum, strings.NewReader(test.text))

			require.True(t, core.HasCode(err, test.code), err)
		})
	}
}

func TestPiecesAreBoundedByOwner(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t)
	putChunks(t, s, "one")
	s.usage.kept[owner] = maxOwner - sentryapi.ChunkSize + 1

	err := s.PutChunk(t.Context(), owner, sumOf("two"), strings.NewReader("two"))

	require.True(t, core.HasCode(err, core.Limit), err)
	require.NoError(t, s.PutChunk(t.Context(), "project-8", sumOf("two"), strings.NewReader("two")))
	s.usage.kept["project-9"] = maxTotal
	require.Error(t, s.PutChunk(t.Context(), "project-8", sumOf("two"), bytes.NewReader([]byte("two"))))
}

func TestPiecesAreKeptForADay(t *testing.T) {
	t.Parallel()
	s, now := openStore(t)
	sums := putChunks(t, s, "one")

	*now = now.Add(23 * time.Hour)
	require.NoError(t, s.DropOld(t.Context()))
	missing, err := s.FindMissing(t.Context(), owner, sums)
	require.NoError(t, err)
	require.Empty(t, missing)

	*now = now.Add(2 * time.Hour)
	require.NoError(t, s.DropOld(t.Context()))
	missing, err = s.FindMissing(t.Context(), owner, sums)
	require.NoError(t, err)
	require.Equal(t, sums, missing)
}

// slowList is a storage whose lists wait until they are released.
type slowList struct {
	blob.Store
	asked, answer chan struct{}
}

func (s *slowList) List(ctx context.Context, prefix string) iter.Seq2[blob.Entry, error] {
	s.asked <- struct{}{}
	<-s.answer
	return s.Store.List(ctx, prefix)
}

// TestPiecesDoNotWaitForACount sends a piece while the storage is listing the kept pieces for another one.
func TestPiecesDoNotWaitForACount(t *testing.T) {
	t.Parallel()
	counted, now := openStore(t)
	putChunks(t, counted, "one")
	slow := &slowList{Store: counted.blobs, asked: make(chan struct{}), answer: make(chan struct{})}
	counted.blobs = slow
	*now = now.Add(time.Minute)
	counting := make(chan error, 1)
	go func() { counting <- counted.PutChunk(t.Context(), owner, sumOf("two"), strings.NewReader("two")) }()
	<-slow.asked

	putChunks(t, counted, "three")

	close(slow.answer)
	require.NoError(t, <-counting)
	require.EqualValues(t, len("one")+2*len("three")+len("two"), counted.usage.kept[owner], "what came in meanwhile counts twice at most")
	require.Empty(t, counted.usage.coming)
}
