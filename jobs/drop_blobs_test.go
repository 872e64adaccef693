package jobs

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/blob"
	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

func TestStrayBlobsAreDropped(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	_, err := s.CreateProject(t.Context(), core.NewBootstrapActor(), store.NewProject{ID: 7, Name: "Shop", PublicKey: "key"})
	require.NoError(t, err)
	_, _, err = s.PutSourceMap(t.Context(), core.NewBootstrapActor(), store.NewSourceMap{
		ProjectID: 7, ID: 1, Release: "1", Name: "/a.js", Path: "/a.js",
	})
	require.NoError(t, err)
	blobs, err := blob.OpenStore("file://"+t.TempDir(), os.Getenv)
	require.NoError(t, err)
	for _, key := range []string{"sourcemaps/7/1", "sourcemaps/7/2", "sourcemaps/8/1", "others/7/2"} {
		_, err := blobs.Put(t.Context(), key, strings.NewReader("x"), 1)
		require.NoError(t, err)
	}
	listKeys := func() (keys []string) {
		for entry, err := range blobs.List(t.Context(), "") {
			require.NoError(t, err)
			keys = append(keys, entry.Key)
		}
		return keys
	}

	require.NoError(t, dropStrayBlobs(t.Context(), s, blobs, time.Now().Add(-time.Hour)))
	require.Len(t, listKeys(), 4, "an upload may be going on")
	require.NoError(t, dropStrayBlobs(t.Context(), s, blobs, time.Now().Add(time.Hour)))
	require.ElementsMatch(t, []string{"sourcemaps/7/1", "others/7/2"}, listKeys())
}
