package fixes_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/fixes"
)

func TestIsOverdue(t *testing.T) {
	t.Parallel()
	const almostADay = 24*time.Hour - time.Millisecond
	for name, test := range map[string]struct {
		deploys, events int64
		waited          time.Duration
		want            bool
	}{
		"no deploy":               {0, 0, 100 * 24 * time.Hour, false},
		"no event":                {100, 0, 100 * 24 * time.Hour, false},
		"one deploy":              {1, 1, almostADay, false},
		"two deploys":             {2, 1000, almostADay, false},
		"three deploys":           {3, 1, 0, true},
		"one deploy, after a day": {1, 1, 24 * time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			waiting := fixes.Waiting{LinkedAt: noon, Deploys: test.deploys, Events: test.events}

			require.Equal(t, test.want, waiting.IsOverdue(noon.Add(test.waited)))
		})
	}
}

func TestIsNewRelease(t *testing.T) {
	t.Parallel()
	const commit = "aaaaaaa1111111111111111111111111111111aa"
	deploys := []fixes.Deploy{
		{Number: 1, Release: "1.0", Commit: "bbbbbbb"},
		{Number: 3, Release: "1.1", Commit: commit},
		{Number: 4, Release: "1.0", Commit: "ccccccc"},
	}
	require.True(t, fixes.IsNewRelease("1.1", 2, deploys))
	require.True(t, fixes.IsNewRelease(commit[:7], 2, deploys))
	require.False(t, fixes.IsNewRelease("1.1", 3, deploys))
	require.False(t, fixes.IsNewRelease("1.0", 2, deploys), "an old release that is deployed again")
	require.False(t, fixes.IsNewRelease("2.0", 2, deploys), "never deployed")
}
