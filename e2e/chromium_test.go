//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// browser is a running Chromium, and the site whose page it opens.
type browser struct {
	ctx  context.Context
	site string // the page's origin
}

// startBrowser starts Chromium and the site.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	return &browser{startChromium(t), startSite(t)}
}

// startChromium starts Chromium without a window. For root, chromedp also starts it without its sandbox, which needs a user.
func startChromium(t *testing.T) context.Context {
	t.Helper()
	all, stopAll := context.WithTimeout(context.Background(), 9*time.Minute) // a busy machine with two cores needs 5 for all pages
	t.Cleanup(stopAll)
	// Pages move by a transition, during which a click is lost. A person is slower than that, these tests are not.
	still := chromedp.WithAllocatorOptions(chromedp.Flag("force-prefers-reduced-motion", true))
	ctx, _ := chromedp.NewContext(all, still)
	t.Cleanup(func() {
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		_ = chromedp.Cancel(limited)
	})
	require.NoError(t, chromedp.Do(ctx),
		"Chromium does not start: scripts/install-chromium installs it, E2E_BROWSER=off does without")
	return ctx
}

// startSite serves the page and what it loads.
func startSite(t *testing.T) (origin string) {
	t.Helper()
	var problems strings.Builder
	bundle := exec.CommandContext(t.Context(),
		"node_modules/.bin/esbuild", "sdk/browser.mjs", "--bundle", "--format=iife", "--global-name=Sentry")
	bundle.Stderr = &problems
	sdk, err := bundle.Output()
	require.NoError(t, err, problems.String())
	site := http.NewServeMux()
	site.HandleFunc("GET /sdk.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write(sdk)
	})
	for path, file := range map[string]string{"GET /{$}": "sdk/page.html", "GET /shop.js": "sdk/shop.js"} {
		site.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	}
	s := httptest.NewServer(site)
	t.Cleanup(s.Close)
	return s.URL
}

// tab is an open page with an SDK that sends to a DSN.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// openTab opens the site's page.
func (b *browser) openTab(t *testing.T, dsn string) *tab {
	t.Helper()
	return b.openURL(t, b.site+"/?dsn="+url.QueryEscape(dsn))
}

// openURL opens a page in a tab without cookies or caches from others.
func (b *browser) openURL(t *testing.T, address string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate(address)))
	return &tab{t, ctx}
}

// clickButton clicks the page's button.
func (p *tab) clickButton() {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Click(chromedp.CSS("button"))))
}

// evaluateIn returns the value of an expression in the page, waiting if that takes some time.
func evaluateIn[T any](p *tab, expression string, args ...any) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](fmt.Sprintf(expression, args...), chromedp.EvalAwaitPromise))
	require.NoError(p.t, err)
	return value
}

// captureMessage passes an error to the page's SDK, and returns when it is sent or dropped.
func (p *tab) captureMessage(message string) {
	p.t.Helper()
	require.True(p.t, evaluateIn[bool](p, "capture(%q)", message), "the SDK was not done in time")
}

// readable is what a page can read of an answer.
type readable struct {
	Status      int    `json:"status"`
	Body        string `json:"body"`
	Failure     string `json:"failure"` // the page knows only that something failed
	RateLimits  string `json:"rateLimits"`
	RetryAfter  string `json:"retryAfter"`
	SentryError string `json:"sentryError"`
}

// postFrom sends an event with a message through the page's own fetch. The headers are a JavaScript object.
func (p *tab) postFrom(address, headers, message string) readable {
	p.t.Helper()
	return evaluateIn[readable](p, "post(%q, %s, JSON.stringify({message: %q}))", address, headers, message)
}
