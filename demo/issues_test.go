package demo

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestExamples(t *testing.T) {
	t.Parallel()
	list, err := readExamples()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(list), 8)
	titles, outcomes := map[string]bool{}, map[outcome]bool{}
	for _, e := range list {
		require.NotEmpty(t, e.Title, e.name)
		require.False(t, titles[e.Title], e.Title)
		titles[e.Title], outcomes[e.Outcome] = true, true
		require.Contains(t, []outcome{outcomeOpen, outcomeClaimed, outcomeResolved, outcomeReturned, outcomeIgnored, outcomeVerified,
			outcomeDeployed, outcomeRegressed}, e.Outcome, e.name)
		require.Less(t, e.Events, 1000, "all of them are stored")
	}
	require.Len(t, outcomes, 8, "every outcome has an example")
}

// TestEventsLieInTheLastDays holds that ingest accepts the times of the events: up to 30 days back.
func TestEventsLieInTheLastDays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 12, 30, 0, 0, time.UTC)
	list, err := readExamples()
	require.NoError(t, err)
	ids := map[string]bool{}
	for _, e := range list {
		events := e.makeEvents(1_000_000_001, now)
		require.Len(t, events, e.Events)
		for i, s := range events {
			require.False(t, ids[s.id], "an id stands twice")
			ids[s.id] = true
			require.True(t, s.at.Before(now) && s.at.After(now.AddDate(0, 0, -29)), s.at)
			require.False(t, i > 0 && s.at.Before(events[i-1].at))
			require.Contains(t, releases, s.body["release"])
		}
		require.Equal(t, events, e.makeEvents(1_000_000_001, now), "the same again")
		require.NotEqual(t, events[0].id, e.makeEvents(2, now)[0].id, "of another project")
		require.False(t, ids[e.makeLastEvent(1_000_000_001, now).id])
	}
}
