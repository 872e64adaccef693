package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
	"errand/fixes"
	"errand/fixes/fixestest"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// TestFixesLikeAModel plays deploys, links, events, decisions and verifications in any order on one issue, and compares the
// result with a model.
func TestFixesLikeAModel(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	p := &fixPlay{T: t, clock: c, store: storetest.Open(t, storetest.NewURL(t), c.Tell), project: storetest.Shop}
	rapid.Check(t, func(r *rapid.T) {
		c.Now = storetest.Noon
		p.project++
		p.model = fixModel{status: core.Unresolved, first: -1}
		storetest.MakeProject(t, p.store, p.project, "Play")
		p.addEvents(r)
		p.linkFix(r)
		steps := []func(*rapid.T){
			p.deploy, p.deploy, p.deploy, p.addEvents, p.addEvents, p.addEvents, p.addEvents, p.verify, p.verify, p.verify, p.linkFix, p.setStatus,
		}
		for range rapid.IntRange(5, 20).Draw(r, "steps") {
			c.Forward(time.Duration(rapid.SampledFrom([]int{1, 5, 60, 3000, 9000}).Draw(r, "minutes")) * time.Minute)
			rapid.SampledFrom(steps).Draw(r, "step")(r)
			p.requireSame(r)
		}
	})
}

// fixPlay is an issue of a project with its model.
type fixPlay struct {
	*testing.T
	store   *store.Store
	clock   *storetest.Clock
	project int64
	issue   int64
	events  int
	model   fixModel
}

// fixModel predicts the state of the issue.
type fixModel struct {
	status   core.Status
	statusAt time.Time
	deploys  []fixes.Deploy
	events   []fixes.Event
	heard    time.Time // last sign of life of the project

	link    string // the commit of the fix; empty: none, or closed
	first   int    // the deploy that brought it; -1: none
	window  time.Duration
	outcome string
}

var (
	playCommits      = []string{strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("c", 40)}
	playReleases     = []string{"1.0", "1.1", "1.2", playCommits[0]}
	playEnvironments = []string{"production", "staging"}
)

func (p *fixPlay) addEvents(r *rapid.T) {
	batch := make([]intake.NewEvent, rapid.IntRange(1, 4).Draw(r, "events"))
	for i := range batch {
		p.events++
		e := storetest.MakeEvent(p.project, "boom", p.events, p.clock.At(0))
		e.OccurredAt = p.clock.At(-time.Duration(rapid.SampledFrom([]int{0, 0, 0, 3, 70, 700}).Draw(r, "late")) * time.Minute)
		e.Release = rapid.SampledFrom(append(playReleases, "", playCommits[1][:8], playCommits[2], "unknown")).Draw(r, "release")
		e.Environment = rapid.SampledFrom(append(playEnvironments, "")).Draw(r, "environment")
		batch[i] = e
		p.model.addEvent(fixes.Event{At: e.OccurredAt.Time, Release: e.Release, Environment: e.Environment}, p.clock.Now)
	}
	added, err := p.store.Intake.AddEvents(r.Context(), batch)
	require.NoError(r, err)
	p.issue = added[0].IssueID
}

func (m *fixModel) addEvent(e fixes.Event, now time.Time) {
	m.events, m.heard = append(m.events, e), now
	switch {
	case m.status == core.Resolved && e.At.After(m.statusAt):
		m.set(core.Unresolved, now)
	case m.link != "" && m.first >= 0 && m.outcome != "regressed" && fixestest.IsReturn(e, m.first, m.deploys):
		m.outcome = "regressed"
		m.set(core.Regressed, now)
	}
}

func (m *fixModel) set(status core.Status, now time.Time) { m.status, m.statusAt = status, now }

func (p *fixPlay) deploy(r *rapid.T) {
	d := store.NewDeploy{
		ProjectID: p.project, Source: core.DeployedByAPI,
		Release: rapid.SampledFrom(playReleases).Draw(r, "release"), Commit: rapid.SampledFrom(playCommits).Draw(r, "commit"),
		Environment: rapid.SampledFrom(playEnvironments).Draw(r, "environment"),
	}
	if rapid.Bool().Draw(r, "with commits") {
		d.Commits = []string{rapid.SampledFrom(playCommits).Draw(r, "another commit")}
	}
	reported, err := p.store.CreateDeploy(r.Context(), storetest.MakeActor(1), d)
	require.NoError(r, err)
	p.model.deploys = append(p.model.deploys, fixes.Deploy{
		Number: int64(len(p.model.deploys) + 1), At: p.clock.Now,
		Release: d.Release, Environment: d.Environment, Commit: d.Commit, Commits: d.Commits,
	})
	p.model.findDeploy()
	contains := p.model.link != "" && fixestest.FindFirstDeploy(p.model.link, p.model.deploys[len(p.model.deploys)-1:]) >= 0
	require.Equal(r, contains, len(reported.FixesDeployed) == 1)
}

