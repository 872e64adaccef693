package fixes_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/fixes"
)

var noon = time.Date(2026, 1, 3, 12, 0, 0, 0, time.UTC)

// deploysInOrder numbers deploys and sets them an hour apart, the second at noon.
func deploysInOrder(deploys ...fixes.Deploy) []fixes.Deploy {
	for i := range deploys {
		deploys[i].Number = int64(i + 1)
		deploys[i].At = noon.Add(time.Duration(i-1) * time.Hour)
	}
	return deploys
}

func TestIsReleaseWithFix(t *testing.T) {
	t.Parallel()
	// The second deploy brought the fix.
	usual := deploysInOrder(
		fixes.Deploy{Release: "2.0", Environment: "production", Commit: oldCommit},
		fixes.Deploy{Release: "1.1", Environment: "production", Commit: fixCommit},
		fixes.Deploy{Release: "1.0", Environment: "production", Commit: newCommit},
		fixes.Deploy{Release: "2.0", Environment: "production", Commit: oldCommit},
		fixes.Deploy{Release: "3.0", Environment: "staging", Commit: "ddddddd"},
		fixes.Deploy{Release: oldCommit, Environment: "production", Commit: oldCommit},
		fixes.Deploy{Release: "rollback", Environment: "production", Commit: oldCommit},
		fixes.Deploy{Release: "2.0", Environment: "staging", Commit: oldCommit},
		fixes.Deploy{Release: "again", Environment: "staging", Commit: fixCommit},
	)
	moving := deploysInOrder(
		fixes.Deploy{Release: "latest", Environment: "production", Commit: oldCommit},
		fixes.Deploy{Release: "latest", Environment: "production", Commit: fixCommit},
		fixes.Deploy{Release: "latest", Environment: "production", Commit: newCommit},
	)
	for name, test := range map[string]struct {
		deploys []fixes.Deploy
		release string
		want    bool
	}{
		"its own":                              {usual, "1.1", true},
		"its own, by commit":                   {usual, fixCommit, true},
		"its own, by abbreviated commit":       {usual, fixCommit[:8], true},
		"later, though its version is lower":   {usual, "1.0", true},
		"later, by commit":                     {usual, newCommit, true},
		"before, though its version is higher": {usual, "2.0", false},
		"before, by commit":                    {usual, oldCommit, false},
		"before, again under a new name":       {usual, "rollback", false},
		"later, elsewhere only":                {usual, "3.0", false},
		"same commit under another name":       {usual, "again", true},
		"never deployed":                       {usual, "9.9", false},
		"never deployed, a commit":             {usual, "eeeeeee", false},
		"a name that moves":                    {moving, "latest", true},
		"a name that moves: commit before":     {moving, oldCommit, false},
		"a name that moves: commit after":      {moving, newCommit[:7], true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			require.Equal(t, test.want, fixes.IsReleaseWithFix(test.release, test.deploys[1], test.deploys))
		})
	}
}

func TestIsReturn(t *testing.T) {
	t.Parallel()
	deploys := deploysInOrder(
		fixes.Deploy{Release: "1.0", Environment: "production", Commit: oldCommit},
		fixes.Deploy{Release: "1.1", Environment: "production", Commit: fixCommit},
	)
	for name, test := range map[string]struct {
		event fixes.Event
		want  bool
	}{
		"in the release":                {fixes.Event{noon.Add(time.Millisecond), "1.1", "production"}, true},
		"in the release, elsewhere":     {fixes.Event{noon.Add(time.Hour), "1.1", "staging"}, true},
		"at the moment of the deploy":   {fixes.Event{noon, "1.1", "production"}, false},
		"late: before the deploy":       {fixes.Event{noon.Add(-time.Minute), "1.1", "production"}, false},
		"old client":                    {fixes.Event{noon.Add(time.Hour), "1.0", "production"}, false},
		"unknown release":               {fixes.Event{noon.Add(time.Hour), "7.7", "production"}, false},
		"no release":                    {fixes.Event{noon.Add(10 * time.Minute), "", "production"}, true},
		"no release, no environment":    {fixes.Event{noon.Add(time.Hour), "", ""}, true},
		"no release, too early":         {fixes.Event{noon.Add(10*time.Minute - time.Millisecond), "", "production"}, false},
		"no release, other environment": {fixes.Event{noon.Add(time.Hour), "", "staging"}, false},
		"no release, before the deploy": {fixes.Event{noon.Add(-time.Hour), "", ""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			require.Equal(t, test.want, fixes.IsReturn(test.event, deploys[1], deploys))
		})
	}
}
