package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
	"errand/store/storetest"
)

func TestIngestIsDegradedAfterARefusal(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	state := func(project int64) string {
		got, err := pair[1].ReadIngestState(t.Context(), project)
		require.NoError(t, err)
		return got.State
	}
	require.NoError(t, pair[0].NoteRefusal(t.Context(), c.At(0)))
	require.Equal(t, "degraded", state(0))
	require.Equal(t, "degraded", state(storetest.Shop), "rather than idle: events may have been refused")
	storetest.AddEvents(t, pair[0], storetest.MakeShopEvent("pay", 1, c.At(0)))
	require.Equal(t, "degraded", state(storetest.Shop))
	require.NoError(t, pair[1].NoteRefusal(t.Context(), c.At(-time.Minute)), "a server wrote it late")
	c.Forward(5*time.Minute - time.Millisecond)
	require.Equal(t, "degraded", state(storetest.Shop))
	storetest.ChangeRows(t, pair[0], `UPDATE projects SET daily_quota = 1 WHERE id = $1`, storetest.Shop)
	require.Equal(t, "over_quota", state(storetest.Shop), "all events are refused, not some")
	require.Equal(t, "degraded", state(0))
	storetest.ChangeRows(t, pair[0], `UPDATE projects SET daily_quota = NULL WHERE id = $1`, storetest.Shop)
	c.Forward(time.Millisecond)
	require.Equal(t, "ok", state(storetest.Shop))
}

func TestMarkAlive(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	const alive = `SELECT alive_at FROM project_seen WHERE project_id = $1`
	require.NoError(t, pair[0].MarkAlive(t.Context(), map[int64]core.Time{storetest.Shop: c.At(0), storetest.Shop + 1: c.At(time.Second)}))
	require.Equal(t, c.At(0), storetest.ReadCell[core.Time](t, pair[0], alive, storetest.Shop))
	require.Equal(t, c.At(time.Second), storetest.ReadCell[core.Time](t, pair[0], alive, storetest.Shop+1))
	require.NoError(t, pair[1].MarkAlive(t.Context(),
		map[int64]core.Time{storetest.Shop: c.At(-time.Minute), storetest.Shop + 1: c.At(time.Minute)}))
	require.Equal(t, c.At(0), storetest.ReadCell[core.Time](t, pair[0], alive, storetest.Shop), "it never goes back")
	require.Equal(t, c.At(time.Minute), storetest.ReadCell[core.Time](t, pair[0], alive, storetest.Shop+1))

	storetest.AddEvents(t, pair[0], storetest.MakeShopEvent("pay", 1, c.At(time.Hour)))
	require.Equal(t, c.At(0), storetest.ReadCell[core.Time](t, pair[0], alive, storetest.Shop), "adding events does not touch it")
	require.NoError(t, pair[0].MarkAlive(t.Context(), nil))
	stored, err := pair[0].ReadProject(t.Context(), storetest.Shop)
	require.NoError(t, err)
	require.Equal(t, c.At(time.Hour), stored.ServerSeenAt, "a sign of life says nothing about trust")
	require.Zero(t, stored.ClientSeenAt)
	require.EqualValues(t, 1, stored.EventsToday)
}

// TestMarksOfServersMeetEvents lets two servers mark the same projects while they add events to them: both write the same
// rows, and there must be no deadlock.
func TestMarksOfServersMeetEvents(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	const projects, rounds = 20, 15
	signs := map[int64]core.Time{}
	for n := range projects {
		signs[storetest.Shop+int64(n)] = c.At(0)
	}
	storetest.RequireNoErrors(t, storetest.RunTogether(4, func(i int) error {
		for n := range rounds {
			if i < 2 {
				if err := pair[i].MarkAlive(t.Context(), signs); err != nil {
					return err
				}
				continue
			}
			var events []intake.NewEvent
			for project := range signs {
				events = append(events, storetest.MakeEvent(project, "pay", i*rounds+n, c.At(0)))
			}
			if _, err := pair[i-2].Intake.AddEvents(t.Context(), events); err != nil {
				return err
			}
		}
		return nil
	}))
	require.EqualValues(t, projects, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM project_seen
		WHERE alive_at IS NOT NULL AND last_event_at IS NOT NULL`))
}
