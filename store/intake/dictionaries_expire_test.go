package intake_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// TestDictionariesEndWithTheirEvents has three dictionaries that followed each other, and one of another project without a successor.
func TestDictionariesEndWithTheirEvents(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	const other = 1_000_000_002
	storetest.MakeProject(t, s, other, "Other")
	storetest.MakeIssue(t, s, "pay") // on the first day with events
	for _, d := range []struct {
		project, id int64
		made        time.Duration
	}{
		{storetest.Shop, 1, -60 * 24 * time.Hour}, {storetest.Shop, 2, -24 * time.Hour}, {storetest.Shop, 3, 6 * 24 * time.Hour},
		{other, 4, -60 * 24 * time.Hour},
	} {
		storetest.ChangeRows(t, s, `INSERT INTO dictionaries (project_id, id, created_at, content) VALUES ($1, $2, $3, '')`,
			d.project, d.id, c.At(d.made).Time)
	}
	list := func() []int64 { return storetest.ReadColumn[int64](t, s, `SELECT id FROM dictionaries ORDER BY id`) }

	require.NoError(t, s.Intake.DropDictionaries(t.Context()))
	require.Equal(t, []int64{1, 2, 3, 4}, list(), "a server may have used the first one a day after the second")

	c.Forward(9 * 24 * time.Hour)
	storetest.MakeIssue(t, s, "ship")
	storetest.DropExpired(t, s, 1)
	require.NoError(t, s.Intake.DropDictionaries(t.Context()))
	require.Equal(t, []int64{3, 4}, list())
}
