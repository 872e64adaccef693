package ingest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
	"errand/fixes"
	"errand/fixes/fixestest"
	"errand/store"
	"errand/store/storetest"
)

// TestNoFixIsVerifiedWhileItsErrorGoesOn plays deploys, events over HTTP and changes of the project's patterns with hostile names
// of releases and environments. It compares the state of a fix with a model that knows no scrubbing: two names are the same when
// they are equal after cleaning.
func TestNoFixIsVerifiedWhileItsErrorGoesOn(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	now.Store(storetest.Noon.UnixNano())
	clock := func() time.Time { return time.Unix(0, now.Load()).UTC() }
	s := startServerWith(t, config{clock: clock})
	project := int64(shop)
	rapid.Check(t, func(r *rapid.T) {
		project++
		p := &namesPlay{T: r, server: s, project: project, key: fmt.Sprintf("%032x", project), clock: clock}
		s.makeProject(project, p.key)
		p.names = append(rapid.SliceOfN(rapid.Custom(drawName), 2, 4).Draw(r, "names"), playedCommits...)
		p.names = append(p.names, playedCommits[0][:9], playedCommits[1][:7], "")
		p.environments = []string{"production", " production ", "prod 123456", "prod\t123456\u200b", "staging=4111111111111111"}
		p.sendEvent("boom")
		fix := store.NewFix{Kind: core.FixByCommit, Ref: playedCommits[0]}
		_, err := s.db.LinkFix(t.Context(), storetest.MakeActor(1), p.issue, fix)
		require.NoError(r, err)
		for range rapid.IntRange(3, 12).Draw(r, "steps") {
			now.Add(int64(time.Duration(rapid.SampledFrom([]int{1, 4, 30}).Draw(r, "minutes")) * time.Minute))
			rapid.SampledFrom([]func(){p.deploy, p.deploy, p.setPatterns, p.sendError, p.sendError, p.sendError}).Draw(r, "step")()
			p.requireStatus()
		}
		now.Add(int64(8 * 24 * time.Hour))
		require.NoError(r, s.db.VerifyFixes(t.Context()))
		p.verify()
		p.requireStatus()
	})
}

// namesPlay is an issue with a fix, and the facts known about it.
type namesPlay struct {
	*rapid.T
	server              *server
	project, issue      int64
	key                 string
	clock               core.Clock
	names, environments []string

	deploys []fixes.Deploy // with their names cleaned
	events  []fixes.Event
	first   int // the index of the deploy that brought the fix; -1: none did
	status  core.Status
}

var playedCommits = []string{"123456789abcdef0123456789abcdef012345678", "bcdef123456789abcdef123456789abcdef12345"}

// drawName makes a name from parts that are cleaned off, masked by default, masked by patterns, or left alone.
func drawName(r *rapid.T) string {
	parts := []string{" ", "\t", "\u00a0", "\u200b", "\u202e", "\ufeff", "\n", "\r\n", "2026", "123456", "654321", "378282246310005", "app@",
		"1.0", "api_key_x=", "token: ", "é", "\\", "'", "+", "-", strings.Repeat("y", 90)}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 6).Draw(r, "parts"), "")
}

// modelName cleans a name by the rules of decisions 3, slowly.
func modelName(text string, most int) string {
	var kept []rune
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		if r == '\n' || r == '\t' || !unicode.In(r, unicode.Cc, unicode.Cf) {
			kept = append(kept, r)
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(kept)), "\n")
	line = strings.ReplaceAll(strings.TrimSpace(line), "\t", " ")
	return strings.TrimSpace(string([]rune(line)[:min(most, len([]rune(line)))]))
}

func (p *namesPlay) setPatterns() {
	patterns := rapid.SampledFrom([][]string{{}, {`\d{6,}`}, {`2026`}, {`[a-z]+@`, `1\.0`}, {`.*\d.*`}}).Draw(p.T, "patterns")
	p.server.execSQL(`UPDATE projects SET scrub_patterns = $1 WHERE id = $2`, patterns, p.project)
}

func (p *namesPlay) deploy() {
	release := rapid.SampledFrom(p.names).Draw(p.T, "release")
	d := store.NewDeploy{
		ProjectID: p.project, Source: core.DeployedByAPI, Release: release,
		Environment: rapid.SampledFrom(p.environments).Draw(p.T, "environment"), Commit: rapid.SampledFrom(playedCommits).Draw(p.T, "commit"),
	}
	reported, err := p.server.db.CreateDeploy(p.Context(), storetest.MakeActor(1), d)
	if modelName(release, 200) == "" {
		require.True(p, core.HasCode(err, core.InvalidRequest))
		return
	}
	require.NoError(p, err)
	p.deploys = append(p.deploys, fixes.Deploy{
		Number: int64(len(p.deploys) + 1), At: reported.DeployedAt.Time, Commit: d.Commit,
		Release: modelName(release, 200), Environment: modelName(d.Environment, 64),
	})
}

func (p *namesPlay) sendError() {
	p.sendEvent(rapid.SampledFrom(p.names).Draw(p.T, "release of event"))
}

func (p *namesPlay) sendEvent(release string) {
	environment := rapid.SampledFrom(append(slices.Clone(p.environments), "")).Draw(p.T, "environment of event")
	body, _ := json.Marshal(object{"message": "boom", "release": release, "environment": environment}) // texts have JSON
	got := p.server.postBody(native, body, "X-Service-Key: "+p.key)
	require.Equal(p, http.StatusOK, got.status, got.text)
	var receipt core.Data[struct {
		IssueID int64 `json:"issue_id"`
	}]
	require.NoError(p, json.Unmarshal([]byte(got.text), &receipt))
	p.issue = receipt.Data.IssueID
	e := fixes.Event{At: core.At(p.clock()).Time, Release: modelName(release, 200), Environment: modelName(environment, 64)}
	p.events = append(p.events, e)
	if p.status == "" { // before the fix
		p.status = core.FixPending
		return
	}
	p.judge(e)
}

// judge marks the fix as regressed when the event shows that it does not hold.
func (p *namesPlay) judge(e fixes.Event) {
	if p.first = fixestest.FindFirstDeploy(playedCommits[0], p.deploys); p.first >= 0 && fixestest.IsReturn(e, p.first, p.deploys) {
		p.status = core.Regressed
	}
}

// verify judges all events against all deploys.
func (p *namesPlay) verify() {
	if p.first = fixestest.FindFirstDeploy(playedCommits[0], p.deploys); p.first < 0 || p.status == core.Regressed {
		return
	}
	p.status = core.Verified
	for _, e := range p.events {
		p.judge(e)
	}
}

func (p *namesPlay) requireStatus() {
	shown, err := p.server.db.ReadIssue(p.Context(), p.issue)
	require.NoError(p, err)
	require.Equal(p, p.status, shown.Status)
	text, err := json.Marshal(shown)
	require.NoError(p, err)
	require.NotContains(p, string(text), `\u001f`, "how a name is stored is shown to nobody")
}
