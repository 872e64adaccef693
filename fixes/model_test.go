package fixes_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/fixes"
	"errand/fixes/fixestest"
)

func TestReturnsAreAsInTheModel(t *testing.T) {
	t.Parallel()
	commits := make([]string, 5)
	for i := range commits {
		commits[i] = strings.Repeat(string(rune('1'+i)), 40)
	}
	names := append([]string{"1.0", "1.1", "2.0"}, commits...)
	environments := []string{"production", "staging"}
	rapid.Check(t, func(r *rapid.T) {
		deploys := make([]fixes.Deploy, rapid.IntRange(1, 8).Draw(r, "deploys"))
		for i := range deploys {
			deploys[i] = fixes.Deploy{
				Release:     rapid.SampledFrom(names).Draw(r, "release"),
				Environment: rapid.SampledFrom(environments).Draw(r, "environment"),
				Commit:      rapid.SampledFrom(commits).Draw(r, "commit"),
			}
		}
		deploys = deploysInOrder(deploys...)
		fix := rapid.SampledFrom(deploys).Draw(r, "fix").Commit[:7]
		event := fixes.Event{
			At:          noon.Add(time.Duration(rapid.IntRange(-600, 600).Draw(r, "minutes")) * time.Minute),
			Release:     rapid.SampledFrom(append(names, "", commits[0][:7], commits[1][:12])).Draw(r, "release of event"),
			Environment: rapid.SampledFrom(append(environments, "")).Draw(r, "environment of event"),
		}
		place := fixestest.FindFirstDeploy(fix, deploys)

		require.True(r, deploys[place].Contains(fixes.Link{Commit: fix}))
		require.Equal(r, fixestest.IsReturn(event, place, deploys), fixes.IsReturn(event, deploys[place], deploys))
	})
}
