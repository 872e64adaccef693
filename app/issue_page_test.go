package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// fullCrash is an event with everything that the page of an issue shows; TEXT is what a hostile app writes.
const fullCrash = `{"level":"error","platform":"javascript","release":"RELEASE","environment":"production",
"exception":{"values":[
 {"type":"NetworkError","value":"prices answered 404"},
 {"type":"TypeError","value":"TEXT total is undefined","mechanism":{"type":"onerror","handled":false},"stacktrace":{"frames":[
  {"function":"onClick","filename":"src/pay.tsx","lineno":22,"in_app":true,"context_line":"submit();"},
  {"function":"invoke","filename":"node_modules/react-dom/index.js","lineno":9,"in_app":false,"context_line":"library code"},
  {"function":"flush","filename":"node_modules/scheduler/index.js","lineno":3,"in_app":false},
  {"function":"total TEXT","filename":"src/cart.ts","lineno":41,"colno":23,"in_app":true,"pre_context":["before TEXT"],
   "context_line":"\tsum += line.price.total;","post_context":["after"],"vars":{"sku TEXT":"A-77 TEXT","count":2}}]}}]},
"threads":{"values":[{"id":1,"name":"main TEXT","current":true,
  "stacktrace":{"frames":[{"function":"idle","filename":"src/idle.ts","in_app":true}]}},
 {"id":7,"name":"worker","crashed":true,"stacktrace":{"frames":[{"function":"crashed","filename":"src/worker.ts","in_app":true}]}}]},
"request":{"method":"POST","url":"https://shop.example/checkout","headers":{"User-Agent":"TEXT"},"data":{"cart":"TEXT"}},
"user":{"id":"USER","email":"TEXT@example.com"},"tags":{"customer":"acme TEXT"},"extra":{"why TEXT":"TEXT"},
"breadcrumbs":[{"category":"fetch TEXT","type":"http","data":{"method":"GET","url":"/api/TEXT","status_code":404}},
 {"category":"click","message":"button TEXT"}]}`

// hostileField is hostileTitle without what JSON would need to escape.
const hostileField = `'><script>alert(1)</script><img src=x onerror=alert(1)> pay` + "\u202egnp.exe a\u200bb"

// sendCrashes sends events of one issue, of the releases, and returns its id.
func (s *server) sendCrashes(t *testing.T, text string, releases ...string) int64 {
	t.Helper()
	project := s.postAsAdmin(t, "/v1/projects", `{"name": "Shop"}`)
	dsn := regexp.MustCompile(`//([^@]+)@`).FindStringSubmatch(project["dsn"].(string))
	for i, release := range releases {
		body := strings.NewReplacer("TEXT", text, "RELEASE", release, "USER", fmt.Sprint("u", i)).Replace(fullCrash)
		got := s.sendRequest(t.Context(), http.MethodPost, fmt.Sprintf("/api/%.0f/store/?sentry_key=%s", project["id"], dsn[1]), "",
			strings.NewReader(body))
		require.Equal(t, http.StatusOK, got.status, got.body)
	}
	got := s.sendRequest(t.Context(), http.MethodGet, fmt.Sprintf("/v1/issues?project=%.0f", project["id"]), "", http.NoBody)
	var page core.IssuePage
	require.NoError(t, json.Unmarshal([]byte(got.body), &page), got.body)
	require.Len(t, page.Data, 1)
	return page.Data[0].ID
}

// requireOrder holds that texts follow one another in a page.
func requireOrder(t *testing.T, page string, texts ...string) {
	t.Helper()
	rest := page
	for _, text := range texts {
		_, behind, isThere := strings.Cut(rest, text)
		require.True(t, isThere, "%q is not behind the ones before it in %s", text, page)
		rest = behind
	}
}

