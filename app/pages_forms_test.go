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

// TestChangingIssuesByForms selects issues and changes them, without a script.
func TestChangingIssuesByForms(t *testing.T) {
	t.Parallel()
	s, _, ids := openIssues(t, "cart cannot be loaded", "no stock of the article")
	b := s.openAs(t, adminEmail)
	first, second := fmt.Sprint(ids[0]), fmt.Sprint(ids[1])
	both := "action=resolve&id=" + first + "&id=" + second + "&return_to=%2F%3Fsort%3Dlast_seen"

	sent := b.send(http.MethodPost, "/issues/change", "application/x-www-form-urlencoded", both)

	require.Equal(t, "/?sort=last_seen", sent.header.Get("Location"), sent.body)
	page := b.get("/?sort=last_seen").body
	require.Contains(t, page, "2 resolved.")
	require.Contains(t, page, "Nothing is broken")
	require.NotContains(t, b.get("/?sort=last_seen").body, "2 resolved.", "it is said once")
	path, body := readUndo(t, page)
	undone := b.send(http.MethodPost, path, "application/x-www-form-urlencoded", body)
	require.Equal(t, "/?sort=last_seen", undone.header.Get("Location"), undone.body)
	page = b.get("/?sort=last_seen").body
	require.Contains(t, page, "2 reopened.")
	require.NotContains(t, page, ">Undo<", "an undo is not undone")
	require.Contains(t, page, `href="/issues/`)

	require.Contains(t, b.follow("/issues/change", "action", "claim", "id", first, "return_to", "/"), "1 claimed.")
	require.Regexp(t, adminEmail+` · (2 h|1 h 59 min) left`, b.get("/").body)
	require.Contains(t, b.follow("/issues/change", "action", "ignore", "id", first, "return_to", "/?status=ignored"), "1 ignored.")
	require.Contains(t, b.get("/?status=ignored").body, `value="`+first+`"`)
	require.Contains(t, b.follow("/issues/change", "action", "resolve", "return_to", "/"), "select an issue first")
	require.Contains(t, b.follow("/issues/change", "action", "resolve", "id", "999999", "return_to", "//evil.example"), "1 not")
	require.Equal(t, http.StatusNotFound, b.post("/issues/change", "action", "resolve", "id", "x").status)
	b.header.Set("Sec-Fetch-Site", "cross-site")
	require.Equal(t, http.StatusForbidden, b.post("/issues/change", "action", "resolve", "id", second).status)
	require.Equal(t, http.StatusForbidden, b.post("/issues/merge", "target", second, "source_ids", first).status)
}

// readUndo returns the target of an undo form, and its body.
func readUndo(t *testing.T, page string) (path, body string) {
	t.Helper()
	form := regexp.MustCompile(`<form method="post" action="([^"]*)">(.*?)<button class="plain" data-key="z">Undo`).FindStringSubmatch(page)
	require.NotNil(t, form, page)
	fields := url.Values{}
	for _, field := range regexp.MustCompile(`name="([^"]*)" value="([^"]*)"`).FindAllStringSubmatch(form[2], -1) {
		fields.Add(field[1], html.UnescapeString(field[2]))
	}
	return form[1], fields.Encode()
}

// TestHeldActionsByForms makes an action wait for a second admin.
func TestHeldActionsByForms(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	c := peopleConfigOn(databaseURL)
	c.RequireApproval = "ignore,merge"
	s := startServer(t, c)
	key := s.makeProject(t)
	ids := []int64{s.sendMessage(t, key, "cart cannot be loaded"), s.sendMessage(t, key, "no stock of the article")}
	addMember(t, databaseURL, "member@example.com", core.RoleMember)
	b := s.openAs(t, "member@example.com")
	first, second := fmt.Sprint(ids[0]), fmt.Sprint(ids[1])

	require.Contains(t, b.follow("/issues/change", "action", "ignore", "id", first, "return_to", "/"), "1 waits for the approval")
	require.Contains(t, b.get("/").body, "ignore waits for approval")
	merged := b.follow("/issues/merge", "target", first, "source_ids", second, "return_to", "/")
	require.Contains(t, merged, "It waits for the approval of a second admin.")
}

// TestMergingByForms shows the effect of a merge, and merges.
func TestMergingByForms(t *testing.T) {
	t.Parallel()
	s, _, ids := openIssues(t, "cart cannot be loaded", "no stock of the article")
	b := s.openAs(t, adminEmail)
	first, second := fmt.Sprint(ids[0]), fmt.Sprint(ids[1])
	require.Contains(t, b.get("/issues/merge?id="+first).body, "Select 2 to 11 issues")
	asked := b.get("/issues/merge?id=" + first + "&id=" + second + "&return_to=/").body
	require.Contains(t, asked, "has all 2 events")

	page := b.follow("/issues/merge", "target", second, "source_ids", first, "return_to", "/")

	require.Contains(t, page, "1 issue is merged into issue "+second)
	require.NotContains(t, page, `value="`+first+`"`)
	require.Contains(t, b.get("/issues/"+first).body, `href="/issues/`+second+`"`)
	require.Equal(t, http.StatusNotFound, b.get("/issues/merge?id=999999&id="+first).status)
}

