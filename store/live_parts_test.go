package store_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// watcher is the session of somebody who looks at the list of issues and at one issue.
type watcher struct {
	*store.Store
	hash  []byte
	issue int64
}

// watch signs a user in who sees the project shop, and returns the watcher of an issue in it.
func watch(t *testing.T, s *store.Store, c *storetest.Clock) (w watcher, user int64) {
	t.Helper()
	added := storetest.AddEvents(t, s, storetest.MakeShopEvent("boom", 1, c.At(0)))
	user = storetest.MakeUser(t, s, "ann@example.com")
	storetest.AssignProjects(t, s, user, core.RoleMember, storetest.Shop)
	hash := sha256.Sum256([]byte("the cookie"))
	generation := storetest.ReadCell[int64](t, s, `SELECT session_generation FROM users WHERE id = $1`, user)
	require.NoError(t, s.AddSession(t.Context(), core.NewSession{
		Hash: hash[:], Data: []byte{}, ExpiresAt: c.Now.Add(100 * 24 * time.Hour), UserID: user, Generation: generation,
	}))
	return watcher{s, hash[:], added.IssueID}, user
}

// look returns the versions of the list and of the issue.
func (w watcher) look(t *testing.T) (list, issue string) {
	t.Helper()
	list, err := w.FindLiveVersion(t.Context(), w.hash, w.Now().Time, 0)
	require.NoError(t, err)
	issue, err = w.FindLiveVersion(t.Context(), w.hash, w.Now().Time, w.issue)
	require.NoError(t, err)
	return list, issue
}

// TestLiveVersionsChange makes what a live part shows change in every way, and time pass.
func TestLiveVersionsChange(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	w, user := watch(t, s, c)
	ann := storetest.MakeActor(1)
	noise := true
	const both, listOnly, issueOnly, neither = "both", "list", "issue", "neither"
	add := func(group string, n int) { storetest.AddEvents(t, s, storetest.MakeShopEvent(group, n, c.At(0))) }
	var pending int64
	for _, change := range []struct {
		name    string
		changes string
		do      func() error
	}{
		{"nothing", neither, func() error { return nil }},
		{"a minute", neither, func() error { c.Forward(time.Minute); return nil }},
		{"an event of the issue", both, func() error { add("boom", 2); return nil }},
		{"another issue", listOnly, func() error { add("bang", 1); return nil }},
		{"a claim", both, func() error { _, err := s.ClaimIssue(t.Context(), ann, w.issue, 5); return err }},
		{"the end of a claim", issueOnly, func() error { c.Forward(6 * time.Minute); return nil }},
		{"a note", both, func() error { _, err := s.AddNote(t.Context(), ann, w.issue, "hi"); return err }},
		{"a correction", both, func() error {
			return s.CorrectTriage(t.Context(), ann, w.issue, core.TriageChange{Noise: &noise}, "")
		}},
		{"a request", both, func() error { pending = requestApproval(t, s, ann, store.IgnoreIssue{ID: w.issue}); return nil }},
		{"its rejection", both, func() error { return s.RejectRequest(t.Context(), storetest.MakeActor(2), pending) }},
		{"a fix", both, func() error {
			_, err := s.LinkFix(t.Context(), ann, w.issue, store.NewFix{Kind: core.FixByCommit, Ref: "abcdef1"})
			return err
		}},
		{"an event that was refused", listOnly, func() error { return s.NoteRefusal(t.Context(), c.At(0)) }},
		{"the end of that", listOnly, func() error { c.Forward(6 * time.Minute); return nil }},
		{"a day without an event", both, func() error { c.Forward(25 * time.Hour); return nil }},
		{"another role", both, func() error {
			storetest.ChangeRows(t, s, `UPDATE team_members SET role = 'viewer' WHERE user_id = $1`, user)
			return nil
		}},
		{"another project", both, func() error {
			storetest.MakeProject(t, s, storetest.Shop+1, "Other")
			storetest.AssignProjects(t, s, user, core.RoleMember, storetest.Shop+1)
			return nil
		}},
	} {
		list, issue := w.look(t)
		require.NoError(t, change.do(), change.name)
		newList, newIssue := w.look(t)
		require.Equal(t, change.changes == both || change.changes == listOnly, list != newList, "%s: %s, %s", change.name, list, newList)
		require.Equal(t, change.changes == both || change.changes == issueOnly, issue != newIssue,
			"%s: %s, %s", change.name, issue, newIssue)
	}
}

// TestLiveVersionsNeedASession holds that nothing is said to whom a page would say nothing.
func TestLiveVersionsNeedASession(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	w, user := watch(t, s, c)
	list, issue := w.look(t)
	require.NotEmpty(t, list)
	require.NotEmpty(t, issue)
	_, unknown := watcher{s, w.hash, 404}.look(t)
	require.Empty(t, unknown)
	late, err := s.FindLiveVersion(t.Context(), w.hash, c.Now.Add(101*24*time.Hour), 0)
	require.NoError(t, err)
	require.Empty(t, late, "a session that ends soon is extended by a visit")

	storetest.ChangeRows(t, s, `UPDATE users SET disabled_at = $2 WHERE id = $1`, user, storetest.Noon)
	list, issue = w.look(t)
	require.Empty(t, list+issue, "of a disabled user")
	storetest.ChangeRows(t, s, `UPDATE users SET disabled_at = NULL, session_generation = session_generation + 1 WHERE id = $1`, user)
	list, issue = w.look(t)
	require.Empty(t, list+issue, "of an earlier generation")
}
