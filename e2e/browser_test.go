//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBrowser is a page with @sentry/browser in a real Chromium. The page is of another origin than the server.
func TestBrowser(t *testing.T) {
	if os.Getenv("E2E_BROWSER") == "off" {
		t.Skip("E2E_BROWSER=off leaves out what needs Chromium")
	}
	t.Parallel()
	s, b := start(t), startBrowser(t)
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
			c.check(t, s, b)
		})
	}
	t.Run("over quota", func(t *testing.T) {
		t.Parallel()
		checkPageQuota(t, s, b)
	})
}

// frame is a stack frame of an event. Browsers know of a file no more than its URL.
type frame struct {
	Function string `json:"function"`
	URL      string `json:"abs_path"`
	Lineno   int    `json:"lineno"`
	Colno    int    `json:"colno"`
}

func checkPageError(t *testing.T, s *server, b *browser) {
	dsn, slug := s.project("Page")
	require.Equal(t, listedProject{Trust: "high"}, s.listed(slug))
	page := b.open(t, dsn)
	page.click()
	require.True(t, evaluate[bool](page, "Sentry.flush(10_000)"))

	require.Equal(t, listedProject{EventsToday: 1, Source: "browser", Trust: "low"}, s.listed(slug))
	var issues struct {
		Data []struct {
			ID                             int64
			Title, Platform, Source, Trust string
		}
	}
	require.Equal(t, 200, s.call(adminToken, "GET", "/v1/issues?project="+slug, "", &issues))
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
	given := evaluate[[]frame](page, "given.stacktrace.frames.map(f => ({...f, abs_path: f.filename}))")
	slices.Reverse(given) // the event has the most recent first
	require.Equal(t, given, event.Exceptions[0].Frames)
	require.Equal(t, "priceOf", given[0].Function)
	require.Equal(t, b.site+"/shop.js", given[0].URL)
	require.Positive(t, given[0].Lineno)
}

// checkPageOfManyErrors has one page send over 200 KB. Of what a page sends with keepalive, browsers let 64 KB be under way.
func checkPageOfManyErrors(t *testing.T, s *server, b *browser) {
	const errors, each = 60, 4_000
	dsn, slug := s.project("Page of many errors")
	page := b.open(t, dsn)
	require.True(t, evaluate[bool](page, `(async () => {
		for (let n = 0; n < %d; n++) {
			Sentry.captureException(new Error("order " + n), {extra: {cart: "x".repeat(%d)}});
			await new Promise(done => setTimeout(done, 50));
		}
		return Sentry.flush(10_000);
	})()`, errors, each))
	require.Equal(t, errors, s.listed(slug).EventsToday)

	var issues struct{ Data []struct{ ID int64 } }
	require.Equal(t, 200, s.call(adminToken, "GET", "/v1/issues?project="+slug, "", &issues))
	require.Len(t, issues.Data, 1)
	var events struct {
		Data []struct {
			EventID string `json:"event_id"`
		}
	}
	require.Equal(t, 200, s.call(adminToken, "GET", fmt.Sprintf("/v1/issues/%d/events?limit=100", issues.Data[0].ID), "", &events))
	found := map[string]bool{}
	for _, event := range events.Data {
		found[event.EventID] = true
	}
	require.Len(t, found, errors)
}

type storedEvent struct {
	Platform, Release string
	SDK               struct{ Name string }
	Request           struct{ URL string }
	Exceptions        []struct{ Frames []frame }
}

// latestEvent gives the latest stored event of an issue.
func (s *server) latestEvent(issue int64) storedEvent {
	s.t.Helper()
	var detail struct {
		Data struct {
			LatestEventID int64 `json:"latest_event_id"`
		}
	}
	require.Equal(s.t, 200, s.call(adminToken, "GET", fmt.Sprintf("/v1/issues/%d", issue), "", &detail))
	var event struct{ Data struct{ Event storedEvent } }
	require.Equal(s.t, 200, s.call(adminToken, "GET", fmt.Sprintf("/v1/events/%d", detail.Data.LatestEventID), "", &event))
	return event.Data.Event
}

// origins is who may send to a project, and how what a page sends is answered.
type origins struct {
	allowed string
	status  int
}

// check sends in every way that pages have.
func (c origins) check(t *testing.T, s *server, b *browser) {
	dsn, slug := s.project(t.Name())
	s.update(slug, `{"allowed_origins":`+c.allowed+`}`)
	through := startProxy(t, s)
	dsn = through.dsn(t, dsn)
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	key, store, native := u.User.Username(), "/api"+u.Path+"/store/", "/v1/ingest"
	page := b.open(t, dsn)

	page.capture("by the SDK")
	require.Equal(t, []int{c.status}, statuses(through.about("by the SDK")))

	c.checkRead(t, page.post(through.url+store, `{"X-Sentry-Auth": "Sentry sentry_version=7, sentry_key=`+key+`"}`, "asked for "+store))
	if c.status == http.StatusOK {
		require.Equal(t, 1, through.asked(store, http.StatusNoContent), "no preflight")
		require.Equal(t, []int{c.status}, statuses(through.about("asked for "+store)))
	} else {
		require.Equal(t, 1, through.asked(store, http.StatusForbidden), "the path names the project")
		require.Empty(t, through.about("asked for "+store))
	}
	c.checkRead(t, page.post(through.url+native, `{"X-Service-Key": "`+key+`", "Content-Type": "application/json"}`, "asked for "+native))
	require.Equal(t, 1, through.asked(native, http.StatusNoContent), "no preflight, or one that cannot know the project")
	require.Equal(t, []int{c.status}, statuses(through.about("asked for "+native)))
	c.checkRead(t, page.post(through.url+native+"?key="+key, "{}", "plain"))

	sent := evaluate[bool](page, `navigator.sendBeacon(%q, JSON.stringify({message: "beacon"}))`, through.url+native+"?key="+key)
	require.True(t, sent)
	require.Eventually(t, func() bool { return len(through.about("beacon")) == 1 }, 10*time.Second, 10*time.Millisecond)
	require.Equal(t, []int{c.status}, statuses(through.about("beacon")))

	answer := page.post(through.url+native+"?key="+key, `{"Content-Type": "application/json"}`, "with its key")
	if c.status == http.StatusOK {
		c.checkRead(t, answer)
		require.Equal(t, 6, s.listed(slug).EventsToday)
		return
	}
	require.Contains(t, answer.Failure, "TypeError", "refused at the preflight, which names the project")
	require.Equal(t, 1, through.asked(native, http.StatusForbidden))
	require.Empty(t, through.about("with its key"))
	require.Zero(t, s.listed(slug).EventsToday)
}

// checkRead looks at what a page could read of an answer: nothing where its origin is not allowed.
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
	dsn, slug := s.project("Page over quota")
	var page *tab
	overQuota{server: s, dsn: dsn, slug: slug, run: func(t *testing.T, dsn string) application {
		page = b.open(t, dsn)
		return page.capture
	}}.check(t)
	require.Equal(t, listedProject{EventsToday: 2, Source: "browser", Trust: "low"}, s.listed(slug))

	u, err := url.Parse(dsn)
	require.NoError(t, err)
	answer := page.post(s.url+"/api"+u.Path+"/store/?sentry_key="+u.User.Username(), "{}", "over quota")
	require.Equal(t, http.StatusTooManyRequests, answer.Status, answer.Failure)
	require.Regexp(t, `^\d+$`, answer.RetryAfter)
	require.Equal(t, answer.RetryAfter+":default;error;security:project:daily_quota", answer.RateLimits)
	require.NotEmpty(t, answer.SentryError)
}
