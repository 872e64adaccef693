package fixes_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/fixes"
)

// namesOfDeploy are all names by which an event can say that it is of the deploy's release: slow, but obvious.
func namesOfDeploy(d fixes.Deploy, deploys []fixes.Deploy) map[string]bool {
	names := map[string]bool{d.Release: true}
	for length := 7; length <= len(d.Commit); length++ {
		names[d.Commit[:length]] = true
	}
	for _, other := range deploys {
		if other.Commit == d.Commit {
			names[other.Release] = true
		}
	}
	return names
}

// modelReturn is the text of decisions 6 as it stands.
func modelReturn(e fixes.Event, link string, deploys []fixes.Deploy) bool {
	var first *fixes.Deploy
	position, firstPosition := map[string]int{}, 0
	for i := range deploys {
		if first == nil && deploys[i].Commit == link {
			first, firstPosition = &deploys[i], i
		}
	}
	for i := len(deploys) - 1; i >= 0; i-- {
		if deploys[i].Environment == first.Environment {
			for name := range namesOfDeploy(deploys[i], deploys) {
				position[name] = i // in the end that of the first deploy
			}
		}
	}
	if !e.At.After(first.At) {
		return false
	}
	if e.Release == "" {
		return e.At.Sub(first.At) >= 10*time.Minute && (e.Environment == "" || e.Environment == first.Environment)
	}
	at, deployedThere := position[e.Release]
	return namesOfDeploy(*first, deploys)[e.Release] || deployedThere && at > firstPosition
}

func TestReturnsAreAsInTheModel(t *testing.T) {
	t.Parallel()
	commits := make([]string, 5)
	for i := range commits {
		commits[i] = fmt.Sprintf("%040x", uint64(i+1)<<60)[24:] + fmt.Sprintf("%024x", i)
	}
	names := append([]string{"1.0", "1.1", "2.0"}, commits...)
	rapid.Check(t, func(r *rapid.T) {
		environments := []string{"production", "staging"}
		deploys := make([]fixes.Deploy, rapid.IntRange(1, 8).Draw(r, "deploys"))
		for i := range deploys {
			deploys[i] = fixes.Deploy{
				Release:     rapid.SampledFrom(names).Draw(r, "release"),
				Environment: rapid.SampledFrom(environments).Draw(r, "environment"),
				Commit:      rapid.SampledFrom(commits).Draw(r, "commit"),
			}
		}
		deploys = deploysInOrder(deploys...)
		fix := rapid.SampledFrom(deploys).Draw(r, "fix").Commit
		first := deploys[0]
		for i := range deploys {
			if deploys[i].Contains(fixes.Link{Commit: fix[:7]}) {
				first = deploys[i]
				break
			}
		}
		event := fixes.Event{
			At:          noon.Add(time.Duration(rapid.IntRange(-600, 600).Draw(r, "minutes")) * time.Minute),
			Release:     rapid.SampledFrom(append(names, "", commits[0][:7], commits[1][:12])).Draw(r, "release of event"),
			Environment: rapid.SampledFrom(append(environments, "")).Draw(r, "environment of event"),
		}

		returned := fixes.IsReturn(event, first, deploys)

		require.Equal(r, modelReturn(event, fix, deploys), returned)
	})
}
