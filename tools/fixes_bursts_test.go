package tools_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// TestBurstsDecideHowLongAFixIsWatched checks that all events in the same five minutes count once, even hundreds of them.
func TestBurstsDecideHowLongAFixIsWatched(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bursts, events int // in each burst
		apart          time.Duration
		want           time.Duration
	}{
		"one burst of 4":      {1, 4, 0, 7 * day},
		"one burst of many":   {1, 300, 0, 7 * day},
		"3 bursts":            {3, 50, day, 7 * day},
		"6 bursts":            {6, 7, day, 84 * time.Hour},
		"21 events by day":    {21, 1, 8 * time.Hour, day},
		"within an hour":      {6, 3, 10 * time.Minute, 84 * time.Hour},
		"every five minutes":  {504, 1, 5 * time.Minute, time.Hour},
		"all hours of a week": {167, 2, time.Hour, 7 * day * 3 / 167},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openShop(t)
			var issue int64
			for burst := range test.bursts {
				for range test.events {
					issue = h.addEvent("boom", beforeArrival(time.Duration(burst)*test.apart))
				}
			}
			h.passTime(time.Minute)
			h.linkFix(issue)
			h.createDeploy(fixCommit, "1.1")

			require.Equal(t, core.At(h.now.Add(test.want)).Format(core.TimeLayout), h.showIssue(issue)["fix"].(object)["verify_after"])
		})
	}
}

// TestBurstsOfMergedAndSplitIssues checks that bursts still count once after a merge or a split. Both issues have 4
// events in the same three periods of five minutes.
func TestBurstsOfMergedAndSplitIssues(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issues := map[string]int64{}
	for _, group := range []string{"boom", "bang"} {
		for _, minutes := range []time.Duration{0, 9, 10, 20} {
			issues[group] = h.addEvent(group, beforeArrival(minutes*time.Minute))
		}
	}
	h.callData(writer, core.MergeIssues.Operation, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, issues["boom"], issues["bang"]))
	split := h.callData(writer, core.SplitIssue.Operation, fmt.Sprintf(`{"id": %d, "event_ids": [1, 2, 3, 4]}`, issues["boom"]))
	h.passTime(time.Hour)
	h.linkFix(issues["boom"])
	h.linkFix(int64(split["id"].(float64)))
	h.createDeploy(fixCommit, "1.1")

	for _, issue := range []int64{issues["boom"], int64(split["id"].(float64))} {
		require.Equal(t, core.At(h.now.Add(7*day)).Format(core.TimeLayout), h.showIssue(issue)["fix"].(object)["verify_after"])
	}
}
