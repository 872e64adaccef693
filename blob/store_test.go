package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"errand/blob"
	"errand/testkit/ramdisk"
)

const testLimit = 4 << 20

// makeGetenv returns a getenv for these variables.
func makeGetenv(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

// storeKinds returns functions that open an empty store of each kind.
func storeKinds() map[string]func(t *testing.T) blob.Store {
	return map[string]func(t *testing.T) blob.Store{
		"folder": func(t *testing.T) blob.Store { return openFolder(t, t.TempDir()) },
		"bucket": openBucket,
	}
}

// openFolder opens the store in a folder.
func openFolder(t *testing.T, folder string) blob.Store {
	s, err := blob.OpenStore("file://"+folder, makeGetenv(nil))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// forEachStore runs a test on a store of each kind.
func forEachStore(t *testing.T, test func(t *testing.T, s blob.Store)) {
	t.Parallel()
	for kind, open := range storeKinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func putText(t *testing.T, s blob.Store, key, text string) {
	written, err := s.Put(t.Context(), key, strings.NewReader(text), testLimit)
	require.NoError(t, err)
	sum := sha256.Sum256([]byte(text))
	require.Equal(t, blob.Written{Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:])}, written)
}

func readText(t *testing.T, s blob.Store, key string) string {
	object, err := s.Open(t.Context(), key)
	require.NoError(t, err)
	defer object.Close()
	data, err := io.ReadAll(io.NewSectionReader(object, 0, object.Size()))
	require.NoError(t, err)
	require.Len(t, data, int(object.Size()))
	return string(data)
}

func listKeys(t *testing.T, s blob.Store, prefix string) []string {
	sizes := map[string]int64{}
	for entry, err := range s.List(t.Context(), prefix) {
		require.NoError(t, err)
		require.False(t, entry.ModifiedAt.IsZero())
		sizes[entry.Key] = entry.Size
	}
	for key, size := range sizes {
		require.Len(t, readText(t, s, key), int(size))
	}
	return slices.Sorted(maps.Keys(sizes))
}

func TestBlobsAreKept(t *testing.T) {
	forEachStore(t, func(t *testing.T, s blob.Store) {
		require.NoError(t, s.Ping(t.Context()))
		for _, text := range []string{"", "text", strings.Repeat("long ", 200_000), "replaced"} {
			putText(t, s, "sourcemaps/7/ab.1", text)
			require.Equal(t, text, readText(t, s, "sourcemaps/7/ab.1"))
		}

		require.NoError(t, s.Delete(t.Context(), "sourcemaps/7/ab.1"))
		require.NoError(t, s.Delete(t.Context(), "sourcemaps/7/ab.1"))

		_, err := s.Open(t.Context(), "sourcemaps/7/ab.1")
		require.ErrorIs(t, err, blob.ErrNotFound)
		require.Empty(t, listKeys(t, s, ""))
	})
}

func TestReadAt(t *testing.T) {
	forEachStore(t, func(t *testing.T, s blob.Store) {
		const size, part = 3 << 20, 1000
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i * i >> 8)
		}
		putText(t, s, "a", string(data))
		object, err := s.Open(t.Context(), "a")
		require.NoError(t, err)
		defer object.Close()
		var readers sync.WaitGroup
		for start := 0; start < size; start += 300_001 {
			readers.Go(func() {
				got := make([]byte, part)
				count, err := object.ReadAt(got, int64(start))
				if wanted := data[start:min(size, start+part)]; !bytes.Equal(wanted, got[:count]) || count < part && !errors.Is(err, io.EOF) {
					t.Errorf("at %d: %d bytes, %v", start, count, err)
				}
			})
		}
		readers.Wait()
		for offset, wanted := range map[int64]int{size - 10: 10, size: 0, size + 1: 0, size << 10: 0} {
			count, err := object.ReadAt(make([]byte, part), offset)
			require.Equal(t, wanted, count)
			require.ErrorIs(t, err, io.EOF)
		}
		_, err = object.ReadAt(make([]byte, part), -1)
		require.Error(t, err)
	})
}

