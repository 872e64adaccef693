package intake_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// TestLoweredSettingTrimsWhatIsThere lowers STORED_EVENTS_PER_ISSUE below the events of issues that get no more events.
func TestLoweredSettingTrimsWhatIsThere(t *testing.T) {
	t.Parallel()
	url, c := storetest.NewURL(t), storetest.NewClock()
	s := storetest.OpenWith(t, store.Options{URL: url, Clock: c.Tell, Settings: map[string]string{"STORED_EVENTS_PER_ISSUE": "10000"}})
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	issues := map[string]int64{}
	for group, events := range map[string]int{"large": 5700, "other": 300, "small": intake.MinKeep - 1} {
		for n := 0; n < events; n += 100 {
			var batch []intake.NewEvent
			for i := n; i < min(n+100, events); i++ {
				batch = append(batch, storetest.MakeShopEvent(group, i, c.At(time.Duration(i)*time.Second)))
			}
			issues[group] = storetest.AddEvents(t, s, batch...).IssueID
			c.Forward(time.Second)
		}
	}
	before := storetest.ListStoredIDs(t, s, issues["large"])

	lowered := storetest.OpenWith(t, store.Options{URL: url, Clock: c.Tell, Settings: storetest.KeepFew}) // it remembers no issue
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, lowered.Intake.TrimOverfull(ended))
	require.NoError(t, lowered.Intake.TrimOverfull(t.Context()))

	for group, kept := range map[string]int{"large": intake.MinKeep, "other": intake.MinKeep, "small": intake.MinKeep - 1} {
		stored := storetest.ListStoredIDs(t, s, issues[group])
		require.Len(t, stored, kept, group)
		require.EqualValues(t, kept, storetest.ReadIssue(t, s, issues[group]).StoredEvents, group)
	}
	after := storetest.ListStoredIDs(t, s, issues["large"])
	require.Equal(t, before[0], after[0], "the newest stays")
	require.Equal(t, before[len(before)-100:], after[len(after)-100:], "the first hundred stay")
	require.NoError(t, lowered.Intake.TrimOverfull(t.Context()), "a second run finds nothing")
}
