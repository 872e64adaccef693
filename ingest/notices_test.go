package ingest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

const (
	noticesPath  = "/ingest/v1/errors"
	noticesByKey = "Checkend-Ingestion-Key: " + shopKey
)

func noticeText(class, line string) []byte {
	return fmt.Appendf(nil, `{"error":{"class":%q,"message":"no cart","backtrace":[%q],"tags":["billing"]},"context":{"environment":"test"},
		"notifier":{"name":"checkend-ruby","version":"1","language":"ruby"}}`, class, line)
}

func TestNoticesAreAnsweredAsTheirClientsExpect(t *testing.T) {
	t.Parallel()
	clock := clockAt(noonToday())
	s := startServerWith(t, config{clock: clock.currentTime})
	post := func(class, line string) answer { return s.postBody(noticesPath, noticeText(class, line), noticesByKey) }
	first := post("CartError", "cart.rb:3:in 'add'")
	require.Equal(t, http.StatusCreated, first.status, first.text)
	issue := float64(s.queryNumber(`SELECT id FROM issues`))
	require.Equal(t, object{
		"id": float64(s.queryNumber(`SELECT id FROM events`)), "problem_id": issue, "deduplicated": false, "occurrence_count": 1.0,
	}, first.body)

	for n := range 2 {
		again := post("CartError", "cart.rb:3:in 'add'")
		require.Equal(t, http.StatusOK, again.status, again.text)
		require.Equal(t, object{"problem_id": issue, "deduplicated": true, "occurrence_count": float64(n + 2)}, again.body)
	}
	require.EqualValues(t, 3, s.eventsCounted())
	require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM events`))
	require.EqualValues(t, 1, s.queryNumber(`SELECT stored_events FROM issues`))

	other := post("CartError", "cart.rb:4:in 'add'")
	require.Equal(t, http.StatusCreated, other.status, "another backtrace")
	require.Equal(t, issue, other.body["problem_id"], "which is of the same problem")
	clock.nanos.Store(noonToday().Add(time.Minute).UnixNano())
	require.Equal(t, http.StatusCreated, post("CartError", "cart.rb:3:in 'add'").status, "a minute later")
	require.NotEqual(t, issue, post("TaxError", "tax.rb:3:in 'sum'").body["problem_id"])
}

func TestNoticesReopenWhatIsResolved(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	send := func() answer {
		return s.postBody(noticesPath, noticeText("CartError", "cart.rb:3:in 'add'"), noticesByKey)
	}
	require.Equal(t, http.StatusCreated, send().status)
	issue := s.queryNumber(`SELECT id FROM issues`)
	_, err := s.db.ResolveProblems(t.Context(), core.NewBootstrapActor(), shop, []int64{issue})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, send().status, "counted alone")
	require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM issues WHERE status <> 'resolved'`))
}

func TestNoticesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	const noKey, invalid = http.StatusUnauthorized, http.StatusUnprocessableEntity
	good := noticeText("E", "a.rb:1:in 'x'")
	const badKey = "Invalid or missing ingestion key"
	for name, c := range map[string]struct {
		body   []byte
		header string
		status int
		text   string
	}{
		"no key":                         {good, "Accept: */*", noKey, badKey},
		"a wrong key":                    {good, "Checkend-Ingestion-Key: 0123456789abcdef0123456789abcdef", noKey, badKey},
		"the header of another endpoint": {good, nativeByKey, noKey, badKey},
		"no class":                       {[]byte(`{"error":{"message":"m"}}`), noticesByKey, invalid, "error.class is required"},
		"no JSON":                        {[]byte(`{`), noticesByKey, invalid, "not valid JSON: the end inside an object or array at byte 1"},
		"too large": {[]byte(`{"error":{"class":"` + strings.Repeat("x", 1<<20) + `"}}`), noticesByKey, http.StatusRequestEntityTooLarge,
			"The body is larger than 1048576 bytes."},
	} {
		a := s.postBody(noticesPath, c.body, c.header)
		require.Equal(t, c.status, a.status, name)
		require.Equal(t, object{"error": c.text}, a.body, name)
		require.Empty(t, a.header.Get("WWW-Authenticate"))
	}
	require.Zero(t, s.eventsCounted())
}

func TestNoticesOverQuota(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.setQuota(1)
	require.Equal(t, http.StatusCreated, s.postBody(noticesPath, noticeText("E", "a.rb:1:in 'x'"), noticesByKey).status)
	a := s.postBody(noticesPath, noticeText("F", "a.rb:1:in 'x'"), noticesByKey)
	require.Equal(t, http.StatusTooManyRequests, a.status)
	require.Equal(t, object{"error": "Rate limit exceeded. Retry after " + a.header.Get("Retry-After") + " seconds."}, a.body)
}

func TestNoticesOfPages(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	preflight := s.sendRequest(http.MethodOptions, noticesPath, nil, "Origin: https://shop.example",
		"Access-Control-Request-Headers: checkend-ingestion-key,content-type")
	require.Equal(t, http.StatusNoContent, preflight.status)
	require.Contains(t, preflight.header.Get("Access-Control-Allow-Headers"), "checkend-ingestion-key")
	beacon := s.postBody(noticesPath+"?key="+shopKey, noticeText("E", "a.rb:1:in 'x'"), "Origin: https://shop.example",
		"Content-Type: application/json")
	require.Equal(t, http.StatusCreated, beacon.status)
	require.Equal(t, "*", beacon.header.Get("Access-Control-Allow-Origin"))
}