func TestList(t *testing.T) {
	forEachStore(t, func(t *testing.T, s blob.Store) {
		keys := []string{"a", "b/a", "b/c/a", "b/c/d/e", "b/ca", "maps/1/x", "maps/10/x", "maps/2/x"}
		for _, key := range keys {
			putText(t, s, key, "blob "+key)
		}
		for prefix, wanted := range map[string][]string{
			"": keys, "b": keys[1:5], "b/": keys[1:5], "b/c": keys[2:5], "b/c/": keys[2:4], "maps/1": {"maps/1/x", "maps/10/x"},
			"maps/1/": {"maps/1/x"}, "maps/1/x": {"maps/1/x"}, "none": nil, "none/x": nil,
		} {
			require.Equal(t, wanted, listKeys(t, s, prefix), "prefix %q", prefix)
		}
		for entry, err := range s.List(t.Context(), "maps/") { // ending early is no error
			require.NoError(t, err)
			require.NotEmpty(t, entry.Key)
			break
		}
	})
}

// A failed Put stores nothing, and leaves the previous blob.
func TestPutFails(t *testing.T) {
	forEachStore(t, func(t *testing.T, s blob.Store) {
		putText(t, s, "a", "before")
		cut := errors.New("the sender is gone")
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		for _, test := range []struct {
			ctx    context.Context
			data   io.Reader
			limit  int64
			wanted error
		}{
			{t.Context(), strings.NewReader("12345"), 4, blob.ErrTooLarge},
			{t.Context(), io.MultiReader(strings.NewReader("half"), iotest.ErrReader(cut)), testLimit, cut},
			{cancelled, strings.NewReader("text"), testLimit, context.Canceled},
		} {
			_, err := s.Put(test.ctx, "a", test.data, test.limit)
			require.ErrorIs(t, err, test.wanted)
			require.Equal(t, "before", readText(t, s, "a"))
		}
		written, err := s.Put(t.Context(), "a", strings.NewReader("1234"), 4)
		require.NoError(t, err)
		require.Equal(t, int64(4), written.Size)
		require.Equal(t, []string{"a"}, listKeys(t, s, ""))
	})
}

func TestKeysThatAreRefused(t *testing.T) {
	forEachStore(t, func(t *testing.T, s blob.Store) {
		for _, key := range []string{
			"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/..", ".tmp/a", "a/.b", "=5f/a", "a\\b", "a b", "a\x00", "ä",
			"a?b", "a%2e", "C:a", strings.Repeat("a", 301), strings.Repeat("a/", 8) + "a",
		} {
			_, err := s.Put(t.Context(), key, strings.NewReader("x"), testLimit)
			require.Error(t, err, key)
			_, err = s.Open(t.Context(), key)
			require.Error(t, err, key)
			require.Error(t, s.Delete(t.Context(), key), key)
		}
		for _, prefix := range []string{"..", "../", "/", "a//", "=5f"} {
			for _, err := range s.List(t.Context(), prefix) {
				require.Error(t, err, prefix)
			}
		}
	})
}

func TestOpenStoreRefuses(t *testing.T) {
	t.Parallel()
	for location, reason := range map[string]string{
		"":                                   "must begin with",
		"/var/lib/blobs":                     "must begin with",
		"http://host/bucket":                 "must begin with",
		"s3://key:se%zzcret@bucket":          "not a URL",
		"s3:///prefix":                       "no bucket",
		"s3://bucket?endpoint=ftp://host":    "endpoint",
		"s3://bucket?endpoint=http://host/x": "endpoint",
		"s3://bucket?endpoint=http://a:b@c":  "endpoint",
		"s3://bucket?path_style=maybe":       "path_style",
		"s3://bucket?secret=secret":          "unknown part",
		"s3://bucket/../x":                   "prefix",
		"file://relative/blobs":              "this machine",
		"file:///a?x=1":                      "this machine",
		"file://":                            "absolute",
	} {
		_, err := blob.OpenStore(location, makeGetenv(nil))
		require.ErrorContains(t, err, reason, location)
		require.NotContains(t, err.Error(), "cret")
	}
}

func TestMain(m *testing.M) {
	if err := ramdisk.Use(); err != nil {
		panic(err)
	}
	code := m.Run()
	if bucketServer.Server != nil {
		bucketServer.Close()
	}
	os.Exit(code)
}
