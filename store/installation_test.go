package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// TestRestoredDatabaseIsAnother opens a copy of a database, like a restored backup.
func TestRestoredDatabaseIsAnother(t *testing.T) {
	t.Parallel()
	now := time.Now().Truncate(time.Second)
	clock := func() time.Time { return now }
	url, copied := storetest.NewURL(t), storetest.NewURL(t)
	original := storetest.Open(t, url, clock)
	first, err := original.EnsureInstallation(t.Context(), "fresh")
	require.NoError(t, err)
	again, err := storetest.Open(t, url, clock).EnsureInstallation(t.Context(), "other")
	require.NoError(t, err)
	restored := storetest.Open(t, copied, clock)
	storetest.ChangeRows(t, restored, `INSERT INTO install_identity (id, database) VALUES ($1, $2)`, first.ID, first.Database)

	found, err := restored.EnsureInstallation(t.Context(), "other")

	require.NoError(t, err)
	require.Equal(t, "fresh", first.ID)
	require.Nil(t, first.RestoredAt, "the database was always this one")
	require.Equal(t, first, again)
	require.Equal(t, "fresh", found.ID)
	require.NotEqual(t, first.Database, found.Database)
	require.True(t, now.Equal(found.RestoredAt.Time), "%s", found.RestoredAt)
	now = now.Add(time.Hour)
	later, err := restored.EnsureInstallation(t.Context(), "other")
	require.NoError(t, err)
	require.Equal(t, found.RestoredAt.Unix(), later.RestoredAt.Unix(), "only the first start on the copy counts")
}
