package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store"
	"errand/store/storetest"
)

// TestUsage reads what two projects take, the larger first.
func TestUsage(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	const office = storetest.Shop + 1
	storetest.MakeProject(t, s, office, "Office")
	storetest.AddEvents(t, s, storetest.MakeShopEvent("a", 1, c.At(0)), storetest.MakeEvent(office, "a", 1, c.At(0)),
		storetest.MakeEvent(office, "a", 2, c.At(0)), storetest.MakeEvent(office, "b", 3, c.At(0)))
	storetest.ChangeRows(t, s, `
INSERT INTO source_maps (project_id, id, uploaded_at, size, sources, release, name, path, debug_id, uploaded_by, blob)
SELECT $1, n, $2, 1000, 1, '1', n::text, '/' || n, '', 'x', CASE WHEN n < 3 THEN 'same' END FROM generate_series(1, 3) n`,
		int64(office), storetest.Noon)

	used, err := s.ReadUsage(t.Context())

	require.NoError(t, err)
	require.Greater(t, used.DatabaseBytes, int64(1<<20))
	require.NotNil(t, used.WALBytes)
	require.EqualValues(t, 2000, used.SourceMapBytes, "a content that has two names is stored once")
	require.Len(t, used.Projects, 2)
	first := used.Projects[0]
	require.Equal(t, "office", first.Slug)
	require.EqualValues(t, 2, first.Issues)
	require.EqualValues(t, 3, first.StoredEvents)
	require.EqualValues(t, 3, first.Events30d)
	require.InDelta(t, 3*used.Projects[1].EventBytes, first.EventBytes, 3, "by the number of events")
	require.NotEmpty(t, used.Tables)
}

// TestUsageWithoutRights holds that a role that may not see the log of writes gets everything else.
func TestUsageWithoutRights(t *testing.T) {
	t.Parallel()
	reader, _ := storetest.MakeRole(t, storetest.NewURL(t), "reader", "IN ROLE pg_read_all_data")
	s, err := store.Open(t.Context(), store.Options{URL: reader, Clock: storetest.NewClock().Tell})
	require.NoError(t, err)
	t.Cleanup(s.Close)

	used, err := s.ReadUsage(t.Context())

	require.NoError(t, err)
	require.Nil(t, used.WALBytes)
	require.NotZero(t, used.DatabaseBytes)
}
