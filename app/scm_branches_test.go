package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ofBranch is the origin of a pull request of the branch cart, whose newest commit is the named one.
func ofBranch(head, onto string) string {
	return fmt.Sprintf(`, "author_association": "NONE", "head": {"ref": "cart", "sha": %q, "repo": {"full_name": "acme/Shop"}},
		"base": {"ref": %q, "repo": {"full_name": "Acme/Shop"}}`, shaOf(head), onto)
}

// mergedAs is the merge of a pull request by the named commit.
func mergedAs(name string) string {
	return fmt.Sprintf(`, "merged": true, "merge_commit_sha": %q`, shaOf(name))
}

// pushOne reports a push of the named commit to a branch.
func (s *scmShop) pushOne(branch, name, message string) string {
	s.Helper()
	return s.sendReport("push", fmt.Sprintf(`{"ref": "refs/heads/%s", "before": %q, "after": %q, "commits": [%s], %s}`,
		branch, shaOf("before "+name), shaOf(name), commitOf(shaOf(name), message), shopRepository))
}

// landed are fixes that are on the default branch or deployed, and their commits.
var landed = map[string]func(*scmShop) (commit string){
	"on the default branch": func(s *scmShop) string {
		s.pushOne("main", "fix", s.marker())
		return "fix"
	},
	"deployed": func(s *scmShop) string {
		s.pushOne("cart", "fix", s.marker())
		require.True(s, s.deploy("fix"))
		return "fix"
	},
	"of a branch that was merged": func(s *scmShop) string {
		s.pushOne("cart", "fix", s.marker())
		s.sendReport("push", strings.ReplaceAll(pushOf("main", commitOf(shaOf("fix"), s.marker()), commitOf(headCommit, "Merge branch 'cart'")),
			`"distinct": true`, `"distinct": false`))
		return "fix"
	},
	"of a pull request that was merged": func(s *scmShop) string {
		s.openPR("opened", ofBranch("head", "main"))
		s.openPR("closed", ofBranch("head", "main")+mergedAs("squash"))
		return "squash"
	},
	"of a branch whose pull request was merged": func(s *scmShop) string {
		s.openPR("opened", ofBranch("head", "main"))
		s.pushOne("cart", "head", s.marker())
		s.openPR("closed", ofBranch("head", "main")+mergedAs("squash"))
		return "squash"
	},
}

// TestSCMBackportsKeepTheFix checks that a commit which is picked onto a branch for releases does not replace the fix it comes from.
func TestSCMBackportsKeepTheFix(t *testing.T) {
	t.Parallel()
	for name, land := range landed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openSCMShop(t)
			commit := land(s)
			before := s.showFix()
			kept := fmt.Sprintf(`"kept":[%d]`, s.issue)

			require.Contains(t, s.pushOne("release/1.0", "picked", s.marker()+"\n(cherry picked from commit "+shaOf(commit)+")"), kept)
			backport := func(action, more string) string {
				body := pullRequestOf(action, "Cart", s.marker(), ofBranch("picked", "release/1.0")+more)
				return s.sendReport("pull_request", strings.ReplaceAll(strings.ReplaceAll(body, "pull/42", "pull/43"), `"number": 42`, `"number": 43`))
			}
			require.Contains(t, backport("opened", ""), kept)
			require.Contains(t, backport("closed", mergedAs("on the release branch")), kept)

			back := pushOf("main", commitOf(shaOf("picked"), s.marker()), commitOf(headCommit, "Merge branch 'release/1.0'"))
			s.sendReport("push", strings.Replace(back, `"distinct": true`, `"distinct": false`, 1))

			require.Equal(t, before, s.showFix())
			require.True(t, s.deploy(commit))
		})
	}
}

