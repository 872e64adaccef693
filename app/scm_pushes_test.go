package app_test

import (
	"crypto/sha1" //nolint:gosec // git names commits with it
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shaOf returns the SHA of a commit that the tests name; "none" has the SHA of no commit.
func shaOf(name string) string {
	if name == "none" {
		return strings.Repeat("0", 40)
	}
	sum := sha1.Sum([]byte(name)) //nolint:gosec // see above
	return hex.EncodeToString(sum[:])
}

// push reports a push from one commit to another, with commits in the order of the report. A commit's name is its
// message. A name that begins with = was on another branch before.
func (s *scmShop) push(from, to string, commits ...string) {
	s.Helper()
	s.pushOf(false, from, to, commits...)
}

func (s *scmShop) pushOf(forced bool, from, to string, commits ...string) {
	s.Helper()
	list := make([]string, len(commits))
	for i, name := range commits {
		message, wasPushed := strings.CutPrefix(name, "=")
		list[i] = strings.Replace(commitOf(shaOf(message), message), `"distinct": true`, fmt.Sprintf(`"distinct": %t`, !wasPushed), 1)
	}
	s.sendReport("push", fmt.Sprintf(`{"ref": "refs/heads/main", "before": %q, "after": %q, "created": %t, "deleted": %t, "forced": %t,
		"base_ref": null, "commits": [%s], %s}`,
		shaOf(from), shaOf(to), from == "none", to == "none", forced, strings.Join(list, ","), shopRepository))
}

// deployBy reports a deploy of a commit, and returns whether it brought the fix.
func (s *scmShop) deployBy(project, commit, more string) bool {
	s.Helper()
	body := fmt.Sprintf(`{"project": %q, "commit": %q %s}`, project, commit, more)
	got := s.sendRequest(s.Context(), http.MethodPost, "/v1/deploys", "", strings.NewReader(body))
	require.Equal(s, http.StatusCreated, got.status, got.body)
	return strings.Contains(got.body, fmt.Sprintf(`"fixes_deployed":[%d]`, s.issue))
}

func (s *scmShop) deploy(name string) bool {
	s.Helper()
	return s.deployBy("web-shop", shaOf(name), "")
}

// linkCommit links a commit as the fix of the issue.
func (s *scmShop) linkCommit(commit string) {
	s.Helper()
	s.postAsAdmin(s.T, fmt.Sprintf("/v1/issues/%d/fix", s.issue), fmt.Sprintf(`{"commit": %q}`, commit))
}

// deployedIn returns the first release that brought the fix; nil for none.
func (s *scmShop) deployedIn() any {
	s.Helper()
	return s.showFix()["release"]
}

// pushedCommits check which pushed commits a deploy of one commit brings.
var pushedCommits = map[string]func(*testing.T, *scmShop){
	"an earlier push": func(t *testing.T, s *scmShop) {
		s.push("start", "fix", "fix")
		s.push("fix", "more", "more")
		s.push("more", "most", "even more", "most")
		require.True(t, s.deploy("most"))
	},
	"the middle of a push": func(t *testing.T, s *scmShop) {
		s.push("start", "last", "first", "fix", "middle", "last")
		require.False(t, s.deploy("first"))
		require.True(t, s.deploy("middle"))
	},
	"Gitea's order": func(t *testing.T, s *scmShop) {
		s.push("start", "last", "last", "middle", "fix", "first")
		require.False(t, s.deploy("first"))
		require.True(t, s.deploy("middle"))
	},
	"a merge": func(t *testing.T, s *scmShop) {
		s.push("none", "fix", "fix") // to a branch
		s.push("start", "main", "main")
		require.False(t, s.deploy("main"))
		s.push("main", "Merge branch 'fix'", "=fix", "beside", "Merge branch 'fix'")
		require.False(t, s.deploy("beside"), "which parent it has is not known")
		s.push("Merge branch 'fix'", "later", "later")
		require.True(t, s.deploy("later"))
	},
	"a merge with a message of its own": func(t *testing.T, s *scmShop) {
		s.push("start", "Bring the cart", "=fix", "beside", "Bring the cart")
		require.False(t, s.deploy("beside"))
		require.True(t, s.deploy("Bring the cart"))
	},
	"another branch": func(t *testing.T, s *scmShop) {
		s.push("none", "fix", "fix")
		s.push("start", "main", "main")
		require.False(t, s.deploy("main"))
		require.False(t, s.deploy("start"))
	},
	"an older commit": func(t *testing.T, s *scmShop) {
		s.push("start", "old", "old")
		s.push("old", "fix", "fix")
		require.False(t, s.deploy("old"))
		require.False(t, s.deploy("old"), "once more")
		s.push("fix", "new", "new")
		require.True(t, s.deploy("new"))
	},
	"a forced push": func(t *testing.T, s *scmShop) {
		s.push("start", "fix", "fix")
		s.pushOf(true, "fix", "other", "other")
		s.push("other", "more", "more")
		require.False(t, s.deploy("more"))
	},
	"a branch that was moved back": func(t *testing.T, s *scmShop) {
		s.push("start", "old", "old")
		s.push("old", "fix", "fix")
		s.push("fix", "old") // Gitea does not say that the push was forced
		s.push("old", "other", "other")
		require.False(t, s.deploy("other"))
		require.True(t, s.deploy("fix"))
	},
	"a deleted branch": func(t *testing.T, s *scmShop) {
		s.push("start", "fix", "fix")
		s.push("fix", "none")
		s.push("none", "other", "other")
		require.False(t, s.deploy("other"))
		require.False(t, s.deployBy("web-shop", strings.Repeat("0", 7), ""))
	},
	"abbreviated": func(t *testing.T, s *scmShop) {
		s.push("start", "fix", "fix")
		s.push("fix", "new", "new")
		s.linkCommit(shaOf("fix")[:7])
		require.True(t, s.deployBy("web-shop", strings.ToUpper(shaOf("new")[:8]), ""))
	},
	"a deploy that lists its commits": func(t *testing.T, s *scmShop) {
		s.push("start", "new", "fix", "new")
		require.False(t, s.deployBy("web-shop", shaOf("new"), fmt.Sprintf(`, "commits": [%q]`, shaOf("new"))))
		require.True(t, s.deploy("new"), "it is not the one that listed them")
	},
}

// TestSCMPushedCommitsAreDeployed checks that a deploy of one commit brings the commits pushed before it, and no others.
func TestSCMPushedCommitsAreDeployed(t *testing.T) {
	t.Parallel()
	for name, check := range pushedCommits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openSCMShop(t)
			s.linkCommit(shaOf("fix"))

			check(t, s)
		})
	}
}

