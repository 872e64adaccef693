package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Fields of a GitHub payload for the origin of a pull request, its author, and the merge.
const (
	fromRepository = `, "author_association": "NONE", "head": {"sha": "` + fixCommit + `", "repo": {"full_name": "acme/Shop"}},
		"base": {"repo": {"full_name": "Acme/Shop"}}`
	fromFork = `, "author_association": "NONE", "head": {"sha": "` + fixCommit + `", "repo": {"full_name": "eve/Shop"}},
		"base": {"repo": {"full_name": "Acme/Shop"}}`
	wasMerged = `, "merged": true, "merge_commit_sha": "` + headCommit + `"`
)

// changedAt is the time when the payload's pull request changed, in minutes.
func changedAt(minutes int) string {
	return fmt.Sprintf(`, "updated_at": "2026-03-14T12:%02d:00Z"`, minutes)
}

// openPR reports a change of the pull request, which names the issue of the shop.
func (s *scmShop) openPR(action, more string) string {
	s.Helper()
	return s.sendReport("pull_request", pullRequestOf(action, "Cart", fmt.Sprintf("Errand-Issue: %d", s.issue), more))
}

func (s *scmShop) requireStatus(want string) {
	s.Helper()
	require.Equal(s, want, s.showIssue()["status"])
}

// activity returns the newest row of the issue's activity.
func (s *scmShop) activity() (row struct {
	Action    string
	ActorType string `json:"actor_type"`
	ActorName string `json:"actor_name"`
	Data      map[string]any
}) {
	s.Helper()
	got := s.sendRequest(s.Context(), http.MethodGet, fmt.Sprintf("/v1/issues/%d/activity?limit=1", s.issue), "", nil)
	var page struct{ Data []json.RawMessage }
	require.NoError(s, json.Unmarshal([]byte(got.body), &page))
	require.NoError(s, json.Unmarshal(page.Data[0], &row))
	return row
}

// TestSCMPullRequestsOfStrangersLinkNothing checks pull requests from forks, which anybody may open, naming every issue.
func TestSCMPullRequestsOfStrangersLinkNothing(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	for name, author := range map[string]string{
		"a fork":                 fromFork,
		"a contributor":          strings.Replace(fromFork, "NONE", "CONTRIBUTOR", 1),
		"a first timer":          strings.Replace(fromFork, "NONE", "FIRST_TIME_CONTRIBUTOR", 1),
		"lower case":             strings.Replace(fromFork, "NONE", "owner", 1),
		"several associations":   strings.Replace(fromFork, `"NONE"`, `["OWNER"]`, 1),
		"an object":              strings.Replace(fromFork, `"NONE"`, `{"OWNER": true}`, 1),
		"a deleted fork":         `, "author_association": "NONE", "head": {"repo": null}, "base": {"repo": {"full_name": "Acme/Shop"}}`,
		"no association":         strings.Replace(fromFork, `"author_association": "NONE", `, "", 1),
		"names of no text":       `, "head": {"repo": {"full_name": 7}}, "base": {"repo": {"full_name": 7}}`,
		"empty names":            `, "head": {"repo": {"full_name": ""}}, "base": {"repo": {"full_name": ""}}`,
		"no repositories":        `, "head": {}, "base": {}`,
		"sides that are numbers": `, "head": 7, "base": 7`,
		"nothing but null":       `, "author_association": null, "head": null, "base": null`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, action := range []string{"opened", "reopened", "edited"} {
				require.Contains(t, s.openPR(action, author), `"ignored":"the pull request is of a fork`, action)
			}
			s.requireStatus("unresolved")
		})
	}
	require.Nil(t, s.showFix())

	// A merge counts, because only people who may write to the repository can merge.
	require.JSONEq(t, fmt.Sprintf(`{"ok": true, "projects": 1, "merged": %q, "linked": [%d]}`, shopPR, s.issue),
		s.openPR("closed", fromFork+wasMerged))
	s.requireStatus("fix_pending")
}

func TestSCMPullRequestsOfMembersLink(t *testing.T) {
	t.Parallel()
	for name, author := range map[string]string{
		"of the repository":       fromRepository,
		"an owner":                strings.Replace(fromFork, "NONE", "OWNER", 1),
		"a member":                strings.Replace(fromFork, "NONE", "MEMBER", 1),
		"a collaborator":          strings.Replace(fromFork, "NONE", "COLLABORATOR", 1),
		"of Gitea, no fork":       `, "head": {"repo": {"full_name": "acme/shop"}}, "base": {"repo": {"full_name": "acme/shop"}}`,
		"of a sender of ones own": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openSCMShop(t)

			require.JSONEq(t, fmt.Sprintf(`{"ok": true, "projects": 1, "linked": [%d]}`, s.issue), s.openPR("opened", author))
			require.Equal(t, shopPR, s.showFix()["pr_url"])
		})
	}
}

