package web

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// TestAgesDoNotChangeAPart holds that a live part whose ages alone went on is the same to who polls it.
func TestAgesDoNotChangeAPart(t *testing.T) {
	t.Parallel()
	early := []byte(`<time datetime="2026-11-24T18:00:00Z" title="x" data-ago>3 min</time> ago`)
	late := []byte(`<time datetime="2026-11-24T18:00:00Z" title="x" data-ago>4 min</time> ago`)
	other := []byte(`<time datetime="2026-11-24T18:01:00Z" title="x" data-ago>3 min</time> ago`)
	require.Equal(t, makeTag(early, ""), makeTag(late, ""))
	require.NotEqual(t, makeTag(early, ""), makeTag(other, ""))
}

func TestMoments(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 24, 18, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]string{
		-time.Hour: "<1 min", 59 * time.Second: "<1 min", 3 * time.Minute: "3 min", 47 * time.Hour: "47 h", 48 * time.Hour: "2 days",
		70 * 24 * time.Hour: "2 months",
	} {
		require.Equal(t, want, moment{core.At(now.Add(-ago)), now}.Ago(), ago)
	}
	require.Equal(t, "Nov 24, 18:00", moment{core.At(now), now}.Date())
	require.Equal(t, "Nov 24 2026, 18:00", moment{core.At(now), now.AddDate(1, 0, 0)}.Date())
	require.True(t, moment{core.Time{}, now}.IsNever())
}
