//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// fillForm types into the fields of the page's form for a path, and sends it.
func (p *tab) fillForm(path string, fields ...string) {
	p.t.Helper()
	form := `form[action="` + path + `"] `
	for i := 0; i < len(fields); i += 2 {
		require.NoError(p.t, chromedp.Do(p.ctx, chromedp.SendKeys(chromedp.CSS(form+`input[name="`+fields[i]+`"]`), fields[i+1])))
	}
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Click(chromedp.CSS(form+"button"))))
}

// waitForText waits until the page shows a text.
func (p *tab) waitForText(text string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return strings.Contains(evaluateIn[string](p, "document.body?.innerText || ''"), text) },
		20*time.Second, 50*time.Millisecond, "%s", text)
}

// openPath goes to an address.
func (p *tab) openPath(address string) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Navigate(address)))
}

// TestPeopleInABrowser signs up, out and in like a person. The pages' policy must not block any of it.
func TestPeopleInABrowser(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	const email, password, another = "ann@example.com", "correct horse battery", "another horse battery"
	p := (&browser{ctx: startChromium(t)}).openURL(t, s.readSignUpLink())

	p.fillForm("/sign-up", "email", email, "password", password, "repeated", password)
	p.waitForText("Connect the first application")
	p.openPath(s.url + "/account")
	p.waitForText("Signed in as ann@example.com, a site admin.")
	require.Empty(t, evaluateIn[string](p, "document.cookie"), "no script reads it")
	require.Contains(t, evaluateIn[string](p, "getComputedStyle(document.body).fontFamily"), "system-ui", "the style is loaded")
	p.fillForm("/account/password", "present_password", password, "password", another, "repeated", another)
	p.waitForText("The password is changed")
	p.fillForm("/sign-out")
	p.waitForText("Forgot your password?")
	p.fillForm("/sign-in", "email", email, "password", "wrong")
	p.waitForText("The e-mail address or the password is wrong.")
	p.fillForm("/sign-in", "password", another)
	p.waitForText("No application is connected yet")
	p.openPath(s.url + "/v1/tokens/current")
	p.waitForText(`"name":"ann@example.com"`)
	p.openPath(s.url + "/account")
	p.fillForm("/account/sign-out-everywhere")
	p.waitForText("Forgot your password?")
}