// TestSCMPullRequestsKeepWhatWasLinkedByACall checks that a pull request does not replace an agent's link, until that fix fails.
func TestSCMPullRequestsKeepWhatWasLinkedByACall(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	s.linkCommit(shaOf("fix"))

	answer := s.openPR("opened", fromRepository)
	require.Contains(t, answer, fmt.Sprintf(`"kept":[%d]`, s.issue))
	require.Contains(t, answer, `"ignored":"the issues that the pull request names keep the fix`)
	require.Contains(t, s.openPR("closed", fromRepository+wasMerged), fmt.Sprintf(`"kept":[%d]`, s.issue))
	message := fmt.Sprintf("Cart\n\nErrand-Issue: %d", s.issue)
	require.Contains(t, s.sendReport("push", pushOf("cart", commitOf(shaOf("on a branch"), message))), fmt.Sprintf(`"kept":[%d]`, s.issue))
	require.Equal(t, shaOf("fix"), s.showFix()["commit"])

	s.sendReport("push", pushOf("main", commitOf(shaOf("on main"), message)))
	require.Equal(t, shaOf("on main"), s.showFix()["commit"], "what is on the default branch will be deployed")
}

// TestSCMUnmergedPullRequestGivesItsIssueBack checks that the issue returns to its earlier state, even if the pull
// request was reopened, or replaced another one.
func TestSCMUnmergedPullRequestGivesItsIssueBack(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"unresolved", "resolved", "ignored"} {
		t.Run(before, func(t *testing.T) {
			t.Parallel()
			s := openSCMShop(t)
			path := map[string]string{"unresolved": "unresolve", "resolved": "resolve", "ignored": "ignore"}[before]
			s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/%s", s.issue, path), "")
			for range 2 {
				s.openPR("reopened", fromRepository)
				s.requireStatus("fix_pending")

				require.JSONEq(t, fmt.Sprintf(`{"ok": true, "projects": 1, "closed": %q, "given_back": [%d]}`, shopPR, s.issue),
					s.openPR("closed", fromRepository))

				s.requireStatus(before)
				row := s.activity()
				require.Equal(t, []string{"issue." + path, "system", "scm"}, []string{row.Action, row.ActorType, row.ActorName})
				require.Equal(t, map[string]any{
					"kind": "pull_request", "ref": shopPR, "from": "fix_pending", "to": before,
					"reason": "it was closed without being merged",
				}, row.Data)
			}
			require.False(t, s.deployBy("web-shop", fixCommit, `, "pull_requests": ["`+shopPR+`"]`), "the fix is closed")
			labels := s.sendRequest(t.Context(), http.MethodGet, "/v1/labels", "", nil)
			require.NotContains(t, labels.body, `"actor_name":"scm"`, "nobody decided it")
		})
	}
}

func TestSCMPullRequestGivesBackWhatItReplaced(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	second := func(action, more string) {
		body := pullRequestOf(action, "Cart", fmt.Sprintf("Errand-Issue: %d", s.issue), fromRepository+more)
		s.sendReport("pull_request", strings.ReplaceAll(strings.ReplaceAll(body, "pull/42", "pull/43"), `"number": 42`, `"number": 43`))
	}
	s.openPR("opened", fromRepository)
	second("opened", "")
	require.Contains(t, s.showFix()["pr_url"], "pull/43")

	second("closed", "")
	require.Equal(t, shopPR, s.showFix()["pr_url"])
	s.requireStatus("fix_pending")
	require.Equal(t, "issue.fix", s.activity().Action)

	second("reopened", "")
	s.openPR("closed", fromRepository) // while another one is in its place
	require.Contains(t, s.showFix()["pr_url"], "pull/43")
	second("closed", "")
	s.requireStatus("unresolved")

	s.openPR("closed", fromRepository+wasMerged)
	s.requireStatus("fix_pending")
	require.True(t, s.deployBy("web-shop", headCommit, ""))
	second("closed", "")
	s.requireStatus("fix_pending")
}