// TestLivePart polls for news since the page was opened.
func TestLivePart(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	key := s.makeProject(t)
	s.sendMessage(t, key, "cart cannot be loaded")
	b := s.openAs(t, adminEmail)
	page := b.get("/")
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))
	address := regexp.MustCompile(`data-live="([^"]*)"`).FindStringSubmatch(page.body)
	require.NotNil(t, address)
	live := html.UnescapeString(address[1])

	first := b.get(live)
	require.Equal(t, http.StatusOK, first.status, first.body)
	require.Contains(t, first.body, "events come in")
	require.NotContains(t, first.body, "<html")
	tag := first.header.Get("ETag")
	require.NotEmpty(t, tag)
	b.header.Set("If-None-Match", tag)
	again := b.get(live)
	require.Equal(t, http.StatusNotModified, again.status)
	require.Empty(t, again.body)

	s.sendMessage(t, key, "no stock of the article")
	changed := b.get(strings.Replace(live, "opened=20", "opened=19", 1))
	require.Equal(t, http.StatusOK, changed.status, changed.body)
	require.Contains(t, changed.body, "2 new issues</a> since you opened this page")

	require.Equal(t, http.StatusNotFound, b.get("/?fragment=nothing&opened=2026-01-01T00:00:00Z").status)
	require.Equal(t, http.StatusBadRequest, b.get("/?fragment=news&opened=x").status)
	require.Equal(t, http.StatusUnauthorized, s.newBrowser(t).get(live).status, "a script is not led to the sign-in page")
}

// TestPagesOfAList walks through a list that is longer than a page.
func TestPagesOfAList(t *testing.T) {
	t.Parallel()
	messages := make([]string, 27)
	for i := range messages {
		messages[i] = "the word " + strings.Repeat("x", i+1) + " is unknown"
	}
	s, _, _ := openIssues(t, messages...)
	b := s.openAs(t, adminEmail)
	first := b.get("/?sort=last_seen").body
	require.Contains(t, first, "25 ")
	next := regexp.MustCompile(`<a href="([^"]*)" rel="next">Older</a>`).FindStringSubmatch(first)
	require.NotNil(t, next)

	second := b.get(html.UnescapeString(next[1])).body

	require.Equal(t, 2, strings.Count(second, "<tr data-row"))
	require.Contains(t, second, `<a href="/?sort=last_seen">Back to the first</a>`)
	require.NotContains(t, second, `rel="next"`)
}

// TestListCountsAndNarrows looks at the numbers of the tabs, the selects and the hours.
func TestListCountsAndNarrows(t *testing.T) {
	t.Parallel()
	s, databaseURL, ids := openIssues(t, "cart cannot be loaded", "no stock of the article")
	key := s.postAsAdmin(t, "/v1/projects", `{"name": "Back office"}`)["dsn"].(string)
	dsn, err := url.Parse(key)
	require.NoError(t, err)
	sent := s.sendRequest(t.Context(), http.MethodPost, "/v1/ingest", dsn.User.Username(),
		strings.NewReader(`{"message": "mail is not sent", "environment": "stage<img>", "release": "2.0<img src=x>"}`))
	require.Equal(t, http.StatusOK, sent.status, sent.body)
	b := s.openAs(t, adminEmail)
	b.follow("/issues/change", "action", "resolve", "id", fmt.Sprint(ids[0]), "return_to", "/")
	_, err = openConnection(t, databaseURL).Exec(t.Context(), `UPDATE issues SET test = true WHERE id = $1`, ids[1])
	require.NoError(t, err)

	page := b.get("/").body

	require.Contains(t, page, `Open<span class="number">1</span>`)
	require.Contains(t, page, `Resolved<span class="number">1</span>`)
	require.Contains(t, page, `hidden: <a href="/?test=true">1 test</a>`)
	require.Contains(t, page, `<option value="stage&lt;img&gt;">stage&lt;img&gt;</option>`)
	require.Contains(t, page, `>2.0&lt;img src=x&gt;</option>`)
	require.Contains(t, page, `aria-label="1 event in 24 hours"`)
	requireHarmless(t, page)
	require.NotContains(t, b.get("/?project=web-shop").body, "stage&lt;img&gt;")
	require.Contains(t, b.get("/?environment="+url.QueryEscape("stage<img>")).body, "mail is not sent")

	_, err = openConnection(t, databaseURL).Exec(t.Context(), `UPDATE issues SET noise = true WHERE title LIKE '%mail%'`)
	require.NoError(t, err)
	page = b.get("/?since=24h").body
	require.Contains(t, page, `<a href="/?since=24h&amp;test=true">1 test</a>, <a href="/?noise=true&amp;since=24h">1 noise</a>`)
	require.NotContains(t, page, "mail is not sent")
	noise := b.get("/?noise=true&since=24h").body
	require.Contains(t, noise, "mail is not sent")
	require.Contains(t, noise, `<a href="/?since=24h">Show the other issues</a>`)
}
