package ingest_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// groupText makes the n-th event of a group.
func groupText(group string, n int) string {
	return fmt.Sprintf(`{"event_id":"%032x","platform":"go","level":"error","message":"no such %s"}`, n, group)
}

// groupName makes a name of letters, which no rule of grouping takes for a number.
func groupName(n int) string { return fmt.Sprintf("thing%c%c", 'q'+n/26, 'a'+n%26) }

// startLimited returns a server at noon whose projects make so many new issues in an hour.
func startLimited(t *testing.T, newIssues int) (*server, *movingClock) {
	clock := clockAt(noonToday())
	s := startServerWith(t, config{clock: clock.currentTime})
	storetest.SaveSettings(t, s.db, map[string]string{"NEW_ISSUES_PER_HOUR": fmt.Sprint(newIssues)})
	return s, clock
}

func (s *server) issuesMade() int64 { return s.queryNumber(`SELECT count(*) FROM issues`) }

// TestNewIssuesAreExact sends a flood of groups, each event several times, beside events of a known issue.
func TestNewIssuesAreExact(t *testing.T) {
	t.Parallel()
	s, clock := startLimited(t, 10)
	requireTaken(t, s.postEvents(itemOf("event", groupText("known", 0))))
	var taken, refused atomic.Int64
	runTogether(60, func(n int) {
		switch a := s.postEvents(itemOf("event", groupText(groupName(n%30), 100+n))); a.status {
		case http.StatusOK:
			taken.Add(1)
		case http.StatusTooManyRequests:
			refused.Add(1)
		}
		requireTaken(t, s.postEvents(itemOf("event", groupText("known", n+1))))
	})
	require.EqualValues(t, 10, s.issuesMade())
	require.EqualValues(t, 60, taken.Load()+refused.Load())
	require.Equal(t, 61+taken.Load(), s.eventsCounted(), "what was taken is counted, and nothing else")
	require.GreaterOrEqual(t, taken.Load(), int64(9))
	require.EqualValues(t, refused.Load(), s.metricValue(countedEvents+"{too_many_issues}"))

	clock.moveForward(time.Hour)
	for n := range 30 {
		s.postEvents(itemOf("event", groupText(groupName(n), 1000+n)))
	}
	require.EqualValues(t, 20, s.issuesMade(), "in the next hour as many again")
}

// TestAnswerOfTooManyIssues holds what each way in says: an SDK is told to hold nothing back.
func TestAnswerOfTooManyIssues(t *testing.T) {
	t.Parallel()
	s, clock := startLimited(t, 1)
	clock.moveForward(10*time.Minute + time.Millisecond)
	requireTaken(t, s.postEvents(itemOf("event", groupText("known", 1))))
	const sentence = "The project has made as many new issues in this hour as it may; events of known issues are taken."
	for name, a := range map[string]answer{
		"envelope": s.postEvents(itemOf("event", groupText("a", 2))), "store": s.postBody(events, []byte(groupText("b", 3)), byKey),
	} {
		require.Equal(t, http.StatusTooManyRequests, a.status, name)
		require.Equal(t, object{"error": "too_many_issues", "new_issues_per_hour": 1.0, "detail": sentence}, a.body, name)
		require.Equal(t, "0:error:project:too_many_issues", a.header.Get("X-Sentry-Rate-Limits"), name)
		require.Empty(t, a.header.Get("Retry-After"), name)
	}
	a := s.postBody(native, []byte(groupText("c", 4)), nativeByKey)
	require.Equal(t, http.StatusTooManyRequests, a.status)
	require.Equal(t, object{"error": "too_many_issues", "new_issues_per_hour": 1.0}, a.body)
	require.Equal(t, "3000", a.header.Get("Retry-After"), "until the next hour")
	requireTaken(t, s.postBody(native, []byte(groupText("known", 5)), nativeByKey))
	mixed := s.postEvents(itemOf("event", groupText("known", 6)), itemOf("event", groupText("d", 7)))
	requireTaken(t, mixed)
	require.Contains(t, mixed.header.Get("X-Sentry-Error"), sentence)

	storetest.SaveSettings(t, s.db, map[string]string{"NEW_ISSUES_PER_HOUR": "2"})
	requireTaken(t, s.postEvents(itemOf("event", groupText("e", 8))))
	storetest.SaveSettings(t, s.db, map[string]string{"NEW_ISSUES_PER_HOUR": "0"})
	requireTaken(t, s.postEvents(itemOf("event", groupText("f", 9)), itemOf("event", groupText("g", 10))))
	require.EqualValues(t, 4, s.issuesMade())
}

// TestAnHourIsFullByIssuesThatAreMade lets the commit of the events fail that were chosen: there is room as before.
func TestAnHourIsFullByIssuesThatAreMade(t *testing.T) {
	t.Parallel()
	s, _ := startLimited(t, 3)
	requireTaken(t, s.postEvents(itemOf("event", groupText("known", 1))))
	s.execSQL(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`)
	s.execSQL(`CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON issues DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`)
	s.postEvents(itemOf("event", groupText("a", 2)), itemOf("event", groupText("b", 3)), itemOf("event", groupText("c", 4)))
	s.execSQL(`DROP TRIGGER refuse ON issues`)
	require.EqualValues(t, 1, s.issuesMade())

	requireTaken(t, s.postEvents(itemOf("event", groupText("d", 5))))
}

// TestAnswerOfTooManyIssuesToOtherClients holds the same for exports of OpenTelemetry and for notices.
func TestAnswerOfTooManyIssuesToOtherClients(t *testing.T) {
	t.Parallel()
	s, clock := startLimited(t, 1)
	clock.moveForward(10 * time.Minute)
	requireTaken(t, s.postBody(traces, spansOf(t, "no cart"), byBearer, asWire))

	refused := s.postBody(traces, spansJSON("no address"), byBearer, asJSON)
	require.Equal(t, http.StatusTooManyRequests, refused.status)
	require.Equal(t, "too_many_issues", refused.body["error"])
	require.EqualValues(t, 8, refused.body["code"], "RESOURCE_EXHAUSTED")
	require.Equal(t, "3000", refused.header.Get("Retry-After"), "until the next hour")

	mixed := s.postBody(traces, spansOf(t, "no address", "no cart", "no tax"), byBearer, asWire)
	requireTaken(t, mixed)
	require.True(t, strings.HasPrefix(mixed.text, "\x0a"), "a partial success")
	require.Contains(t, mixed.text, "\x08\x02\x12", "which counts two rejected spans, with the reason")
	require.Contains(t, mixed.text, core.TooManyIssues.Info().Meaning)

	notice := s.postBody(noticesPath, noticeText("CartError", "cart.rb:3:in 'add'"), noticesByKey)
	require.Equal(t, http.StatusTooManyRequests, notice.status)
	require.Equal(t, object{"error": "Too many new issues in this hour"}, notice.body)
	require.EqualValues(t, 1, s.issuesMade())
	require.EqualValues(t, 1, s.eventsCounted(), "an exception counts once in a trace")
}
