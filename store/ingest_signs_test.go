package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
)

func TestIngestIsDegradedAfterARefusal(t *testing.T) {
	t.Parallel()
	pair, c := openPair(t)
	state := func(project int64) string {
		got, err := pair[1].IngestState(t.Context(), project)
		require.NoError(t, err)
		return got.State
	}
	require.NoError(t, pair[0].NoteRefusal(t.Context(), c.at(0)))
	require.Equal(t, "degraded", state(0))
	require.Equal(t, "degraded", state(shop), "rather than idle: events may have been refused")
	add(t, pair[0], event(shop, "pay", 1, c.at(0)))
	require.Equal(t, "degraded", state(shop))
	require.NoError(t, pair[1].NoteRefusal(t.Context(), c.at(-time.Minute)), "of a server that was late to write it")
	c.forward(5*time.Minute - time.Millisecond)
	require.Equal(t, "degraded", state(shop))
	change(t, pair[0], `UPDATE projects SET daily_quota = 1 WHERE id = $1`, shop)
	require.Equal(t, "over_quota", state(shop), "it keeps all events away, not some")
	require.Equal(t, "degraded", state(0))
	change(t, pair[0], `UPDATE projects SET daily_quota = NULL WHERE id = $1`, shop)
	c.forward(time.Millisecond)
	require.Equal(t, "ok", state(shop))
}

func TestMarkAlive(t *testing.T) {
	t.Parallel()
	pair, c := openPair(t)
	const alive = `SELECT alive_at FROM project_seen WHERE project_id = $1`
	require.NoError(t, pair[0].MarkAlive(t.Context(), map[int64]core.Time{shop: c.at(0), shop + 1: c.at(time.Second)}))
	require.Equal(t, c.at(0), cell[core.Time](t, pair[0], alive, shop))
	require.Equal(t, c.at(time.Second), cell[core.Time](t, pair[0], alive, shop+1))
	require.NoError(t, pair[1].MarkAlive(t.Context(), map[int64]core.Time{shop: c.at(-time.Minute), shop + 1: c.at(time.Minute)}))
	require.Equal(t, c.at(0), cell[core.Time](t, pair[0], alive, shop), "it never goes back")
	require.Equal(t, c.at(time.Minute), cell[core.Time](t, pair[0], alive, shop+1))

	add(t, pair[0], event(shop, "pay", 1, c.at(time.Hour)))
	require.Equal(t, c.at(0), cell[core.Time](t, pair[0], alive, shop), "adding events is apart from it")
	require.NoError(t, pair[0].MarkAlive(t.Context(), nil))
	stored, err := pair[0].Project(t.Context(), shop)
	require.NoError(t, err)
	require.Equal(t, c.at(time.Hour), stored.ServerSeenAt, "a sign of life says nothing of trust")
	require.Zero(t, stored.ClientSeenAt)
	require.EqualValues(t, 1, stored.EventsToday)
}

// TestMarksOfServersMeetEvents has two servers mark the same projects while they add events to them: both write the
// same rows, and neither waits for the other in a circle.
func TestMarksOfServersMeetEvents(t *testing.T) {
	t.Parallel()
	pair, c := openPair(t)
	const projects, rounds = 20, 15
	signs := map[int64]core.Time{}
	for n := range projects {
		signs[shop+int64(n)] = c.at(0)
	}
	noErrors(t, together(4, func(i int) error {
		for n := range rounds {
			if i < 2 {
				if err := pair[i].MarkAlive(t.Context(), signs); err != nil {
					return err
				}
				continue
			}
			var events []store.NewEvent
			for project := range signs {
				events = append(events, event(project, "pay", i*rounds+n, c.at(0)))
			}
			if _, err := pair[i-2].AddEvents(t.Context(), events); err != nil {
				return err
			}
		}
		return nil
	}))
	require.EqualValues(t, projects, cell[int64](t, pair[0], `SELECT count(*) FROM project_seen WHERE alive_at IS NOT NULL AND last_event_at IS NOT NULL`))
}
