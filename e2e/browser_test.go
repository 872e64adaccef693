//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBrowser is a page with @sentry/browser in a real Chromium. The page has another origin than the server.
func TestBrowser(t *testing.T) {
	if os.Getenv("E2E_BROWSER") == "off" {
		t.Skip("E2E_BROWSER=off leaves out what needs Chromium")
	}
	t.Parallel()
	s, b := startServer(t), startBrowser(t)
	t.Run("an error of a page", func(t *testing.T) {
		t.Parallel()
		checkPageError(t, s, b)
	})
	t.Run("many errors of a page", func(t *testing.T) {
		t.Parallel()
		checkPageOfManyErrors(t, s, b)
	})
	for name, c := range map[string]origins{
		"any origin":     {allowed: "null", status: http.StatusOK},
		"its own origin": {allowed: `["https://shop.example","` + b.site + `"]`, status: http.StatusOK},
		"foreign origin": {allowed: `["https://shop.example"]`, status: http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.checkOrigins(t, s, b)
		})
	}
	t.Run("over quota", func(t *testing.T) {
		t.Parallel()
		checkPageQuota(t, s, b)
	})
}

// frame is a stack frame of an event. Browsers know nothing about a file but its URL.
type frame struct {
	Function string `json:"function"`
	URL      string `json:"abs_path"`
	Lineno   int    `json:"lineno"`
	Colno    int    `json:"colno"`
}

func checkPageError(t *testing.T, s *server, b *browser) {
	dsn, slug := s.makeProject("Page")
	require.Equal(t, listedProject{Trust: "high"}, s.findListed(slug))
	page := b.openTab(t, dsn)
	page.clickButton()
	require.True(t, evaluateIn[bool](page, "Sentry.flush(10_000)"))

	require.Equal(t, listedProject{EventsToday: 1, Source: "browser", Trust: "low"}, s.findListed(slug))
	var issues struct {
		Data []struct {
			ID                             int64
			Title, Platform, Source, Trust string
		}
	}
	require.Equal(t, 200, s.callAPI(adminToken, "GET", "/v1/issues?project="+slug, "", &issues))
	require.Len(t, issues.Data, 1)
	issue := issues.Data[0]
	require.Contains(t, issue.Title, "TypeError: Cannot read properties of undefined")
	require.Equal(t, []string{"javascript", "browser", "low"}, []string{issue.Platform, issue.Source, issue.Trust})

	event := s.latestEvent(issue.ID)
	require.Equal(t, "javascript", event.Platform)
	require.Equal(t, "shop@1.4.0", event.Release)
	require.Equal(t, "sentry.javascript.browser", event.SDK.Name)
	require.True(t, strings.HasPrefix(event.Request.URL, b.site+"/"), event.Request.URL)
	require.Len(t, event.Exceptions, 1)
	given := evaluateIn[[]frame](page, "given.stacktrace.frames.map(f => ({...f, abs_path: f.filename}))")
	slices.Reverse(given) // the event has the most recent frame first
	require.Equal(t, given, event.Exceptions[0].Frames)
	require.Equal(t, "priceOf", given[0].Function)
	require.Equal(t, b.site+"/shop.js", given[0].URL)
	require.Positive(t, given[0].Lineno)
}

// checkPageOfManyErrors lets one page send over 200 KB. Browsers allow only 64 KB of a page's keepalive requests at a time, and sometimes
// lose an event, whichever server they send to. So a second page sends the same to a server that only reads.
func checkPageOfManyErrors(t *testing.T, s *server, b *browser) {
	const errors, mayBeLost = 60, 3
	bare := startBareServer(t)
	dsn, slug := s.makeProject("Page of many errors")
	var pages sync.WaitGroup
	for _, each := range []string{dsn, bare.dsn} {
		page := b.openTab(t, each)
		pages.Go(func() { assert.True(t, page.captureErrors(errors)) })
	}
	pages.Wait()
	taken, reference := s.findListed(slug).EventsToday, bare.countEvents()
	t.Logf("of %d events, Errand took %d and a server that only reads %d", errors, taken, reference)
	require.GreaterOrEqual(t, taken, reference-mayBeLost)
	require.Greater(t, reference, errors/2, "the pages send at all")

	var issues struct{ Data []struct{ ID int64 } }
	require.Equal(t, 200, s.callAPI(adminToken, "GET", "/v1/issues?project="+slug, "", &issues))
	require.Len(t, issues.Data, 1)
	var events struct {
		Data []struct {
			EventID string `json:"event_id"`
		}
	}
	require.Equal(t, 200, s.callAPI(adminToken, "GET", fmt.Sprintf("/v1/issues/%d/events?limit=100", issues.Data[0].ID), "", &events))
	found := map[string]bool{}
	for _, event := range events.Data {
		found[event.EventID] = true
	}
	require.Len(t, found, taken, "what was counted is stored")
}

// captureErrors makes the page send errors of 4 KB, 20 a second, and reports whether the SDK says that all were sent.
func (p *tab) captureErrors(errors int) bool {
	sent, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](fmt.Sprintf(`(async () => {
		for (let n = 0; n < %d; n++) {
			Sentry.captureException(new Error("order " + n), {extra: {cart: "x".repeat(4_000)}});
			await new Promise(done => setTimeout(done, 50));
		}
		return Sentry.flush(10_000);
	})()`, errors), chromedp.EvalAwaitPromise))
	return err == nil && sent
}

// bareServer answers SDKs and keeps the ids of the events.
type bareServer struct {
	dsn    string
	mu     sync.Mutex
	events map[string]bool
}