// TestSCMBranchesReplaceWhatHasNotLanded checks that a branch's own commits go on to replace each other.
func TestSCMBranchesReplaceWhatHasNotLanded(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	for _, name := range []string{"first", "second"} {
		s.pushOne("cart", name, s.marker())
		require.Equal(t, shaOf(name), s.showFix()["commit"])
	}
	s.openPR("opened", ofBranch("second", "release/1.0"))
	require.Equal(t, shopPR, s.showFix()["pr_url"])
}

// TestSCMMergeTakesWaitingFixesOver squashes a pull request whose issue waits for a commit of its branch, which no deploy will name.
func TestSCMMergeTakesWaitingFixesOver(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]func(*scmShop) (linkedBy, body string){
		"an earlier commit of the branch": func(s *scmShop) (string, string) {
			s.openPR("opened", ofBranch("head", "main"))
			s.pushOne("cart", "fix", s.marker())
			return "scm", s.marker()
		},
		"a commit that only the branch names": func(s *scmShop) (string, string) {
			s.pushOne("cart", "fix", s.marker())
			return "scm", ""
		},
		"a call": func(s *scmShop) (string, string) {
			s.linkCommit(shaOf("fix"))
			return "ADMIN_TOKEN", s.marker()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openSCMShop(t)
			linkedBy, body := link(s)
			s.pushOne("cart", "head", "Mend a typo")
			s.pushOne("main", "squash", "Load the cart (#42)")
			require.False(t, s.deploy("squash"), "the report of the merge comes late")

			merge := pullRequestOf("closed", "Cart", body, ofBranch("head", "main")+mergedAs("squash"))
			s.sendReport("pull_request", merge)

			fix := s.showFix()
			require.Equal(t, []any{shaOf("fix"), linkedBy}, []any{fix["commit"], fix["linked_by"]})
			require.NotNil(t, fix["deployed_at"])
			require.True(t, s.deploy("squash"))
		})
	}
}

// TestSCMMergeOfAnotherKeepsTheFirst merges a second pull request that names the issue while the first one waits for its deploy.
func TestSCMMergeOfAnotherKeepsTheFirst(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	s.linkCommit(shaOf("fix"))
	s.openPR("closed", ofBranch("head", "main")+mergedAs("first"))
	second := pullRequestOf("closed", "Cart", s.marker(), ofBranch("more", "main")+mergedAs("second"))
	s.sendReport("pull_request", strings.ReplaceAll(strings.ReplaceAll(second, "pull/42", "pull/43"), `"number": 42`, `"number": 43`))

	require.True(t, s.deploy("first"))
}

// TestSCMReverts checks that a revert takes a fix away that waits for its deploy, and is not a fix itself.
func TestSCMReverts(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	title := fmt.Sprintf("Guard the cart, fixes https://errand.example/issues/%d", s.issue)
	revert := func(name string) string {
		return fmt.Sprintf("Revert %q\n\nThis reverts commit %s.\n", title, shaOf(name))
	}
	givenBack := fmt.Sprintf(`"given_back":[%d]`, s.issue)

	s.pushOne("main", "fix", title)
	require.NotContains(t, s.pushOne("other", "elsewhere", revert("fix")), givenBack, "not on the default branch yet")
	require.Contains(t, s.pushOne("main", "revert", revert("fix")), givenBack)
	s.requireStatus("unresolved")
	require.Equal(t, "it was reverted", s.activity().Data["reason"])
	require.Contains(t, s.pushOne("main", "again", fmt.Sprintf("Reapply %q\n\nThis reverts commit %s.", title, shaOf("revert"))),
		fmt.Sprintf(`"linked":[%d]`, s.issue))
	s.requireStatus("fix_pending")
	require.True(t, s.deploy("again"))
	s.pushOne("main", "revert again", revert("again"))
	require.NotNil(t, s.showFix()["deployed_at"], "the error will show it")
	require.False(t, s.deploy("revert again"))
}

