//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// mostResolveKeys is how many keys lead from the list to a resolved issue.
const mostResolveKeys = 2

// makeIssues makes a project with an issue of each message, and returns its slug and their ids. The event of each has a stack.
func (s *server) makeIssues(t *testing.T, project string, messages ...string) (slug string, ids []int64) {
	t.Helper()
	dsn, slug := s.makeProject(project)
	for _, message := range messages {
		ids = append(ids, s.sendIssue(t, dsn, slug, crashOf(message, "shop@1.0")))
	}
	return slug, ids
}

// crashOf is an event of an application.
func crashOf(message, release string) map[string]any {
	return map[string]any{
		"platform": "javascript", "level": "error", "release": release, "environment": "production", "fingerprint": []string{message},
		"tags": map[string]string{"customer": "acme"}, "user": map[string]string{"id": "u1"},
		"exception": map[string]any{"values": []any{map[string]any{
			"type": "TypeError", "value": message,
			"stacktrace": map[string]any{"frames": []any{
				map[string]any{"function": "invoke", "filename": "node_modules/react-dom/index.js", "lineno": 9, "in_app": false},
				map[string]any{"function": "total", "filename": "src/cart.ts", "lineno": 41, "in_app": true, "context_line": "sum += line.price;"},
			}},
		}}},
	}
}

// sendIssue sends an event to a project, and returns the id of the issue that came last then.
func (s *server) sendIssue(t *testing.T, dsnText, slug string, event map[string]any) int64 {
	t.Helper()
	d := parseDSN(t, dsnText)
	answer, err := http.Post(fmt.Sprintf("%s/api/%d/store/?sentry_key=%s", s.url, d.id, d.key), "application/json",
		strings.NewReader(quote(event)))
	require.NoError(t, err)
	_ = answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	var list struct{ Data []struct{ ID int64 } }
	require.Equal(t, http.StatusOK, s.callAPI(adminToken, "GET", "/v1/issues?limit=1&sort=last_seen&project="+slug, "", &list))
	require.Len(t, list.Data, 1)
	return list.Data[0].ID
}

// checkKeyboard works without a pointer: from the sign-in to a resolved issue, and through what else a person does.
func (s *pagesSite) checkKeyboard(t *testing.T) {
	slug, ids := s.makeIssues(t, "Keys", "the first is open", "the second is open", "the third is open")
	p := s.browser.openPerson(t, s.url)
	p.allowClipboard()
	list := "/?project=" + slug
	p.open(list)
	p.waitForText("Sign in")
	p.press(ann, kb.Tab, pagesPassword, kb.Enter)
	p.waitForPath(list)

	p.keys = 0
	p.press("j", "e")
	p.waitForText("1 resolved.")
	require.LessOrEqual(t, p.keys, mostResolveKeys)
	p.press("z")
	p.waitForText("1 reopened.")

	p.press("j", "x", "j", "x", "i")
	p.waitForText("2 ignored.")
	p.press("z")
	p.waitForText("2 reopened.")
	p.press("j", "j", "k", "y")
	p.waitForText("The brief is copied")
	require.Contains(t, evaluateIn[string](p.tab, "navigator.clipboard.readText()"), "TypeError")
	p.press("?")
	p.waitFor(`document.querySelector("dialog[open]")`)
	p.press(kb.Escape)
	p.waitFor(`!document.querySelector("dialog[open]")`)
	p.press("j", "o")
	p.waitFor(`location.pathname.startsWith("/issues/")`)

	p.open(fmt.Sprint("/issues/", ids[0]))
	s.checkIssueKeys(t, p, ids)

	p.press("g", "i")
	p.waitForPath("/")
	p.press("/", "second", kb.Enter)
	p.waitForPath("/?search=second")
	s.checkTourByKeys(t, p, s.makeTour(t, slug))
	p.press("g", "a")
	p.waitForPath("/account")
	p.tabTo("act")
	p.press(kb.ArrowDown, kb.Enter) // the one form of the preferences, sent by its field
	p.tabTo("Keep it")
	p.press(kb.Enter)
	p.waitForText("Kept for all your browsers.")
	p.open(list)
	p.press("j", "e", "?")
	require.False(t, evaluateIn[bool](p.tab, `document.querySelector(".here, dialog[open], .said") !== null`), "the keys are off")
	require.Empty(t, p.takeProblems())
}

