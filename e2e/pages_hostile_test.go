//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hostileText is what an app, a person or an agent may write. It would run something, is read backwards, and has what nobody sees.
const hostileText = `"'><img src=x onerror=alert(1)><script>alert(1)</script><svg onload=alert(1)>` +
	"`${alert(1)}{{alert(1)}} javascript:alert(1) pay\u202egnp.exe\u2066 a\u200bb\ufeffc\u00a0d\u3000e"

// hostileName is the same for names, which are short and have no invisible characters.
const hostileName = `"'><img src=x onerror=alert(1)>${1}{{1}}`

// longLine has no place where it could break.
var longLine = strings.Repeat("x", 10_000)

// hostileEvent has hostile texts in all its fields.
func hostileEvent() map[string]any {
	text, long := hostileText, hostileText+longLine
	frame := func(inApp bool) map[string]any {
		return map[string]any{
			"function": long, "module": text, "filename": "src/" + text, "abs_path": text, "lineno": 1, "colno": 2, "in_app": inApp,
			"pre_context": []string{text, longLine}, "context_line": long, "post_context": []string{text}, "vars": map[string]any{text: long},
		}
	}
	stack := map[string]any{"frames": []any{frame(true), frame(false), frame(true)}}
	exception := map[string]any{"type": text, "value": long, "module": text, "stacktrace": stack,
		"mechanism": map[string]any{"type": text, "handled": false}}
	return map[string]any{
		"platform": "javascript", "level": "error", "release": text, "environment": "e" + text, "dist": text, "server_name": text,
		"transaction": long, "logger": text, "fingerprint": []string{text}, "culprit": long,
		"sdk":       map[string]any{"name": text, "version": text},
		"exception": map[string]any{"values": []any{exception, exception}},
		"threads":   map[string]any{"values": []any{map[string]any{"id": text, "name": text, "crashed": true, "stacktrace": stack}}},
		"tags":      map[string]string{"customer": text, "browser": text, "url": text},
		"user":      map[string]string{"id": text, "email": text, "username": text, "ip_address": "127.0.0.1"},
		"extra":     map[string]any{text: long, "deep": map[string]any{text: []any{text}}},
		"contexts":  map[string]any{"browser": map[string]string{"name": text, "version": text}, text: map[string]any{"type": text, text: long}},
		"request": map[string]any{"url": "https://shop.example/" + text, "method": "POST", "query_string": text, "cookies": text,
			"data": map[string]string{text: long}, "headers": map[string]string{"User-Agent": text, "X-Hostile": long}},
		"breadcrumbs": []any{map[string]any{"type": text, "category": text, "message": long, "level": text, "data": map[string]any{text: text}}},
		"modules":     map[string]string{text: text},
	}
}

// sendHostile fills a project with hostile texts, and returns its slug and the paths of its issues.
func (s *pagesSite) sendHostile(t *testing.T) (slug string, issues []string) {
	t.Helper()
	var made struct{ Data struct{ DSN, Slug string } }
	require.Equal(t, http.StatusCreated, s.callAPI(adminToken, "POST", "/v1/projects", quote(map[string]string{"name": hostileName}), &made))
	id := s.sendIssue(t, made.Data.DSN, made.Data.Slug, hostileEvent())
	line := s.sendIssue(t, made.Data.DSN, made.Data.Slug, map[string]any{"message": longLine, "culprit": longLine})
	_, token := s.makeTokenWith(hostileName, "issues:read", "issues:write", "releases:write")
	api := fmt.Sprint("/v1/issues/", id)
	text := quote(hostileText)
	for _, call := range []struct{ path, body string }{
		{api + "/claim", `{"worker":` + quote(hostileName) + `}`},
		{api + "/notes", `{"text":` + quote(hostileText+longLine[:3000]) + `}`},
		{api + "/fix", `{"commit":"9f8e7d6c5b4a","note":` + text + `}`},
		{"/v1/deploys", `{"project":` + quote(made.Data.Slug) + `,"commit":"9f8e7d6c5b4a","release":` + quote(hostileText[:100]) +
			`,"environment":` + quote(hostileName) + `}`},
		{fmt.Sprint("/v1/issues/", line) + "/notes", `{"text":` + quote(longLine[:4000]) + `}`},
	} {
		var answer any
		require.Less(t, s.callAPI(token, "POST", call.path, call.body, &answer), 300, "%s: %v", call.path, answer)
	}
	return made.Data.Slug, []string{fmt.Sprint("/issues/", id), fmt.Sprint("/issues/", line)}
}