func startBareServer(t *testing.T) *bareServer {
	t.Helper()
	bare := &bareServer{events: map[string]bool{}}
	server := httptest.NewServer(bare)
	t.Cleanup(server.Close)
	bare.dsn = strings.Replace(server.URL, "http://", "http://key@", 1) + "/1"
	return bare
}

func (s *bareServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var event struct {
		ID string `json:"event_id"`
	}
	body, err := io.ReadAll(r.Body)
	header, items, _ := bytes.Cut(body, []byte("\n"))
	if err == nil && bytes.Contains(items, []byte("order ")) && json.Unmarshal(header, &event) == nil {
		s.mu.Lock()
		s.events[event.ID] = true
		s.mu.Unlock()
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	_, _ = io.WriteString(w, "{}")
}

func (s *bareServer) countEvents() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.events)
}

type storedEvent struct {
	Platform, Release string
	SDK               struct{ Name string }
	Request           struct{ URL string }
	Exceptions        []struct{ Frames []frame }
}

// latestEvent returns the latest stored event of an issue.
func (s *server) latestEvent(issue int64) storedEvent {
	s.t.Helper()
	var detail struct {
		Data struct {
			LatestEventID int64 `json:"latest_event_id"`
		}
	}
	require.Equal(s.t, 200, s.callAPI(adminToken, "GET", fmt.Sprintf("/v1/issues/%d", issue), "", &detail))
	var event struct{ Data struct{ Event storedEvent } }
	require.Equal(s.t, 200, s.callAPI(adminToken, "GET", fmt.Sprintf("/v1/events/%d", detail.Data.LatestEventID), "", &event))
	return event.Data.Event
}

// origins is who may send to a project, and how requests from pages are answered.
type origins struct {
	allowed string
	status  int
}

// checkOrigins sends in every way that pages can.
func (c origins) checkOrigins(t *testing.T, s *server, b *browser) {
	dsn, slug := s.makeProject(t.Name())
	s.updateProject(slug, `{"allowed_origins":`+c.allowed+`}`)
	through := startProxy(t, s)
	dsn = through.dsnThrough(t, dsn)
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	key, store, native := u.User.Username(), "/api"+u.Path+"/store/", "/v1/ingest"
	page := b.openTab(t, dsn)

	page.captureMessage("by the SDK")
	require.Equal(t, []int{c.status}, statusesOf(through.passagesAbout("by the SDK")))

	c.checkRead(t, page.postFrom(through.url+store, `{"X-Sentry-Auth": "Sentry sentry_version=7, sentry_key=`+key+`"}`, "asked for "+store))
	if c.status == http.StatusOK {
		require.Equal(t, 1, through.countRequests(store, http.StatusNoContent), "no preflight")
		require.Equal(t, []int{c.status}, statusesOf(through.passagesAbout("asked for "+store)))
	} else {
		require.Equal(t, 1, through.countRequests(store, http.StatusForbidden), "the path names the project")
		require.Empty(t, through.passagesAbout("asked for "+store))
	}
	c.checkRead(t, page.postFrom(through.url+native, `{"X-Service-Key": "`+key+`", "Content-Type": "application/json"}`, "asked for "+native))
	require.Equal(t, 1, through.countRequests(native, http.StatusNoContent), "no preflight, or one that cannot know the project")
	require.Equal(t, []int{c.status}, statusesOf(through.passagesAbout("asked for "+native)))
	c.checkRead(t, page.postFrom(through.url+native+"?key="+key, "{}", "plain"))

	sent := evaluateIn[bool](page, `navigator.sendBeacon(%q, JSON.stringify({message: "beacon"}))`, through.url+native+"?key="+key)
	require.True(t, sent)
	require.Eventually(t, func() bool { return len(through.passagesAbout("beacon")) == 1 }, 10*time.Second, 10*time.Millisecond)
	require.Equal(t, []int{c.status}, statusesOf(through.passagesAbout("beacon")))

	answer := page.postFrom(through.url+native+"?key="+key, `{"Content-Type": "application/json"}`, "with its key")
	if c.status == http.StatusOK {
		c.checkRead(t, answer)
		require.Equal(t, 6, s.findListed(slug).EventsToday)
		return
	}
	require.Contains(t, answer.Failure, "TypeError", "refused at the preflight, which names the project")
	require.Equal(t, 1, through.countRequests(native, http.StatusForbidden))
	require.Empty(t, through.passagesAbout("with its key"))
	require.Zero(t, s.findListed(slug).EventsToday)
}

// checkRead checks what a page can read of an answer: nothing if its origin is not allowed.
func (c origins) checkRead(t *testing.T, answer readable) {
	t.Helper()
	if c.status != http.StatusOK {
		require.Contains(t, answer.Failure, "TypeError")
		return
	}
	require.Empty(t, answer.Failure)
	require.Equal(t, c.status, answer.Status, answer.Body)
}

func checkPageQuota(t *testing.T, s *server, b *browser) {
	dsn, slug := s.makeProject("Page over quota")
	var page *tab
	overQuota{server: s, dsn: dsn, slug: slug, run: func(t *testing.T, dsn string) application {
		page = b.openTab(t, dsn)
		return page.captureMessage
	}}.checkQuota(t)
	require.Equal(t, listedProject{EventsToday: 2, Source: "browser", Trust: "low"}, s.findListed(slug))

	u, err := url.Parse(dsn)
	require.NoError(t, err)
	answer := page.postFrom(s.url+"/api"+u.Path+"/store/?sentry_key="+u.User.Username(), "{}", "over quota")
	require.Equal(t, http.StatusTooManyRequests, answer.Status, answer.Failure)
	require.Regexp(t, `^\d+$`, answer.RetryAfter)
	require.Equal(t, answer.RetryAfter+":default;error;security:project:daily_quota", answer.RateLimits)
	require.NotEmpty(t, answer.SentryError)
}
