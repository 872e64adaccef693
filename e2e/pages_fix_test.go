//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkLifeOfFixOnPages follows an issue from the list to its verified fix, and to its return, as somebody sees it who keeps the page open.
func checkLifeOfFixOnPages(t *testing.T, b *browser) {
	s := &pagesSite{startServerOn(t, newDir(t), "VERIFY_MIN=1s", "VERIFY_MAX=2s"), b}
	s.addPerson(t, ann, true)
	dsn, slug := s.makeProject("Shop")
	s.sendIssue(t, dsn, slug, crashOf("the total is undefined", "shop@1.0"))
	p := s.openAs(t, ann, quickClock)

	p.open("/")
	p.click("tr[data-row] a.title")
	p.waitForText("the total is undefined")
	p.click(`button[popovertarget="link-fix"]`)
	p.write(`input[name="fix"]`, "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432")
	p.click("#link-fix button")
	p.waitForText("The fix is linked.")
	p.waitForStep(1, "done", "Fix linked")
	p.waitForStep(2, "", "Deployed")

	s.reportDeploy(t, slug, "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432", "shop@1.1")
	p.waitForStep(2, "done", "shop@1.1 to production")
	s.sendIssue(t, dsn, slug, crashOf("another error shows that the shop runs", "shop@1.1"))
	p.waitForStep(3, "done", "Verified")
	p.waitForText("the fix held")
	p.waitForText("verified: quiet")

	s.sendIssue(t, dsn, slug, crashOf("the total is undefined", "shop@1.1"))
	p.waitForStep(4, "back", "in shop@1.1")
	p.waitForText("regressed in shop@1.1")
	require.Empty(t, p.takeProblems())
	p.open("/?status=regressed")
	p.waitForText("the total is undefined")
}

func (s *server) reportDeploy(t *testing.T, slug, commit, release string) {
	t.Helper()
	body := fmt.Sprintf(`{"project":%q,"commit":%q,"release":%q}`, slug, commit, release)
	require.Equal(t, http.StatusCreated, s.callAPI(adminToken, "POST", "/v1/deploys", body, nil))
}

// waitForStep waits until a step of the fix is in a state and has a text.
func (p *person) waitForStep(n int, state, text string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`(step => step?.className === %s && step.innerText.includes(%s))(
		document.querySelector(".progress > :nth-child(%d)"))`, quote(state), quote(text), n))
}
