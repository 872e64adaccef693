package app_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// TestFormsOfAnIssue sends each form of the page, right and wrong, without a script.
func TestFormsOfAnIssue(t *testing.T) {
	t.Parallel()
	s, _, ids := openIssues(t, "cart cannot be loaded")
	b := s.openAs(t, adminEmail)
	page := fmt.Sprint("/issues/", ids[0])

	require.Contains(t, b.follow(page+"/notes", "text", "the cache is cold", "return_to", page), "The note is written.")
	require.Contains(t, b.get(page).body, "<blockquote>the cache is cold</blockquote>")
	require.Contains(t, b.follow(page+"/notes", "text", ""), "The field text must")
	require.Contains(t, b.follow(page+"/notes", "text", strings.Repeat("x", 4001)), "The field text must")
	require.Contains(t, b.follow(page+"/fix", "fix", ""), "The field commit must")
	require.Contains(t, b.follow(page+"/fix", "fix", "javascript://git.example/pull/1"), "The field pr_url must")
	linked := b.follow(page+"/fix", "fix", " 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432 ")
	require.Contains(t, linked, "The fix is linked.")
	require.Contains(t, linked, "commit 9f8e7d6c5b by "+adminEmail)

	require.Contains(t, b.follow(page+"/ignore", "after_events", "0"), "The field after_events must")
	require.Contains(t, b.follow(page+"/ignore", "until", "soon"), "The field until must")
	ignored := b.follow(page+"/ignore", "until", "7d", "after_events", "10", "after_users", "")
	require.Contains(t, ignored, "ignored until <time")
	require.Contains(t, ignored, "until it has 11 events")
	require.Contains(t, ignored, ">Reopen<")
	path, body := readUndo(t, ignored)
	undone := b.send(http.MethodPost, path, "application/x-www-form-urlencoded", body)
	require.Equal(t, page, undone.header.Get("Location"), undone.body)
	require.Contains(t, b.get(page).body, ">Resolve<")
	require.Contains(t, b.follow(page+"/ignore"), "It is ignored for good")

	b.header.Set("Sec-Fetch-Site", "cross-site")
	for _, form := range []string{"/notes", "/fix", "/ignore", "/release", "/triage", "/split"} {
		require.Equal(t, http.StatusForbidden, b.post(page+form).status, form)
	}
}

// TestCorrectingTriageByForms changes what triage says.
func TestCorrectingTriageByForms(t *testing.T) {
	t.Parallel()
	s, _, ids := openIssues(t, "cart cannot be loaded")
	b := s.openAs(t, adminEmail)
	page := fmt.Sprint("/issues/", ids[0])
	shown := map[string]string{}
	chosen := regexp.MustCompile(`(?s)<select name="(\w+)".*?value="(\w+)" selected`)
	for _, field := range chosen.FindAllStringSubmatch(b.get(page+"/triage").body, -1) {
		shown[field[1]] = field[2]
	}
	require.Len(t, shown, 5)
	fields := func(changes ...string) []string {
		var list []string
		for name, value := range shown {
			list = append(list, name, value)
		}
		return append(list, changes...)
	}

	require.Contains(t, b.post(page+"/triage", fields()...).body, "Nothing is different")
	shown["category"], shown["severity"] = "third_party", "9"
	refused := b.post(page+"/triage", fields("note", "kept")...).body
	require.Contains(t, refused, "The field severity must")
	require.Contains(t, refused, ">kept</textarea>")
	require.Contains(t, refused, `value="third_party" selected`)
	shown["severity"] = "3"
	corrected := b.follow(page+"/triage", fields("note", "the bank is away")...)
	require.Contains(t, corrected, "The triage is corrected.")
	require.Contains(t, corrected, "corrected the triage: kind third party, severity critical")
	require.Contains(t, corrected, "the bank is away")
	require.Contains(t, corrected, "third party · ")
}

// TestTriageOfTwoPeople corrects a triage whose form was opened before somebody else corrected it.
func TestTriageOfTwoPeople(t *testing.T) {
	t.Parallel()
	s, _, ids := openIssues(t, "cart cannot be loaded")
	b := s.openAs(t, adminEmail)
	page := fmt.Sprint("/issues/", ids[0])
	opened := b.get(page + "/triage").body
	form := func(changes map[string]string) []string {
		var fields []string
		for _, shown := range regexp.MustCompile(`name="shown_(\w+)" value="(\w*)"`).FindAllStringSubmatch(opened, -1) {
			value, isChanged := changes[shown[1]]
			if !isChanged {
				value = shown[2]
			}
			fields = append(fields, "shown_"+shown[1], shown[2], shown[1], value)
		}
		require.Len(t, fields, 20)
		return fields
	}
	b.follow(page+"/triage", form(map[string]string{"severity": "3"})...)

	other := b.follow(page+"/triage", form(map[string]string{"category": "third_party"})...)
	same := b.post(page+"/triage", form(map[string]string{"severity": "0"})...).body

	require.Contains(t, other, "corrected the triage: kind third party")
	require.Contains(t, other, "<dd>critical</dd>", "what the other one corrected stays")
	require.Contains(t, same, "Somebody has corrected it since: severity is critical now.")
	opened = same
	require.Contains(t, b.follow(page+"/triage", form(map[string]string{"severity": "0"})...), "The triage is corrected.")
}

