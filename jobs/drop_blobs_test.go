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

func checkStrayBlobs(t *testing.T, blobs blob.Store) {
	t.Helper()
	s := storetest.New(t)
	actor := core.NewBootstrapActor()
	for _, project := range []store.NewProject{{ID: 7, Name: "Shop", PublicKey: "key"}, {ID: 8, Name: "Till", PublicKey: "other"}} {
		_, err := s.CreateProject(t.Context(), actor, project)
		require.NoError(t, err)
		_, _, err = s.PutSourceMap(t.Context(), actor, store.NewSourceMap{ProjectID: project.ID, ID: 1, Release: "1", Name: "/a.js", Path: "/a.js"})
		require.NoError(t, err)
	}
	for _, key := range []string{"sourcemaps/7/1", "sourcemaps/7/2", "sourcemaps/8/1", "others/7/2"} {
		_, err := blobs.Put(t.Context(), key, strings.NewReader("x"), 1)
		require.NoError(t, err)
	}
	dropBefore := func(before time.Time) (left []string) {
		require.NoError(t, dropStrayBlobs(t.Context(), s, blobs, before))
		for entry, err := range blobs.List(t.Context(), "") {
			require.NoError(t, err)
			left = append(left, entry.Key)
		}
		return left
	}

	require.Len(t, dropBefore(time.Now().Add(-time.Hour)), 4, "an upload may be going on")
	require.ElementsMatch(t, []string{"sourcemaps/7/1", "sourcemaps/8/1", "others/7/2"}, dropBefore(time.Now().Add(time.Hour)))
	storetest.ChangeRows(t, s, `DELETE FROM source_maps WHERE project_id = 8`) // as the deletion of its project does
	require.ElementsMatch(t, []string{"sourcemaps/7/1", "others/7/2"}, dropBefore(time.Now().Add(time.Hour)))
}
