package blob_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A link within the folder does not lead out of it.
func TestFolderDoesNotFollowLinksOut(t *testing.T) {
	t.Parallel()
	outside, folder := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
	s := openFolder(t, folder)
	putText(t, s, "a/secret", "mine")
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "b")))
	shard, err := filepath.Glob(filepath.Join(folder, "a", "=*"))
	require.NoError(t, err)
	require.Len(t, shard, 1)
	require.NoError(t, os.RemoveAll(shard[0]))
	require.NoError(t, os.Symlink(outside, shard[0]))

	_, err = s.Open(t.Context(), "a/secret")
	require.ErrorContains(t, err, "escapes")
	_, err = s.Put(t.Context(), "b/x", strings.NewReader("x"), testLimit)
	require.Error(t, err)
	require.Error(t, s.Delete(t.Context(), "a/secret"))
	require.Empty(t, listKeys(t, s, ""))
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// Only the server's user can read blobs; half-written files of a crash are deleted after a day, and folders with their last blob.
func TestFolderIsKeptTidy(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new", "blobs")
	s := openFolder(t, folder)
	putText(t, s, "maps/1/x", "text")
	require.NoError(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		return nil
	}))
	temporary := filepath.Join(folder, ".tmp")
	for name, age := range map[string]time.Duration{"old": 25 * time.Hour, "new": time.Hour} {
		path := filepath.Join(temporary, name)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}

	openFolder(t, folder)
	require.NoError(t, s.Delete(t.Context(), "maps/1/x"))

	require.NoFileExists(t, filepath.Join(temporary, "old"))
	require.FileExists(t, filepath.Join(temporary, "new"))
	require.NoDirExists(t, filepath.Join(folder, "maps"))
	require.Equal(t, "file://"+folder, s.String())
}

func TestPingOfAFolderThatIsGone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openFolder(t, folder)
	require.NoError(t, os.RemoveAll(folder))
	require.ErrorContains(t, s.Ping(t.Context()), folder)
}

// Concurrent writes and deletions of the same keys leave whole blobs.
func TestPutAtOnce(t *testing.T) {
	t.Parallel()
	s := openFolder(t, t.TempDir())
	const writers, rounds = 4, 10
	var working sync.WaitGroup
	for writer := range writers {
		working.Go(func() {
			for round := range rounds {
				key := fmt.Sprintf("shared/%d", round%3)
				if _, err := s.Put(t.Context(), key, strings.NewReader(strings.Repeat("x", 1000)), testLimit); err != nil {
					t.Errorf("put: %v", err)
				}
				if writer%2 == 0 {
					if err := s.Delete(t.Context(), key); err != nil {
						t.Errorf("delete: %v", err)
					}
				}
			}
		})
	}
	working.Wait()
	for entry, err := range s.List(t.Context(), "shared/") {
		require.NoError(t, err)
		require.Equal(t, int64(1000), entry.Size)
	}
}