// A webhook may be slower than a deploy, and reports come in any order.
func TestSCMPushesInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 3, 1}, {3, 0, 2, 1}, {0, 3, 1, 2}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			t.Parallel()
			s := openSCMShop(t)
			reports := []func(){
				func() { s.push("start", "fix", "early", "fix") },
				func() { s.push("fix", "middle", "middle") },
				func() { s.push("middle", "last", "beside", "last") },
				func() { s.linkCommit(shaOf("fix")) },
			}
			require.False(t, s.deployBy("web-shop", shaOf("early"), `, "release": "0"`))
			require.False(t, s.deployBy("web-shop", shaOf("last")[:10], `, "release": "1"`))
			require.False(t, s.deployBy("web-shop", shaOf("middle"), `, "release": "2"`))

			var want any
			for n, i := range order {
				reports[i]()
				known := order[:n+1]
				switch {
				case want != nil || !slices.Contains(known, 1) || !slices.Contains(known, 3):
				case slices.Contains(known, 2):
					want = "1"
				default:
					want = "2" // the deploy that brought it first is not known yet
				}
				require.Equal(t, want, s.deployedIn(), known)
			}
		})
	}
}

func TestSCMPushesOfSeveralProjects(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	s.postAsAdmin(t, "/v1/projects", `{"name": "Other"}`)
	s.setRepository("other")
	s.postAsAdmin(t, "/v1/projects", `{"name": "Elsewhere"}`)
	s.linkCommit(shaOf("fix"))
	s.push("start", "new", "fix", "new")

	require.False(t, s.deployBy("other", shaOf("new"), ""))
	require.False(t, s.deployBy("elsewhere", shaOf("new"), ""))
	require.Nil(t, s.deployedIn())
	require.Contains(t, s.sendReport("deployment_status", deploymentOf("success", shaOf("new"), "")),
		fmt.Sprintf(`"fixes_deployed":[%d]`, s.issue))
}

// Every deploy of a commit that was pushed after a pull request's merge brings the pull request.
func TestSCMPushesAfterAMerge(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", s.issue), `{"pr_url": "`+shopPR+`"}`)
	s.push("start", "last", "before", "Load the cart (#42)", "last")
	require.False(t, s.deploy("before"))

	require.True(t, s.deploy("last"))
}

// Later deploys skip what an earlier one brought.
func TestSCMManyPushes(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	s.linkCommit(shaOf("commit 3"))
	const many = 3000
	names := make([]string, many)
	for i := range names {
		names[i] = fmt.Sprint("commit ", i)
	}
	s.push("start", names[many/2-1], names[:many/2]...)
	s.push(names[many/2-1], names[many-1], names[many/2:]...)

	require.True(t, s.deploy(names[many-1]))
	require.False(t, s.deploy(names[many-1]))
	conn := openConnection(t, s.databaseURL)
	var rows int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM deploy_commits`).Scan(&rows))
	require.Equal(t, many+1+1, rows, "all commits and the start once, and the redeploy's own")
}
