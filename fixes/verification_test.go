package fixes_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/fixes"
)

var usualBounds = fixes.Bounds{Min: time.Hour, Max: 7 * 24 * time.Hour}

func TestQuietWindow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		events int64
		want   time.Duration
	}{
		"never seen":            {0, 7 * 24 * time.Hour},
		"once a week":           {1, 7 * 24 * time.Hour},
		"three times a week":    {3, 7 * 24 * time.Hour},
		"four times a week":     {4, 126 * time.Hour},
		"three times a day":     {21, 24 * time.Hour},
		"three times an hour":   {504, time.Hour},
		"all the time":          {1_000_000_000, time.Hour},
		"a count that is wrong": {-1, 7 * 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			require.Equal(t, test.want, usualBounds.QuietWindow(test.events))
		})
	}
}

func TestIsVerified(t *testing.T) {
	t.Parallel()
	watch := usualBounds.Watch(noon, 21)
	after, by := noon.Add(24*time.Hour), noon.Add(7*24*time.Hour)
	require.Equal(t, fixes.Watch{DeployedAt: noon, VerifyAfter: after, VerifyBy: by}, watch)
	for name, test := range map[string]struct {
		now, aliveAt time.Time
		want         bool
	}{
		"the window has not ended":              {after.Add(-time.Millisecond), noon.Add(time.Hour), false},
		"quiet, and the project runs":           {after, noon.Add(time.Millisecond), true},
		"no sign of life since the deploy":      {after, noon, false},
		"no sign of life ever":                  {by.Add(-time.Millisecond), time.Time{}, false},
		"no sign of life, at the last moment":   {by, time.Time{}, true},
		"a sign of life, long after the window": {by.Add(-time.Hour), by.Add(-time.Hour), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			require.Equal(t, test.want, watch.IsVerified(test.now, test.aliveAt))
		})
	}
}
