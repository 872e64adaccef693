package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"errand/core"
	"errand/similar"
)

// copyFeatures loads the features of similar issues.
func (d *dataset) copyFeatures(ctx context.Context, db *pgx.Conn) error {
	columns := []string{"project_id", "issue_id", "features"}
	return copyThenIndex(ctx, db, "issue_features", "issue_features_features", columns,
		d.rowsOfIssues(func(n int, issue *generatedIssue) [][]any {
			return [][]any{{issue.project, int64(n + 1), similar.FeaturesOfEvent(d.firstEvent(n))}}
		}))
}

// issuesPerCause is about how many issues share a cause: an error that reaches an app in different ways.
const issuesPerCause = 5

// firstEvent returns the parts of an issue's first event that its features need. The innermost functions belong to its cause,
// then come helpers, some of them everywhere, and the functions that all requests pass through.
func (d *dataset) firstEvent(n int) *core.Event {
	issue := &d.issues[n]
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	cause := rand.New(rand.NewPCG(seed+1, random.Uint64N(uint64(len(d.issues)/issuesPerCause+1))))
	helpers, handlers := rand.NewZipf(random, 1.1, 2, 5_000), rand.NewZipf(random, 1.2, 1, 200)
	x := core.Exception{Type: core.Untrusted(kinds[cause.IntN(len(kinds))])}
	frames := func(count int, module string, number func() uint64) {
		for range count {
			x.Frames = append(x.Frames, core.Frame{Module: core.Untrusted(module), Function: core.Untrusted(spellNumber(number())), InApp: true})
		}
	}
	frames(3, "shop."+spellNumber(cause.Uint64N(500)), func() uint64 { return cause.Uint64N(30_000) })
	frames(1+random.IntN(5), "shop.lib", helpers.Uint64)
	frames(3, "shop.web", handlers.Uint64)
	return &core.Event{Title: core.Untrusted(issue.title), Culprit: core.Untrusted(issue.culprit), Exceptions: core.List[core.Exception]{x}}
}

// spellNumber turns a number into a name, because digits would not count.
func spellNumber(n uint64) string {
	b := []byte("do")
	for ; n > 0; n /= 20 {
		b = append(b, "bcdfghjklmnpqrstvwxz"[n%20])
	}
	return string(b)
}

// similarQuery is a call of POST /v1/similar.
type similarQuery struct {
	name string
	body func() string
}

// similarQueries ask each time for another issue, and for the title of another one: some have far more in common with others than
// most.
func (c *client) similarQueries() []similarQuery {
	random := rand.New(rand.NewPCG(seed, 0))
	anyIssue := func() int { return random.IntN(len(c.data.issues)) }
	ours := func() int {
		n := anyIssue()
		for c.data.issues[n].project != c.data.projects[0] {
			n = anyIssue()
		}
		return n
	}
	id := func(n int) string { return fmt.Sprintf(`"issue_id":%d`, n+1) }
	text := func(n int) string { return fmt.Sprintf(`"text":%q`, c.data.issues[n].title) }
	one := func(of func(int) string) func() string {
		return func() string { return fmt.Sprintf(`{%s,"project":%d}`, of(ours()), c.data.projects[0]) }
	}
	all := func(of func(int) string) func() string { return func() string { return "{" + of(anyIssue()) + "}" } }
	return []similarQuery{
		{"similar to an issue, one project", one(id)}, {"similar to an issue, all projects", all(id)},
		{"similar to a text, one project", one(text)}, {"similar to a text, all projects", all(text)},
	}
}
