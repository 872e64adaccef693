package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

func TestLinesOfAKindAreCountedWhileTheyAreLeftOut(t *testing.T) {
	t.Parallel()
	var limit core.LineLimit
	start := time.Date(2026, 1, 3, 12, 0, 0, 0, time.UTC)
	count := func(kind string, after time.Duration) (more int, due bool) {
		return limit.CountLine(kind, start.Add(after))
	}
	more, due := count("readyz", 0)
	require.True(t, due)
	require.Zero(t, more)
	for n := range 3 {
		_, due = count("readyz", time.Duration(n)*time.Second)
		require.False(t, due)
	}
	_, due = count("list_issues", time.Second)
	require.True(t, due, "another kind")
	more, due = count("readyz", core.LogSameEvery)
	require.True(t, due)
	require.Equal(t, 3, more)
	more, _ = count("readyz", 2*core.LogSameEvery)
	require.Zero(t, more)
}