// findDeploy begins the watch over a fix if a deploy brought it.
func (m *fixModel) findDeploy() {
	if m.link == "" || m.first >= 0 {
		return
	}
	if m.first = fixestest.FindFirstDeploy(m.link, m.deploys); m.first < 0 {
		return
	}
	at, fives := m.deploys[m.first].At, map[time.Time]bool{}
	for _, e := range m.events {
		hour := e.At.Truncate(time.Hour)
		if !hour.Before(at.Add(-7*24*time.Hour)) && hour.Before(at) {
			fives[e.At.Truncate(5*time.Minute)] = true
		}
	}
	before := len(fives)
	m.window = 7 * 24 * time.Hour
	if before > 3 {
		m.window = max(time.Hour, 3*7*24*time.Hour/time.Duration(before))
	}
}

func (p *fixPlay) linkFix(r *rapid.T) {
	commit := rapid.SampledFrom(playCommits).Draw(r, "commit")[:rapid.SampledFrom([]int{7, 12, 40}).Draw(r, "length")]
	_, err := p.store.LinkFix(r.Context(), storetest.MakeActor(1), p.issue, store.NewFix{Kind: core.FixByCommit, Ref: commit})
	require.NoError(r, err)
	p.model.link, p.model.first, p.model.outcome = commit, -1, ""
	p.model.set(core.FixPending, p.clock.Now)
	p.model.findDeploy()
}

func (p *fixPlay) setStatus(r *rapid.T) {
	status := rapid.SampledFrom([]core.Status{core.Resolved, core.Ignored, core.Unresolved}).Draw(r, "status")
	_, err := p.store.SetIssueStatus(r.Context(), storetest.MakeActor(1), p.issue, status)
	require.NoError(r, err)
	if status != p.model.status {
		p.model.link = ""
		p.model.set(status, p.clock.Now)
	}
}

func (p *fixPlay) verify(r *rapid.T) {
	if rapid.Bool().Draw(r, "alive") {
		require.NoError(r, p.store.MarkAlive(r.Context(), map[int64]core.Time{p.project: p.clock.At(0)}))
		p.model.heard = p.clock.Now
	}
	require.NoError(r, p.store.VerifyFixes(r.Context()))
	p.model.verify(p.clock.Now)
}

func (m *fixModel) verify(now time.Time) {
	if m.link == "" || m.first < 0 || m.outcome != "" {
		return
	}
	deployed := m.deploys[m.first].At
	isLong := now.Sub(deployed) >= 7*24*time.Hour
	if now.Sub(deployed) < m.window || !isLong && !m.heard.After(deployed) {
		return
	}
	for _, e := range m.events {
		if fixestest.IsReturn(e, m.first, m.deploys) {
			m.outcome = "regressed"
			m.set(core.Regressed, now)
			return
		}
	}
	m.outcome = "verified"
	m.set(core.Verified, now)
}

func (p *fixPlay) requireSame(r *rapid.T) {
	shown, err := p.store.ReadIssue(r.Context(), p.issue)
	require.NoError(r, err)
	require.Equal(r, p.model.status, shown.Status)
	require.EqualValues(r, len(p.model.events), shown.TimesSeen)
	if p.model.link == "" { // none, or closed
		return
	}
	require.Equal(r, p.model.outcome, string(shown.Fix.Outcome))
	require.Equal(r, p.model.first >= 0, !shown.Fix.DeployedAt.IsZero())
	if p.model.first >= 0 {
		first := p.model.deploys[p.model.first]
		require.Equal(r, core.At(first.At), shown.Fix.DeployedAt)
		require.Equal(r, core.At(first.At.Add(p.model.window)), shown.Fix.VerifyAfter)
		require.Equal(r, first.Release, string(shown.Fix.Release))
	}
}
