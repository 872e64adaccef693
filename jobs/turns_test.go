package jobs_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/jobs"
)

func TestJobsTakeTurns(t *testing.T) {
	t.Parallel()
	turns := jobs.TakeTurns(10*time.Second, time.Hour, 10*time.Second)
	now := time.Date(2026, 8, 1, 12, 0, 3, 0, time.UTC)
	at := func(hour, minute, second int) time.Time {
		return time.Date(2026, 8, 1, hour, minute, second, 0, time.UTC)
	}
	require.Equal(t, at(12, 0, 10), turns[0].Next(now))
	require.Equal(t, at(12, 0, 20), turns[0].Next(at(12, 0, 10)), "not the same moment twice")
	require.Equal(t, at(13, 0, 0), turns[1].Next(now))
	require.Equal(t, at(12, 0, 5), turns[2].Next(now), "halfway between the turns of the first")
	require.Equal(t, at(12, 0, 15), turns[2].Next(at(12, 0, 9)))
}