// TestIssuePageInOrder holds the order of its parts.
func TestIssuePageInOrder(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	id := s.sendCrashes(t, "", "1.0", "1.1", "1.2")
	b := s.openAs(t, adminEmail)
	page := fmt.Sprint("/issues/", id)
	linked := b.follow(page+"/fix", "fix", "https://github.com/acme/shop/pull/311", "note", "guards the list", "return_to", page)
	require.Contains(t, linked, "The fix is linked.")

	got := b.get(page)

	require.Equal(t, http.StatusOK, got.status, got.body)
	requireOrder(t, got.body, "Issues</a> /", "<h1>TypeError</h1>", `<p class="message">`, "total is undefined",
		">Resolve<", ">Claim<", ">Link a fix<", ">Ignore<", ">More<",
		"Merge with another", "Split events off", "Correct the triage",
		`class="badges"`, "fix linked", "Fix linked</b>PR 311 by "+adminEmail, "Deployed</b>", "Verified</b>", "<h2>Stack",
		"latest of 3 events", ">Older<", ">First<", ">As sent<",
		"nothing caught it", "<b>total", "src/cart.ts:41:23", `data-n="41" class="failed">    sum +=`, "A-77",
		"2 frames of scheduler and react-dom",
		"<b>onClick</b>", "caused by", "NetworkError", "What was asked", "POST https://shop.example/checkout", "user email",
		"Before it happened", "GET /api/", `badge warn">404`, "<h2>Activity", "wrote", "guards the list", "linked PR 311",
		"30 days", "Events</dt>", "Who and where", "release</dt>", "Hand to an agent", "What an agent sees", "tokens")
	require.NotContains(t, got.body, "library code", "frames of libraries are folded")
	require.Equal(t, http.StatusNotFound, b.get(page+"?fragment=stack").status)
	plain := s.sendMessage(t, s.makeProject(t), "plain")
	require.NotContains(t, b.get(fmt.Sprint("/issues/", plain)).body, "progress", "the steps of a fix are there only with one")

	all := b.get(page + "?frames=all&raw=1").body
	require.Contains(t, all, "library code")
	require.Contains(t, all, "With source maps")
	require.Contains(t, b.get(page+"?thread=1").body, "<b>crashed</b>")
	requireOrder(t, b.get(page).body, ">The exception<", ">Thread worker, crashed<", ">Thread main , current<")
	b.post("/account/preferences", "frames", "oldest")
	requireOrder(t, b.get(page).body, "<b>onClick</b>", "<b>total")
	require.Empty(t, regexp.MustCompile(`(?i)<[^>]+ (on[a-z]+|style)=`).FindAllString(got.body, -1), "the pages' policy forbids them")
}

// TestWalkingThroughEvents goes from event to event under a filter.
func TestWalkingThroughEvents(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	id := s.sendCrashes(t, "", "1.0", "1.1", "1.0")
	b := s.openAs(t, adminEmail)
	page := fmt.Sprint("/issues/", id)
	older := func(body string) string {
		link := regexp.MustCompile(`href="([^"]*)" rel="prev" data-key=","`).FindStringSubmatch(body)
		if link == nil {
			return ""
		}
		return strings.ReplaceAll(link[1], "&amp;", "&")
	}

	second := b.get(older(b.get(page).body)).body
	require.Contains(t, second, "one of 3 events")
	require.Contains(t, second, `data-key="."`)
	require.Contains(t, second, ">Latest<")
	first := b.get(older(second)).body
	require.Contains(t, first, "oldest stored of 3 events")
	require.Empty(t, older(first))

	narrow := b.get(page + "?release=1.0").body
	require.Contains(t, narrow, "latest of those that pass")
	require.Contains(t, narrow, "release 1.0")
	require.Contains(t, b.get(older(narrow)).body, "oldest stored of those that pass", "1.1 lies between them")
	require.Contains(t, b.get(page+"?release=9").body, "No stored event passes")
	require.Equal(t, http.StatusBadRequest, b.get(page+"?since=%3Cimg%3E").status)
	require.Equal(t, http.StatusNotFound, b.get(page+"?event=999999").status)
	for as, text := range map[string]string{"text": "at total", "markdown": "```\nTypeError", "json": `"exceptions": [`} {
		copied := b.get(page + "/copy?as=" + as)
		require.Equal(t, "text/plain; charset=utf-8", copied.header.Get("Content-Type"))
		require.Contains(t, copied.body, text)
	}
	require.Equal(t, http.StatusBadRequest, b.get(page+"/copy?as=html").status)
}

