//go:build e2e

package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/stretchr/testify/require"
)

// checkWithoutScript goes through the main flows in a browser that runs no script.
func (s *pagesSite) checkWithoutScript(t *testing.T) {
	slug, ids := s.makeIssues(t, "Scriptless", "the first has no script", "the second has no script", "the third has no script")
	p := s.browser.openPerson(t, s.url)
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	p.open("/")
	p.fillForm("/sign-in", "email", ben, "password", pagesPassword)
	p.waitForText("Most important first")
	require.False(t, evaluateIn[bool](p.tab, `document.querySelector("p.unseen[role=status]") !== null`), "the script of the page runs")

	p.choose(`select[name="project"]`, slug)
	p.click("form.filters button")
	p.waitForPath("/?project=" + slug + "&environment=&release=&since=&sort=priority")
	require.Zero(t, evaluateIn[int](p.tab, `[...document.querySelectorAll(".scripted")].filter(e => e.checkVisibility()).length`))
	p.click(`tr[data-row]:nth-child(1) input[type="checkbox"]`)
	p.click(`button[value="resolve"]`)
	p.waitForText("1 resolved.")
	p.click(`.said button`)
	p.waitForText("1 reopened.")
	p.click(`tr[data-row]:nth-child(1) a.title`)
	p.waitForText("has no script")

	issue := fmt.Sprint("/issues/", ids[0])
	p.open(issue)
	p.click(`button[value="claim"]`)
	p.waitForText("held by " + ben)
	p.click(`button[formaction$="/release"]`)
	p.waitForText("The claim is given back.")
	p.write(`textarea[name="text"]`, "the cache is cold")
	p.click("form.note button")
	p.waitForText("The note is written.")
	p.click(`button[popovertarget="link-fix"]`)
	p.write(`input[name="fix"]`, "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432")
	p.click("#link-fix button")
	p.waitForText("The fix is linked.")
	p.click(`button[popovertarget="ignore"]`)
	p.choose(`select[name="until"]`, "7d")
	p.click("#ignore button")
	p.waitForText("ignored until")
	p.click(".said button")
	p.waitForText("1 reopened.")
	p.click(`[rel="none"], a[data-key="f"]`)
	p.waitForText("invoke")

	s.checkChangesWithoutScript(t, p, ids)
	s.checkTourWithoutScript(t, p, s.makeTour(t, slug))
	p.open("/welcome")
	p.write(`input[name="name"]`, "Made without a script")
	p.click(`button[value="project"]`)
	p.waitForText("The project Made without a script is created")
	p.open("/account")
	p.fillForm("/sign-out")
	p.waitForText("Forgot your password?")
	require.Empty(t, p.takeProblems())
}

// checkChangesWithoutScript corrects, splits and merges issues.
func (s *pagesSite) checkChangesWithoutScript(t *testing.T, p *person, ids []int64) {
	t.Helper()
	issue := fmt.Sprint("/issues/", ids[0])
	p.open(issue + "/triage")
	p.choose(`select[name="severity"]`, "3")
	p.click("form.fields button")
	p.waitForText("The triage is corrected.")
	p.open(issue + "/split")
	p.click(`input[name="event_ids"]`)
	p.click("main form button.first")
	p.waitFor(`document.querySelector("main .said") !== null`)
	p.open("/issues/merge?id=" + fmt.Sprint(ids[1]))
	p.write(`input[type="number"]`, fmt.Sprint(ids[2]))
	p.click("main form.line button")
	p.waitForText("Merge into the chosen one")
	p.click("main form button.first")
	p.waitForText("1 issue is merged into issue")
}

// checkTourWithoutScript goes through the pages beside the issues.
func (s *pagesSite) checkTourWithoutScript(t *testing.T, p *person, made tour) {
	t.Helper()
	p.open("/agents")
	p.waitForText("At work now")
	p.open("/releases")
	p.click(fmt.Sprintf(`a[href*="project=%s&"]`, made.project))
	p.waitForText("New in this release")
	p.open("/approvals")
	p.click(fmt.Sprintf(`form[action="/approvals/%d"] button[value="approve"]`, made.request))
	p.waitForText("Approved, and done.")

	p.open("/projects/" + made.project + "/settings")
	p.write(`input[name="daily_quota"]`, "5000")
	p.click("#quota button")
	p.waitForText("Saved. Events follow within 60 seconds.")

	p.open("/settings/tokens")
	p.write(`input[name="name"]`, "without a script")
	p.click("#new button")
	p.waitForText("The token of without a script")
	p.click(`a[aria-label="Revoke without a script"]`)
	p.waitForText("Revoke without a script?")
	p.click("main form button.first")
	p.waitForText("The token is revoked.")

	p.open("/settings/webhooks/new")
	p.write(`input[name="name"]`, "without a script")
	p.write(`input[name="url"]`, made.receiver)
	p.click("main form.fields button")
	p.waitForText("Nothing was sent yet")
	p.click(`button[value="test"]`)
	p.waitForText("The test arrived")
}

// choose chooses an option of a select by its value.
func (p *person) choose(selector, value string) {
	p.t.Helper()
	evaluateIn[string](p.tab, `document.querySelector(%s).value = %s`, quote(selector), quote(value))
}
