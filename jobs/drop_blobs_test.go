package jobs

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/blob"
	"errand/blob/blobtest"
	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

func TestStrayBlobsAreDropped(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) blob.Store{
		"folder": func(t *testing.T) blob.Store {
			blobs, err := blob.OpenStore("file://"+t.TempDir(), os.Getenv)
			require.NoError(t, err)
			return blobs
		},
		"bucket": func(t *testing.T) blob.Store { return blobtest.RunServer(t).OpenBucket(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkStrayBlobs(t, open(t))
		})
	}
}

// blobOne is the blob of a map with the id 1.
var blobOne = store.NameBlob(strings.Repeat("0", 64), 1)

func checkStrayBlobs(t *testing.T, blobs blob.Store) {
	t.Helper()
	s := storetest.New(t)
	actor := core.NewBootstrapActor()
	for _, project := range []store.NewProject{{ID: 7, Name: "Shop", PublicKey: "key"}, {ID: 8, Name: "Till", PublicKey: "other"}} {
		_, err := s.CreateProject(t.Context(), actor, project)
		require.NoError(t, err)
		_, _, err = s.PutSourceMap(t.Context(), actor, store.NewSourceMap{
			ProjectID: project.ID, ID: 1, Release: "1", Name: "/a.js", Path: "/a.js", Blob: blobOne,
		})
		require.NoError(t, err)
	}
	for _, key := range []string{"sourcemaps/7/" + blobOne, "sourcemaps/7/2", "sourcemaps/8/" + blobOne, "others/7/2"} {
		_, err := blobs.Put(t.Context(), key, strings.NewReader("x"), 1)
		require.NoError(t, err)
	}
	dropBefore := func(before time.Time) (left []string) {
		require.NoError(t, (&strayBlobs{store: s, blobs: blobs, before: before}).dropAll(t.Context()))
		for entry, err := range blobs.List(t.Context(), "") {
			require.NoError(t, err)
			left = append(left, entry.Key)
		}
		return left
	}

	require.Len(t, dropBefore(time.Now().Add(-time.Hour)), 4, "an upload may be going on")
	counted := strayBlobs{store: s, blobs: blobs, before: time.Now().Add(time.Hour), isKept: true}
	require.NoError(t, counted.dropAll(t.Context()))
	require.Equal(t, []any{3, 1, int64(1)}, []any{counted.seen, counted.stray, counted.bytes})
	known := []string{"sourcemaps/7/" + blobOne, "sourcemaps/8/" + blobOne, "others/7/2"}
	require.ElementsMatch(t, known, dropBefore(time.Now().Add(time.Hour)))
	storetest.ChangeRows(t, s, `DELETE FROM source_maps WHERE project_id = 8`) // as the deletion of its project does
	require.ElementsMatch(t, []string{"sourcemaps/7/" + blobOne, "others/7/2"}, dropBefore(time.Now().Add(time.Hour)))
}