func TestSCMRevertsOfBranchesAndPullRequests(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	revert := func(name string) string { return "Undo\n\nThis reverts commit " + shaOf(name) + "." }

	s.sendReport("push", pushOf("main", commitOf(shaOf("fix"), s.marker()), commitOf(shaOf("revert"), revert("fix"))))
	s.requireStatus("unresolved")
	s.pushOne("cart", "on a branch", s.marker())
	s.pushOne("cart", "undone", revert("on a branch"))
	s.requireStatus("unresolved")
	s.openPR("closed", ofBranch("head", "main")+mergedAs("squash"))
	s.pushOne("main", "squash undone", revert("squash"))
	s.requireStatus("unresolved")
	title := fmt.Sprintf(`Revert \"Fix https://errand.example/issues/%d\"`, s.issue)
	opened := pullRequestOf("opened", "Cart", "Reverts acme/shop#42", ofBranch("head", "main"))
	require.Contains(t, s.sendReport("pull_request", strings.Replace(opened, `"title": "Cart"`, `"title": "`+title+`"`, 1)), `"ignored"`)

	s.linkCommit(shaOf("by a call"))
	s.pushOne("main", "call undone", revert("by a call"))
	s.requireStatus("fix_pending")
	require.Equal(t, "issue.note", s.activity().Action)
}

// TestSCMUnmergedPullRequestGivesItsCommitsBack checks that no issue waits for a branch that was thrown away.
func TestSCMUnmergedPullRequestGivesItsCommitsBack(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]func(*scmShop){
		"opened first":              func(s *scmShop) { s.openPR("opened", ofBranch("old", "main")); s.pushOne("cart", "head", s.marker()) },
		"pushed first":              func(s *scmShop) { s.pushOne("cart", "head", s.marker()); s.openPR("opened", ofBranch("head", "main")) },
		"the branch alone names it": func(s *scmShop) { s.pushOne("cart", "early", s.marker()); s.pushOne("cart", "head", "Mend") },
		"several commits": func(s *scmShop) {
			s.pushOne("cart", "early", s.marker())
			s.openPR("opened", ofBranch("early", "main"))
			s.pushOne("cart", "middle", s.marker())
			s.pushOne("cart", "head", s.marker())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openSCMShop(t)
			report(s)
			s.requireStatus("fix_pending")
			stranger := strings.Replace(ofBranch("head", "main"), `"acme/Shop"`, `"eve/Shop"`, 1)
			require.Contains(t, s.sendReport("pull_request", strings.ReplaceAll(strings.ReplaceAll(
				pullRequestOf("closed", "Cart", s.marker(), stranger), "pull/42", "pull/43"), `"number": 42`, `"number": 43`)),
				`"ignored"`, "the branch of a fork has the same name")

			require.Contains(t, s.openPR("closed", ofBranch("head", "main")), fmt.Sprintf(`"given_back":[%d]`, s.issue))

			s.requireStatus("unresolved")
			require.Contains(t, s.activity().Data["reason"], "closed without being merged")
			require.Contains(t, s.pushOne("main", "head", s.marker()), fmt.Sprintf(`"linked":[%d]`, s.issue), "merged by hand in the end")
		})
	}
}

// TestSCMMergedBranchIsNotGivenBack closes a pull request of a branch that reached the default branch before.
func TestSCMMergedBranchIsNotGivenBack(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	commit := landed["of a branch that was merged"](s)

	require.Contains(t, s.sendReport("pull_request", pullRequestOf("closed", "Cart", "", ofBranch("more", "main"))), `"ignored"`)

	s.requireStatus("fix_pending")
	require.True(t, s.deploy(commit))
}

func TestSCMMergeQueueLinksWhenItHasMerged(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	require.NotContains(t, s.pushOne("gh-readonly-queue/main/pr-42-abc", "queued", s.marker()), `"linked"`)
	s.requireStatus("unresolved")
	push := pushOf("main", commitOf(shaOf("queued"), s.marker()))

	s.sendReport("push", strings.Replace(push, `"distinct": true`, `"distinct": false`, 1))

	require.Equal(t, shaOf("queued"), s.showFix()["commit"])
}
