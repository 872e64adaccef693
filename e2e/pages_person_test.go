//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// person is somebody in front of a page. It counts clicks, copies and keys, and notes problems of the page.
type person struct {
	*tab
	site string // the origin of the pages

	clicks, copies, keys int

	mu       sync.Mutex
	problems []string // what the console says, and dialogs
}

// watchScript notes in each document what moved while it was loaded, and what its policy has refused.
const watchScript = `window.watched = {shift: 0, moved: [], refused: []};
document.addEventListener("securitypolicyviolation", e => {
	watched.refused.push(e.violatedDirective + " of " + e.blockedURI + " " + e.sample);
});
new PerformanceObserver(list => {
	for (const entry of list.getEntries()) {
		if (entry.hadRecentInput) continue;
		watched.shift += entry.value;
		for (const source of entry.sources) watched.moved.push(source.node?.nodeName + "." + source.node?.className);
	}
}).observe({type: "layout-shift", buffered: true});`

// quickClock makes half a minute of a page's timers last half a second.
const quickClock = `const slowly = setTimeout;
window.setTimeout = (act, after, ...args) => slowly(act, after >= 1000 ? after / 60 : after, ...args);`

// openPerson opens somebody's tab. The scripts run before each page's own.
func (b *browser) openPerson(t *testing.T, site string, scripts ...string) *person {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &person{tab: &tab{t, ctx}, site: site}
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		if dialog, isDialog := event.(*page.EventJavascriptDialogOpening); isDialog {
			p.note("dialog: " + dialog.Message)
		}
	}))
	messages := chromedp.Console(ctx)
	go func() {
		for message, err := range messages {
			if err != nil {
				return
			}
			if message.Type == chromedp.ConsoleError || message.IsException() || message.Type == chromedp.ConsoleWarning {
				p.note(message.String() + " " + message.URL)
			}
		}
	}()
	call(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	// The times in the HTML are UTC, so the script has something to change.
	call(p, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "America/Caracas"})
	for _, script := range append([]string{watchScript}, scripts...) {
		call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	}
	p.setSize(1400)
	return p
}

// openAs opens a tab of somebody who is signed in.
func (s *pagesSite) openAs(t *testing.T, email string, scripts ...string) *person {
	t.Helper()
	p := s.browser.openPerson(t, s.url, scripts...)
	p.signInAs(email)
	return p
}

// signInAs gives the tab the session of somebody, as the form of the sign-in page does.
func (p *person) signInAs(email string) {
	p.t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.PostForm(p.site+"/sign-in", url.Values{"email": {email}, "password": {pagesPassword}})
	require.NoError(p.t, err)
	defer answer.Body.Close()
	require.Equal(p.t, http.StatusSeeOther, answer.StatusCode)
	for _, cookie := range answer.Cookies() {
		call(p, network.SetCookie, network.SetCookieParams{Name: cookie.Name, Value: cookie.Value, URL: p.site, HTTPOnly: &cookie.HttpOnly})
	}
}

// call runs a command of the browser's protocol in the tab.
func call[P, R any](p *person, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	answer, err := chromedp.Call(p.ctx, command, params)
	require.NoError(p.t, err)
	return answer
}

func (p *person) note(problem string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, problem)
}

// takeProblems returns what was noted since the last time, and what the policy of the page has refused.
func (p *person) takeProblems() []string {
	p.t.Helper()
	refused := evaluateIn[[]string](p.tab, "window.watched ? watched.refused.splice(0) : []")
	p.mu.Lock()
	defer p.mu.Unlock()
	noted := append(p.problems, refused...)
	p.problems = nil
	return noted
}

// setSize makes the window as wide as that.
func (p *person) setSize(width int64) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.EmulateViewport(width, 900)))
}

// open goes to a path of the pages.
func (p *person) open(path string) {
	p.t.Helper()
	p.openPath(p.site + path)
}

// click clicks the element that a selector finds.
func (p *person) click(selector string) {
	p.t.Helper()
	p.clicks++
	p.run("clicking "+selector, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// copy clicks a button that copies, and returns what is on the clipboard then.
func (p *person) copy(selector string) string {
	p.t.Helper()
	p.copies++
	p.click(selector)
	p.waitFor(`document.querySelector("[role=status].unseen").textContent === "Copied"`)
	return evaluateIn[string](p.tab, "navigator.clipboard.readText()")
}

// press presses the keys of texts, one after the other. A key that the page uses writes nothing, as on a keyboard; chromedp.KeyEvent
// would write it.
func (p *person) press(texts ...string) {
	p.t.Helper()
	for _, char := range strings.Join(texts, "") {
		p.keys++
		events := kb.Encode(char)
		down, up := events[0], events[len(events)-1]
		if len(events) > 2 {
			down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
		}
		call(p, input.DispatchKeyEvent, *down)
		call(p, input.DispatchKeyEvent, *up)
	}
}

// write types into a field; that is neither counted as a click nor as keys.
func (p *person) write(selector, text string) {
	p.t.Helper()
	p.run("writing into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text, chromedp.NodeVisible))
}

// run does something that should not take long.
func (p *person) run(what string, action chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	select {
	case err := <-startAction(p, action):
		require.NoError(p.t, err, what)
	case <-time.After(20 * time.Second):
		require.FailNow(p.t, "it takes too long", "%s on %s", what, p)
	}
}

func startAction(p *person, action chromedp.Action[chromedp.Void]) <-chan error {
	done := make(chan error, 1)
	go func() { done <- chromedp.Do(p.ctx, action) }()
	return done
}

// waitFor waits until an expression is true in the page, which may be on its way to the next one.
func (p *person) waitFor(expression string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		isTrue, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("document.readyState === 'complete' && Boolean("+expression+")"))
		return err == nil && isTrue
	}, 20*time.Second, 20*time.Millisecond, "%s on %s", expression, p)
}

// String returns where the person is and what the page shows, for a test that fails.
func (p *person) String() string {
	text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
	return fmt.Sprint(text, err)
}

// waitForText waits until the page shows a text.
func (p *person) waitForText(text string) {
	p.t.Helper()
	p.waitFor("document.body.innerText.includes(" + quote(text) + ")")
}

// waitForPath waits until a page of a path is open.
func (p *person) waitForPath(path string) {
	p.t.Helper()
	p.waitFor("location.pathname + location.search === " + quote(path))
}

// quote writes a value for a script, or as JSON.
func quote(text any) string {
	written, err := json.Marshal(text)
	if err != nil {
		panic(err) // tests have only what can be written
	}
	return string(written)
}