// findBroken names the elements of a page that an app's text has made, or that are wider than the box they are in.
const findBroken = `(() => {
	const broken = [];
	for (const e of document.querySelectorAll("main *")) {
		if (e.matches("[onload], [onerror]") || !e.closest("svg") && e.matches("img, script, iframe, object, embed, style, link, base")) {
			broken.push("made by a text: " + e.outerHTML.slice(0, 200));
		}
		const style = getComputedStyle(e), right = e.getBoundingClientRect().right;
		if (e.matches("a[href]") && !/^https?:/.test(e.href)) broken.push("a link to " + e.href);
		if (["absolute", "fixed"].includes(style.position) || e.closest("svg, option")) continue;
		if (!e.checkVisibility() || !e.innerText?.trim()) continue;
		for (let box = e.parentElement; box; box = box.parentElement) {
			if (getComputedStyle(box).overflowX !== "visible" || box.matches(":popover-open")) break;
			if (!box.getClientRects().length || !box.matches("section, td, th, dd, dt, aside, form, .sheet, main, body")) continue;
			if (right > box.getBoundingClientRect().right + 1) {
				broken.push("wider than its " + box.nodeName + "." + box.className + ": " + e.outerHTML.slice(0, 120));
				break;
			}
		}
	}
	const unseen = /[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/;
	if (unseen.test(document.body.textContent + document.title)) broken.push("an unmarked character in the text");
	for (const e of document.querySelectorAll("*")) {
		for (const a of e.attributes) if (a.name !== "value" && unseen.test(a.value)) broken.push("an unmarked character in " + a.name);
	}
	if (document.documentElement.scrollWidth > document.documentElement.clientWidth) broken.push("the page scrolls sideways");
	return broken.slice(0, 5);
})()`

// checkHostileTexts opens the pages that show texts of apps, people and agents. Nothing runs, and nothing looks like something else.
func (s *pagesSite) checkHostileTexts(t *testing.T) {
	slug, issues := s.sendHostile(t)
	p := s.openAs(t, ben)
	merge := "/issues/merge?id=" + strings.TrimPrefix(issues[0], "/issues/") + "&id=" + strings.TrimPrefix(issues[1], "/issues/")
	query := url.QueryEscape(hostileText)
	for _, width := range []int64{1400, 360} {
		p.setSize(width)
		for _, path := range []string{
			"/?status=fix_pending&project=" + slug, "/?project=" + slug, "/?search=" + query, "/?environment=" + query + "&release=" + query,
			issues[0], issues[0] + "?frames=all&raw=1", issues[0] + "?thread=0", issues[0] + "?release=" + query, issues[0] + "/agent",
			issues[0] + "/triage", issues[0] + "/split", merge, issues[1], issues[1] + "/agent", "/welcome?project=" + slug, "/welcome",
			"/sign-in?return_to=" + query,
		} {
			p.open(path)
			p.waitFor("true")
			require.Empty(t, evaluateIn[[]string](p.tab, "%s", findBroken), "%s at %d", path, width)
			require.Empty(t, p.takeProblems(), "%s at %d", path, width)
		}
	}
	p.open(issues[0])
	require.NotZero(t, evaluateIn[int](p.tab, `document.querySelectorAll(".message .marked, .stack .marked").length`),
		"what ingest leaves of it is marked")
}

// checkOtherSites opens a page of another origin of the same machine: cookies go along, and no frame and no form gets anywhere.
func (s *pagesSite) checkOtherSites(t *testing.T) {
	_, ids := s.makeIssues(t, "Attacked", "somebody wants this one resolved")
	attack := fmt.Sprintf(`<!doctype html><title>A page</title><iframe src="%[1]s/issues/%[2]d"></iframe>
		<form method="post" action="%[1]s/issues/change"><input name="action" value="resolve"><input name="id" value="%[2]d">
		<button>Win</button></form>`,
		s.url, ids[0])
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(attack))
	}))
	t.Cleanup(other.Close)
	p := s.openAs(t, ben)

	p.openPath(other.URL)
	require.Eventually(t, func() bool { return strings.Contains(strings.Join(p.takeProblems(), "\n"), "frame-ancestors 'none'") },
		20*time.Second, 50*time.Millisecond, "the page is not framed")
	p.click("button")

	p.waitForPath("/issues/change")
	p.waitForText("sent from another site")
	require.Equal(t, "unresolved", s.readStatus(ids[0]))
}