// checkIssueKeys uses the keys of an issue's page.
func (s *pagesSite) checkIssueKeys(t *testing.T, p *person, ids []int64) {
	t.Helper()
	p.press("c")
	p.waitForText("1 claimed.")
	p.press("c")
	p.waitForText("The claim is given back.")
	p.press("n", "the cache is cold, and ejcz are letters here", kb.Tab, kb.Enter)
	p.waitForText("The note is written.")
	written := evaluateIn[string](p.tab, `document.querySelector("blockquote").textContent`)
	require.Equal(t, "the cache is cold, and ejcz are letters here", written)
	p.press("f")
	p.waitForText("invoke")
	p.press("r")
	p.waitForText("With source maps")
	p.tabTo("Link a fix")
	p.press(kb.Enter)
	p.waitFor(`document.activeElement.name === "fix"`)
	p.press("9f8e7d6c5b4a39281706f5e4d3c2b1a098765432", kb.Enter)
	p.waitForText("The fix is linked.")
	p.press("e")
	p.waitForText("1 resolved.")
	p.press("u")
	p.waitForText("1 reopened.")
	p.press("i")
	p.waitFor(`document.activeElement.textContent === "Ignore"`)
	p.press(kb.Enter)
	p.waitForText("It is ignored for good")
	p.press("z")
	p.waitForText("1 reopened.")
	p.press("m")
	p.waitForText("Merge it with issue")
	p.waitFor(`document.activeElement.type === "number"`)
	p.press(fmt.Sprint(ids[2]), kb.Enter)
	p.waitForText("Merge into the chosen one")
	p.tabTo("Merge into the chosen one")
	p.press(kb.Enter)
	p.waitForText("1 issue is merged into issue")
}

// checkTourByKeys goes through the pages beside the issues.
func (s *pagesSite) checkTourByKeys(t *testing.T, p *person, made tour) {
	t.Helper()
	p.press("g", "n")
	p.waitForPath("/agents")
	p.waitForText("At work now")
	p.press("g", "r")
	p.waitForPath("/releases")
	p.press("j", "o")
	p.waitForText("New in this release")
	p.press("g", "p")
	p.waitForPath("/approvals")
	p.tabToThe(fmt.Sprintf(`form[action="/approvals/%d"] button[value="reject"]`, made.request))
	p.press(kb.Enter)
	p.waitForText("Rejected. Nothing was changed.")

	p.open("/projects/" + made.project + "/settings")
	p.tabToThe(`input[name="daily_quota"]`)
	p.press("5000", kb.Enter)
	p.waitForText("Saved. Events follow within 60 seconds.")

	p.press("g", "s")
	p.waitForPath("/settings")
	p.tabToThe(`main a[href="/settings/tokens"]`)
	p.press(kb.Enter)
	p.waitForPath("/settings/tokens")
	p.tabToThe(`input[name="name"]`)
	p.press("by keys", kb.Enter)
	p.waitForText("The token of by keys")
	p.tabToThe(`a[aria-label="Revoke by keys"]`)
	p.press(kb.Enter)
	p.waitForText("Revoke by keys?")
	p.tabTo("Revoke the token")
	p.press(kb.Enter)
	p.waitForText("The token is revoked.")

	p.tabToThe(`main a[href="/settings/webhooks"]`)
	p.press(kb.Enter)
	p.waitForPath("/settings/webhooks")
	p.tabTo("New webhook")
	p.press(kb.Enter)
	p.waitForPath("/settings/webhooks/new")
	p.tabToThe(`input[name="name"]`)
	p.press("by keys", kb.Tab, made.receiver, kb.Enter)
	p.waitForText("Nothing was sent yet")
	p.tabTo("Send a test")
	p.press(kb.Enter)
	p.waitForText("The test arrived")
}

// tabTo presses Tab until the element with a text is in focus; a select has the text of its chosen option.
func (p *person) tabTo(text string) {
	p.t.Helper()
	p.tabUntil(`(at.selectedOptions?.[0] ?? at).textContent.trim() === ` + quote(text))
}

// tabToThe presses Tab until the element that a selector finds is in focus.
func (p *person) tabToThe(selector string) {
	p.t.Helper()
	p.tabUntil(`at.matches(` + quote(selector) + `)`)
}

// tabUntil presses Tab until a condition is true of the element in focus.
func (p *person) tabUntil(condition string) {
	p.t.Helper()
	for range 80 {
		p.press(kb.Tab)
		if evaluateIn[bool](p.tab, "(at => %s)(document.activeElement)", condition) {
			return
		}
	}
	require.FailNow(p.t, "the keyboard does not get there", condition)
}
