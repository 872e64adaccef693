//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkTogether has two people and an agent work on one issue. The clocks of the tabs are quick, so what a page shows by itself within
// half a minute is there soon.
func (s *pagesSite) checkTogether(t *testing.T) {
	dsn, slug := s.makeProject("Together")
	id := s.sendIssue(t, dsn, slug, crashOf("three work on it", "shop@1.0"))
	issue, api := fmt.Sprint("/issues/", id), fmt.Sprint("/v1/issues/", id)
	token := s.makeToken("claude-2")
	a, b, list := s.openAs(t, ann, quickClock), s.openAs(t, ben, quickClock), s.openAs(t, ann, quickClock)
	for _, p := range []*person{a, b} {
		p.open(issue)
		p.waitForText("three work on it")
		require.Zero(t, evaluateIn[int](p.tab, `[...document.querySelectorAll("[data-live]")].filter(e => Number(e.dataset.every) > 30).length`))
	}
	list.open("/?project=" + slug)

	require.Equal(t, http.StatusOK, s.callAPI(token, "POST", api+"/claim", `{}`, nil))
	for _, p := range []*person{a, b} {
		p.waitForText("held by claude-2")
		p.waitForText("claimed it for 2 h")
	}
	a.click(`button[value="claim"]`)
	a.waitForText("Somebody else works on it: claude-2")
	s.sendIssue(t, dsn, slug, crashOf("another one came meanwhile", "shop@1.0"))
	list.waitForText("1 new issue since you opened this page")
	require.Equal(t, 1, evaluateIn[int](list.tab, `document.querySelectorAll("tr[data-row]").length`), "the list does not move")

	b.write(`textarea[name="text"]`, "half a note")
	a.write(`textarea[name="text"]`, "the price service is down")
	a.click("form.note button")
	b.waitFor(`document.querySelector("blockquote")?.textContent === "the price service is down"`)
	require.Equal(t, "half a note", evaluateIn[string](b.tab, `document.querySelector("textarea[name=text]").value`))

	b.click(`button[popovertarget="link-fix"]`)
	b.write(`input[name="fix"]`, "1111111")
	require.Equal(t, http.StatusOK, s.callAPI(token, "POST", api+"/fix", `{"commit": "2222222", "note": "the agent was first"}`, nil))
	a.waitForText("commit 2222222 by claude-2")
	require.Equal(t, "1111111", evaluateIn[string](b.tab, `document.querySelector("#link-fix:popover-open [name=fix]").value`),
		"what Ben writes stays")
	b.click("#link-fix button")
	b.waitForText("linked commit 1111111")
	b.waitForText("linked commit 2222222") // the fix that his replaces
	a.waitForText("commit 1111111 by " + ben)

	s.checkTriageTogether(t, id, a, b)
	require.Equal(t, http.StatusOK, s.callAPI(token, "POST", api+"/resolve", `{}`, nil))
	for _, p := range []*person{a, b} {
		p.waitForText("resolved it")
		p.waitFor(`document.querySelector("button.first").textContent === "Reopen"`)
		require.Empty(t, p.takeProblems())
	}
}

// checkTriageTogether has two people correct one triage, each on a form that was opened before.
func (s *pagesSite) checkTriageTogether(t *testing.T, id int64, a, b *person) {
	t.Helper()
	for _, p := range []*person{a, b} {
		p.open(fmt.Sprintf("/issues/%d/triage", id))
	}
	a.choose(`select[name="severity"]`, "3")
	a.click("form.fields button")
	a.waitForText("The triage is corrected.")
	b.choose(`select[name="category"]`, "third_party")
	b.click("form.fields button")
	b.waitForText("The triage is corrected.")
	var found struct {
		Data struct {
			Triage struct {
				Category string
				Severity int
			}
		}
	}
	require.Equal(t, http.StatusOK, s.callAPI(adminToken, "GET", fmt.Sprint("/v1/issues/", id), "", &found))
	require.Equal(t, "third_party", found.Data.Triage.Category)
	require.Equal(t, 3, found.Data.Triage.Severity, "Ben has not taken back what Ann corrected")
}
