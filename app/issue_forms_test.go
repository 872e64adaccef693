package app_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
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
	refuse := func(form, why string, fields ...string) {
		t.Helper()
		got := b.post(page+form, fields...)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, got.body)
		require.Contains(t, got.body, why)
	}

	require.Contains(t, b.follow(page+"/notes", "text", "the cache is cold", "return_to", page), "The note is written.")
	require.Contains(t, b.get(page).body, "<blockquote>the cache is cold</blockquote>")
	refuse("/notes", "The field text must", "text", "")
	refuse("/notes", "The field text must", "text", strings.Repeat("x", 4001))
	refuse("/fix", "The field commit must", "fix", "")
	refuse("/fix", "The field pr url must", "fix", "javascript://git.example/pull/1")
	linked := b.follow(page+"/fix", "fix", " 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432 ")
	require.Contains(t, linked, "The fix is linked.")
	require.Contains(t, linked, "commit 9f8e7d6c5b by "+adminEmail)

	refuse("/ignore", "The field after events must", "after_events", "0")
	refuse("/ignore", "The field until must", "until", "soon")
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

// TestRefusedFormsKeepWhatWasTyped sends forms that are refused, from the page of one event.
func TestRefusedFormsKeepWhatWasTyped(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	id := s.sendCrashes(t, "", "1.0", "1.1")
	b := s.openAs(t, adminEmail)
	page := fmt.Sprint("/issues/", id)
	from := page + "?raw=1&release=1.0"
	for form, c := range map[string]struct{ fields, shown []string }{
		"/notes": {[]string{"text", "<b>" + strings.Repeat("x", 4000)}, []string{`data-key="n">&lt;b&gt;xxx`}},
		"/fix": {
			[]string{"fix", `"><script>`, "note", "why </textarea>"}, []string{`value="&#34;&gt;&lt;script&gt;"`, "why &lt;/textarea&gt;"},
		},
		"/ignore": {[]string{"until", "7d", "after_users", "5000"}, []string{`value="7d" selected`, `name="after_users" value="5000"`}},
	} {
		got := b.post(page+form, append(c.fields, "return_to", from)...)

		require.Equal(t, http.StatusUnprocessableEntity, got.status, form)
		requireHarmless(t, got.body)
		for _, text := range append(c.shown, "The field ", `name="return_to" value="/issues/`, "raw=1&amp;release=1.0") {
			require.Contains(t, got.body, text, form)
		}
	}
}

// TestChangesReturnToTheirEvent changes an issue from the page of one event under a filter.
func TestChangesReturnToTheirEvent(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	id := s.sendCrashes(t, "", "1.0", "1.1")
	b := s.openAs(t, adminEmail)
	page := fmt.Sprint("/issues/", id)
	from := page + "?raw=1&release=1.0"
	shown := b.get(from).body
	require.Equal(t, 4, strings.Count(shown, `name="return_to" value="`+html.EscapeString(from)+`"`), "each form of the page")
	require.Contains(t, b.get(page+"?fragment=head&raw=1&release=1.0").body, html.EscapeString(from), "the live head knows too")
	for path, fields := range map[string][]string{
		"/issues/change":  {"action", "claim", "id", fmt.Sprint(id)},
		page + "/notes":   {"text", "cold"},
		page + "/fix":     {"fix", "https://github.com/acme/shop/pull/311"},
		page + "/ignore":  {"until", "7d"},
		page + "/release": nil,
	} {
		got := b.post(path, append(fields, "return_to", from)...)
		require.Equal(t, from, got.header.Get("Location"), path)
	}
	for _, elsewhere := range []string{"//evil.example/issues/1", "https://evil.example", "/account", page + "9", ""} {
		require.Equal(t, page, b.post(page+"/notes", "text", "cold", "return_to", elsewhere).header.Get("Location"), elsewhere)
	}
}

// TestUndoLinksTheFixAgain resolves an issue whose fix waits for its deploy, and takes that back.
func TestUndoLinksTheFixAgain(t *testing.T) {
	t.Parallel()
	s, _, ids := openIssues(t, "cart cannot be loaded", "no stock of the article")
	b := s.openAs(t, adminEmail)
	for _, id := range ids {
		b.follow(fmt.Sprintf("/issues/%d/fix", id), "fix", "https://github.com/acme/shop/pull/311")
	}
	page := fmt.Sprint("/issues/", ids[0])
	resolved := b.follow("/issues/change", "action", "resolve", "id", fmt.Sprint(ids[0]), "return_to", page)
	path, body := readUndo(t, resolved)

	undone := b.send(http.MethodPost, path, "application/x-www-form-urlencoded", body)

	require.Equal(t, page, undone.header.Get("Location"), undone.body)
	require.Contains(t, b.get(page).body, "fix linked")
	several := url.Values{"action": {"resolve"}, "id": {fmt.Sprint(ids[0]), fmt.Sprint(ids[1])}, "return_to": {"/"}}
	b.send(http.MethodPost, "/issues/change", "application/x-www-form-urlencoded", several.Encode())
	require.Contains(t, b.get("/").body, "2 resolved. Undo reopens 2 issues without the fix that was linked.")
}