// TestSplittingByForms moves a chosen event to a new issue.
func TestSplittingByForms(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	page := fmt.Sprint("/issues/", s.sendCrashes(t, "", "1.0", "1.1"))
	b := s.openAs(t, adminEmail)
	events := regexp.MustCompile(`name="event_ids" value="(\d+)"`).FindAllStringSubmatch(b.get(page+"/split").body, -1)
	require.Len(t, events, 2)

	require.Contains(t, b.post(page+"/split").body, "Choose the events")
	require.Contains(t, b.post(page+"/split", "event_ids", "999999").body, `role="alert"`)
	made := b.follow(page+"/split", "event_ids", events[0][1])
	require.Contains(t, made, "1 event is split off issue")
	require.Contains(t, made, "of the only event")
	require.Contains(t, b.get(page).body, "split 1 event off to issue")
}

// TestIssuePageByRole shows what each role sees and may do.
func TestIssuePageByRole(t *testing.T) {
	t.Parallel()
	s, databaseURL, ids := openIssues(t, "cart cannot be loaded")
	addMember(t, databaseURL, "viewer@example.com", core.RoleViewer)
	addUser(t, databaseURL, "other@example.com", adminPassword)
	page := fmt.Sprint("/issues/", ids[0])

	viewer := s.openAs(t, "viewer@example.com")
	shown := viewer.get(page)
	require.Equal(t, http.StatusOK, shown.status, shown.body)
	require.NotContains(t, shown.body, `method="post"`)
	require.NotContains(t, shown.body, "data-key=\"e\"")
	for _, path := range []string{page + "/triage", page + "/split"} {
		require.Equal(t, http.StatusForbidden, viewer.get(path).status, path)
	}
	for _, form := range []string{"/notes", "/fix", "/ignore", "/release", "/triage", "/split"} {
		got := viewer.post(page+form, "text", "x", "fix", "9f8e7d6c5b4a", "event_ids", "1", "category", "bug", "noise", "true")
		require.Equal(t, http.StatusForbidden, got.status, form)
		require.Contains(t, got.body, "at least the role member", form)
	}
	other := s.openAs(t, "other@example.com")
	for _, path := range []string{"", "/agent", "/triage", "/split", "/copy", "/brief", "?fragment=head", "?fragment=activity"} {
		unknown, hidden := other.get("/issues/999999"+path), other.get(page+path)
		require.Equal(t, http.StatusNotFound, hidden.status, path)
		require.Equal(t, unknown.body, hidden.body, path)
	}
	for _, form := range []string{"/notes", "/fix", "/ignore", "/release", "/triage", "/split"} {
		unknown, hidden := other.post("/issues/999999"+form, "text", "x", "event_ids", "1"), other.post(page+form, "text", "x", "event_ids", "1")
		require.GreaterOrEqual(t, hidden.status, http.StatusBadRequest, form)
		require.Equal(t, unknown.body, hidden.body, form)
	}
	require.NotContains(t, viewer.get(page).body, "story", "nothing was done")
}

// TestHeldIgnoringOfAnIssue has ignoring wait for a second admin.
func TestHeldIgnoringOfAnIssue(t *testing.T) {
	t.Parallel()
	c := peopleConfigOn(storetest.NewURL(t))
	c.RequireApproval = "ignore"
	s := startServer(t, c)
	id := s.sendMessage(t, s.makeProject(t), "cart cannot be loaded")
	require.Equal(t, http.StatusSeeOther, s.newBrowser(t).signUp(s.SignUpLink.Reveal()).status)
	page := fmt.Sprint("/issues/", id)
	b := s.openAs(t, adminEmail)

	held := b.follow(page+"/ignore", "until", "7d")

	require.Contains(t, held, "It waits for the approval of a second admin.")
	require.Contains(t, held, "ignore waits for approval")
	require.NotContains(t, held, ">Undo<")
}
