//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	permissions "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The most clicks and copies between the link of the first sign-up and the first event. A click that copies is counted as both.
const (
	mostFirstClicks = 4
	mostFirstCopies = 2
)

// checkFirstRun signs up and connects an application, by an agent and by hand.
func (s *pagesSite) checkFirstRun(t *testing.T) {
	p := s.browser.openPerson(t, s.url)
	p.allowClipboard()
	p.openPath(s.readSignUpLink())
	p.write(`input[name="email"]`, ann)
	p.write(`input[name="password"]`, pagesPassword)
	p.write(`input[name="repeated"]`, pagesPassword)
	p.click(`form[action="/sign-up"] button`)
	p.waitForText("Connect the first application")
	signUpClicks := p.clicks

	p.click(`button[value="key"]`)
	p.waitForText("valid for one hour, and is shown only now")
	prompt := p.copy("pre.long [data-copy]")
	key := regexp.MustCompile(`cks_\w+`).FindString(prompt)
	require.NotEmpty(t, key, prompt)
	agent := connectMCPAgent(t, s.url, key)
	agent.setUpNode(s.server, key)
	p.waitForText("First error of the app") // the steps arrive while the page is open
	p.waitFor(`document.querySelector("ol.setup li:nth-child(4)").className === "done"`)
	t.Logf("by an agent: %d clicks, %d copies", p.clicks, p.copies)
	require.LessOrEqual(t, p.clicks, mostFirstClicks)
	require.LessOrEqual(t, p.copies, mostFirstCopies)

	p.clicks, p.copies = signUpClicks, 0
	s.connectByHand(t, p)
	t.Logf("by hand: %d clicks, %d copies", p.clicks, p.copies)
	require.LessOrEqual(t, p.clicks, mostFirstClicks)
	require.LessOrEqual(t, p.copies, mostFirstCopies)
	p.click(`[data-live] a`)
	p.waitForText("first error of back-office")
	require.Empty(t, p.takeProblems())
}

// connectByHand creates a project, and runs what the page offers to copy in the folder of an application that has the SDK.
func (s *pagesSite) connectByHand(t *testing.T, p *person) {
	t.Helper()
	p.write(`input[name="name"]`, "Back office")
	p.click(`button[value="project"]`)
	p.waitForText("The project Back office is created")
	p.waitForText("for its first event")
	dir := tempBeside(t, ".")
	for _, file := range []string{"instrument.mjs", "first-error.mjs"} {
		evaluateIn[string](p.tab, `[...document.querySelectorAll("p.file")].find(p => p.textContent === %[1]s)
			.nextElementSibling.dataset.file = %[1]s`, quote(file))
		lines := p.copy(`pre[data-file="` + file + `"] [data-copy]`)
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(lines), 0o600))
	}
	run := exec.CommandContext(t.Context(), "node", "--import", "./instrument.mjs", "first-error.mjs")
	run.Dir = dir
	text, err := run.CombinedOutput()
	require.Error(t, err, "the error ends the application")
	require.Contains(t, string(text), "first error of back-office")
	p.waitForText("its last event came")
}

// allowClipboard lets the page read what is copied, so that the test sees it. Writing needs no permission after a click.
func (p *person) allowClipboard() {
	p.t.Helper()
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(p.ctx, permissions.SetPermission, permissions.SetPermissionParams{
			Permission: &permissions.PermissionDescriptor{Name: name}, Setting: permissions.PermissionSettingGranted, Origin: p.site,
			BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
		})
		require.NoError(p.t, err)
	}
}
