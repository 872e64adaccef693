package sentryapi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// When two jobs upload the same bundle, a job that asks within a minute after it was assembled learns that it is done.
func TestDoneBundlesAreKnownForAMinute(t *testing.T) {
	t.Parallel()
	a, noon := newAssemblies(), time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

	a.noteDone("first", noon)

	require.True(t, a.isDone("first", noon.Add(time.Minute)))
	require.False(t, a.isDone("second", noon))
	require.False(t, a.isDone("first", noon.Add(time.Minute+time.Second)))
	a.noteDone("second", noon.Add(2*time.Minute))
	require.Len(t, a.done, 1, "what is old is forgotten")
}
