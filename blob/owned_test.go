package blob_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/blob"
)

// owning is an installation's store.
type owning struct {
	*blob.OwnedStore
	now   time.Time
	knows []string // keys that its database records
}

// own opens a store for the installation and the database with these names.
func own(s blob.Store, installation, database string, change func(*blob.Owner)) *owning {
	o := &owning{now: time.Now()}
	owner := blob.Owner{
		Installation: installation, Database: database, Prefix: "sourcemaps/", Clock: func() time.Time { return o.now },
		KnowsAny: func(_ context.Context, keys []string) (bool, error) {
			return slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(o.knows, key) }), nil
		},
	}
	if change != nil {
		change(&owner)
	}
	o.OwnedStore = blob.Own(s, owner)
	return o
}

func TestStoreServesOneInstallation(t *testing.T) {
	forEachStore(t, func(t *testing.T, s blob.Store) {
		ours, other := own(s, "ours", "db1", nil), own(s, "other", "db2", nil)
		require.NoError(t, ours.Renew(t.Context()))
		putText(t, ours, "sourcemaps/7/1", "map")

		err := other.Renew(t.Context())

		require.ErrorIs(t, err, blob.ErrForeign)
		for _, word := range []string{s.String(), `"ours"`, "Set BLOBS to", "write other into", s.Locate("installation")} {
			require.ErrorContains(t, err, word)
		}
		require.ErrorIs(t, other.Ping(t.Context()), blob.ErrForeign)
		_, err = other.Put(t.Context(), "sourcemaps/7/1", strings.NewReader("other"), 9)
		require.ErrorIs(t, err, blob.ErrForeign)
		_, err = other.Open(t.Context(), "sourcemaps/7/1")
		require.ErrorIs(t, err, blob.ErrForeign)
		require.ErrorIs(t, other.Delete(t.Context(), "sourcemaps/7/1"), blob.ErrForeign)
		require.ErrorIs(t, other.Delete(t.Context(), "chunks/7/1"), blob.ErrForeign)
		for _, err := range other.List(t.Context(), "") {
			require.ErrorIs(t, err, blob.ErrForeign)
		}
		require.Equal(t, []string{"sourcemaps/7/1"}, listKeys(t, ours, "sourcemaps/"))
		require.Equal(t, "map", readText(t, ours, "sourcemaps/7/1"))

		putText(t, s, "installation", "other") // what the error says to do
		require.NoError(t, other.Renew(t.Context()))
		_, err = ours.Put(t.Context(), "sourcemaps/7/2", strings.NewReader("x"), 9)
		require.ErrorIs(t, err, blob.ErrForeign, "every Put reads the mark")
	})
}

func TestStoreWithoutAMark(t *testing.T) {
	t.Parallel()
	s := openFolder(t, t.TempDir())
	putText(t, s, "sourcemaps/7/1", "map")
	foreign := own(s, "foreign", "db1", nil)
	require.ErrorIs(t, foreign.Renew(t.Context()), blob.ErrForeign)
	require.ErrorContains(t, foreign.Renew(t.Context()), "it holds source maps that this installation does not know")
	require.Equal(t, []string{"sourcemaps/7/1"}, listKeys(t, s, ""))

	ours := own(s, "ours", "db1", nil)
	ours.knows = []string{"sourcemaps/7/1"}

	require.NoError(t, ours.Renew(t.Context()))
	require.Equal(t, "ours\n", readText(t, s, "installation"))
	require.NoError(t, ours.Delete(t.Context(), "sourcemaps/7/1"))
}

// TestCopyOfTheDatabaseDeletesNothing runs production and a restored copy on one store.
func TestCopyOfTheDatabaseDeletesNothing(t *testing.T) {
	forEachStore(t, func(t *testing.T, s blob.Store) {
		production := own(s, "one", "production", nil)
		require.NoError(t, production.Renew(t.Context()))
		putText(t, production, "sourcemaps/7/1", "map")
		restored := own(s, "one", "copy", func(o *blob.Owner) { o.RestoredAt = time.Now() })
		require.NoError(t, restored.Renew(t.Context()))

		for name, o := range map[string]*owning{"production": production, "copy": restored} {
			require.ErrorIs(t, o.Delete(t.Context(), "sourcemaps/7/1"), blob.ErrKept, name)
			require.ErrorIs(t, o.CheckDeletion(t.Context()), blob.ErrKept, name)
			require.NoError(t, o.Delete(t.Context(), "chunks/7/1"), "%s: what waits to be put together is nobody's for good", name)
			o.now = o.now.Add(24*time.Hour + 2*time.Minute)
			require.ErrorContains(t, o.Delete(t.Context(), "sourcemaps/7/1"), "a copy of the database", "%s: the other is alive", name)
			o.now = o.now.Add(time.Hour)
		}

		require.Equal(t, "map", readText(t, s, "sourcemaps/7/1"))
		require.NoError(t, restored.Delete(t.Context(), "sourcemaps/7/1"), "the other has not been seen for a day")
	})
}

func TestReplacedFolderIsNoticed(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "blobs")
	s := openFolder(t, folder)
	ours := own(s, "ours", "db", nil)
	putText(t, ours, "sourcemaps/7/1", "map")

	require.NoError(t, os.Rename(folder, folder+".old"))
	_, err := ours.Put(t.Context(), "sourcemaps/7/2", strings.NewReader("x"), 9)
	require.ErrorContains(t, err, "no such file", "a volume that is away is not written around")
	require.NoError(t, os.Mkdir(folder, 0o700))
	putText(t, ours, "sourcemaps/7/2", "new")

	require.Equal(t, []string{"installation", "sourcemaps/7/2"}, listKeys(t, openFolder(t, folder), ""))
	_, err = ours.Open(t.Context(), "sourcemaps/7/1")
	require.ErrorIs(t, err, blob.ErrNotFound)
	require.Equal(t, []string{"installation", "sourcemaps/7/1"}, listKeys(t, openFolder(t, folder+".old"), ""))
}