// TestHostileIssuePage opens the page and its neighbours for an issue whose app writes markup everywhere.
func TestHostileIssuePage(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	id := s.sendCrashes(t, hostileField, "1.0<img src=x onerror=alert(1)>")
	b := s.openAs(t, adminEmail)
	page := fmt.Sprint("/issues/", id)
	b.follow(page+"/notes", "text", "a note\n"+hostileTitle, "return_to", page)

	for _, path := range []string{
		page, page + "?frames=all&raw=1", page + "?thread=0", page + "/agent", page + "/triage", page + "/split",
		"/issues/merge?id=" + fmt.Sprint(id), page + "?tag=" + "%3Cimg+src%3Dx%3E:1",
		page + "?environment=%22%3E%3Cscript%3E",
	} {
		got := b.get(path)
		require.Equal(t, http.StatusOK, got.status, path)
		requireHarmless(t, got.body)
	}
	for _, part := range []string{"head", "activity", "fix"} {
		require.NotRegexp(t, "<(script|img)|[\u202e\u200b]", b.get(page+"?fragment="+part).body, part)
	}
	require.Contains(t, b.get(page).body, "1.0&lt;img src=x")
	require.Equal(t, "nosniff", b.get(page+"/copy?as=text").header.Get("X-Content-Type-Options"))
	long := s.sendMessage(t, s.makeProject(t), strings.Repeat("x", 100_000))
	require.Less(t, len(b.get(fmt.Sprint("/issues/", long)).body), 60_000)
}

// TestLivePartsOfAnIssue has two people look at one issue.
func TestLivePartsOfAnIssue(t *testing.T) {
	t.Parallel()
	s, databaseURL, ids := openIssues(t, "cart cannot be loaded")
	addMember(t, databaseURL, "member@example.com", core.RoleMember)
	page := fmt.Sprint("/issues/", ids[0])
	ann, member := s.openAs(t, adminEmail), s.openAs(t, "member@example.com")
	opened := ann.get(page).body
	tag := regexp.MustCompile(`data-part="head" data-tag="([^"]*)"`).FindStringSubmatch(opened)
	require.NotNil(t, tag, opened)
	ann.header.Set("If-None-Match", strings.ReplaceAll(tag[1], "&#34;", `"`))
	require.Equal(t, http.StatusNotModified, ann.get(page+"?fragment=head").status)

	member.follow("/issues/change", "action", "claim", "id", fmt.Sprint(ids[0]), "return_to", page)

	head := ann.get(page + "?fragment=head")
	require.Equal(t, http.StatusOK, head.status)
	require.Contains(t, head.body, "held by member@example.com")
	require.NotContains(t, head.body, "<html")
	tagOfClaim := head.header.Get("ETag")
	ann.header.Del("If-None-Match")
	require.Contains(t, ann.get(page+"?fragment=activity").body, "claimed it for 2 h")
	member.follow(page+"/notes", "text", "half of it is done")
	ann.header.Set("If-None-Match", tagOfClaim)
	require.Equal(t, http.StatusOK, ann.get(page+"?fragment=head").status, "a note changes it, so that the activity is asked for")
	ann.header.Del("If-None-Match")
	require.Contains(t, ann.follow("/issues/change", "action", "claim", "id", fmt.Sprint(ids[0]), "return_to", page),
		"Somebody else works on it: member@example.com")
	require.Contains(t, member.follow(page+"/release"), "The claim is given back.")
}

// TestMergesAndSplitsReachAnOpenActivity holds that the script asks for the activity again: the head of the page is another one then.
func TestMergesAndSplitsReachAnOpenActivity(t *testing.T) {
	t.Parallel()
	s, _, ids := openIssues(t, "cart cannot be loaded", "cart cannot be saved")
	page := fmt.Sprint("/issues/", ids[0])
	var events []struct{ ID int64 }
	s.getJSON(t, fmt.Sprintf("/v1/issues/%d/events", ids[1]), &events)
	ann := s.openAs(t, adminEmail)
	ann.header.Set("If-None-Match", ann.get(page+"?fragment=head").header.Get("ETag"))
	for _, change := range [][2]string{
		{"merge", fmt.Sprintf(`{"source_ids": [%d]}`, ids[1])}, {"split", fmt.Sprintf(`{"event_ids": [%d]}`, events[0].ID)},
	} {
		require.Equal(t, http.StatusNotModified, ann.get(page+"?fragment=head").status, change[0])
		s.postAsAdmin(t, "/v1"+page+"/"+change[0], change[1])
		head := ann.get(page + "?fragment=head")
		require.Equal(t, http.StatusOK, head.status, change[0])
		ann.header.Set("If-None-Match", head.header.Get("ETag"))
	}
}