func TestSCMResolvedIssueWithNewEventsIsGivenBackOpen(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/resolve", s.issue), "")
	s.openPR("opened", fromRepository)
	require.Equal(t, s.issue, s.sendEvent(t, s.key))

	s.openPR("closed", fromRepository)

	s.requireStatus("unresolved")
}

// TestSCMPullRequestsInAnyOrder checks that a late delivery undoes nothing, and a repeated one counts once.
func TestSCMPullRequestsInAnyOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reports [][2]string
		want    string
	}{
		"opened after closed": {[][2]string{{"closed", changedAt(2)}, {"opened", changedAt(1)}}, "unresolved"},
		"closed before reopened": {[][2]string{{"opened", changedAt(1)}, {"reopened", changedAt(3)}, {"closed", changedAt(2)}},
			"fix_pending"},
		"merged before opened":       {[][2]string{{"closed", wasMerged + changedAt(2)}, {"opened", changedAt(1)}}, "fix_pending"},
		"merged, and told late":      {[][2]string{{"edited", changedAt(3)}, {"closed", wasMerged + changedAt(2)}}, "fix_pending"},
		"closed after it was merged": {[][2]string{{"closed", wasMerged + changedAt(2)}, {"closed", changedAt(3)}}, "fix_pending"},
		"closed twice": {[][2]string{{"opened", changedAt(1)}, {"closed", changedAt(2)}, {"closed", changedAt(2)}},
			"unresolved"},
		"at no time": {[][2]string{{"opened", `, "updated_at": 7`}, {"closed", `, "updated_at": "soon"`}}, "unresolved"},
		"at the end of time": {[][2]string{{"opened", `, "updated_at": "9999-12-31T23:59:59Z"`}, {"closed", changedAt(1)}},
			"fix_pending"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openSCMShop(t)
			for _, report := range c.reports {
				s.openPR(report[0], fromRepository+report[1])
			}
			s.requireStatus(c.want)
		})
	}
}

func TestSCMEditedPullRequest(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	s.sendReport("pull_request", pullRequestOf("opened", "Cart", "", fromRepository))
	s.requireStatus("unresolved")
	s.openPR("edited", fromRepository)
	s.requireStatus("fix_pending")

	answer := s.sendReport("pull_request", pullRequestOf("edited", "Cart", "", fromRepository))
	require.JSONEq(t, fmt.Sprintf(`{"ok": true, "projects": 1, "given_back": [%d]}`, s.issue), answer)
	s.requireStatus("unresolved")
	require.Equal(t, "it does not name the issue any more", s.activity().Data["reason"])

	s.openPR("edited", fromRepository)
	s.openPR("closed", fromRepository+wasMerged)
	s.sendReport("pull_request", pullRequestOf("edited", "Cart", "", fromRepository))
	s.requireStatus("fix_pending")
}

// TestSCMEditOfAClosedPullRequest edits a closed pull request, which hosts report too.
func TestSCMEditOfAClosedPullRequest(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	edit := func(more string) string {
		s.Helper()
		body := pullRequestOf("edited", "Another title", fmt.Sprintf("Errand-Issue: %d", s.issue), fromRepository+more)
		return s.sendReport("pull_request", strings.Replace(body, `"state": "open"`, `"state": "closed"`, 1))
	}
	s.openPR("opened", fromRepository)
	s.openPR("closed", fromRepository)
	s.requireStatus("unresolved")

	require.JSONEq(t, `{"ok": true, "ignored": "the pull request is closed"}`, edit(`, "merged": false`))
	s.requireStatus("unresolved")
	edit("")
	s.requireStatus("unresolved")

	edit(wasMerged)
	s.requireStatus("fix_pending")
}

// TestSCMSquashedCommit links the commit of an agent's branch, and squashes the pull request of that branch.
func TestSCMSquashedCommit(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	s.linkCommit(fixCommit[:12])
	s.sendReport("pull_request", pullRequestOf("closed", "Cart", "", fromRepository+wasMerged))

	require.True(t, s.deployBy("web-shop", headCommit, ""))
}

func TestSCMPullRequestNamesAtMost20Issues(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	var text strings.Builder
	for id := range 100 {
		fmt.Fprintf(&text, "Errand-Issue: %d\n", s.issue+100-int64(id))
	}
	fmt.Fprintf(&text, "Errand-Issue: %d\n", s.issue)

	require.Contains(t, s.sendReport("pull_request", pullRequestOf("opened", "Cart", text.String(), fromRepository)), `"ignored"`)
	s.requireStatus("unresolved")
}
