package ingest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// messageOf is an event of captureMessage, with or without the stack that version 11 of the JavaScript SDKs adds.
func messageOf(n int, text string, stacked bool) string {
	quoted, _ := json.Marshal(text)
	exception := ""
	if stacked {
		exception = fmt.Sprintf(`"exception":{"values":[{"value":%s,"mechanism":{"type":"generic","handled":true,"synthetic":true},
			"stacktrace":{"frames":[{"function":"Object.error","module":"log","filename":"/srv/log.js","lineno":4,"in_app":true}]}}]},`, quoted)
	}
	return fmt.Sprintf(`{"event_id":"%032x",%s"message":%s,"platform":"node","level":"info"}`, n, exception, quoted)
}

func TestAnSDKThatAddsStacksToMessagesForksNoIssue(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	texts := []string{"payment provider down", "Mail: cannot be sent", "queue is stuck", "password=hunter2 was refused"}

	for i, text := range texts {
		s.postEvents(itemOf("event", messageOf(2*i, text, false)), itemOf("event", messageOf(2*i+1, text, true)))
	}

	require.EqualValues(t, len(texts), s.queryNumber(`SELECT count(*) FROM issues WHERE times_seen = 2 AND coalesce(type, '') = ''`))
	require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM issues WHERE title = 'Mail: cannot be sent'`))
}

func TestTypeAndTitleOfAGroupAreOfOneException(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.postEvents(itemOf("event", `{"platform":"python","exception":{"values":[
		{"type":"ValueError","value":"bad row 1","mechanism":{"type":"chained","exception_id":1,"parent_id":0},
			"stacktrace":{"frames":[{"function":"parse","module":"rows","in_app":true}]}},
		{"type":"ExceptionGroup","value":"unhandled errors","mechanism":{"type":"generic","exception_id":0,"is_exception_group":true}}]}}`))

	require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM issues WHERE title = 'ValueError: bad row 1' AND type = 'ValueError'`))
}

func TestFeedbackSentAsAnEventIsNoError(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, payload := range []string{
		`{"type":"feedback","contexts":{"feedback":{"message":"I like it","contact_email":"a@b.example"}},"level":"info"}`,
		`{"contexts":{"feedback":{"message":"I like it"}}}`,
	} {
		a := s.postEvents(itemOf("event", payload))
		require.Equal(t, http.StatusOK, a.status, a.text)
		require.Equal(t, "{}", a.text)
	}
	a := s.postBody(events, []byte(`{"type":"feedback","contexts":{"feedback":{"message":"I like it"}}}`), byKey)
	require.Equal(t, "{}", a.text)
	a = s.postEvents(itemOf("event", `{"type":"feedback"}`), eventItem(1))
	require.Equal(t, object{"id": eventIDOf(1)}, a.body, "an error beside it is taken")
	s.requireMetrics(countedItems, map[string]float64{"feedback": 4, "event": 1})
	s.requireMetrics(countedEvents, map[string]float64{"stored": 1})

	s.execSQL(`UPDATE projects SET daily_quota = 1 WHERE id = $1`, shop)
	other := startServerWith(t, config{database: s.database})
	require.Equal(t, http.StatusOK, other.postEvents(itemOf("event", `{"type":"feedback"}`)).status, "it is free, over quota too")
}

func TestEventsOfSentryCLIDoNotLowerTrust(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.postEvents(itemOf("event", `{"platform":"other","message":"deploy failed","sdk":{"name":"sentry-cli","version":"2.50.0"}}`))
	s.postEvents(itemOf("event", `{"platform":"node","message":"loader failed",
		"sdk":{"name":"sentry.javascript.react-router","version":"11.0.0"}}`))
	require.Zero(t, s.queryNumber(`SELECT count(*) FROM project_seen WHERE client_seen_at IS NOT NULL`))

	s.postEvents(itemOf("event", `{"platform":"javascript","message":"page failed",
		"sdk":{"name":"sentry.javascript.react-router","version":"11.0.0"}}`))
	require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM project_seen WHERE client_seen_at IS NOT NULL`))
}

func TestReportsAreIssuesOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, report := range []string{
		`"expectct":{"expect-ct-report":{"hostname":"a.example"}}`, `"expectct":{"expect-ct-report":{"hostname":"b.example"}}`,
		`"hpkp":{"hostname":"a.example"}`, `"expectstaple":{"expect-staple-report":{"hostname":"a.example"}}`,
		`"template":{"filename":"cart.html","context_line":"{% if %}"}`, `"template":{"filename":"cart.html","context_line":"{% for %}"}`,
	} {
		t.Run(report, func(*testing.T) {
			s.postEvents(itemOf("event", `{`+report+`}`), itemOf("event", `{"platform":"other",`+report+`}`))
		})
	}

	require.EqualValues(t, 6, s.queryNumber(`SELECT count(*) FROM issues WHERE times_seen = 2`))
	require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM issues WHERE title = 'Expect-CT failed for ''b.example'''`))
	require.EqualValues(t, 2, s.queryNumber(
		`SELECT count(*) FROM issues WHERE title = 'Error in template ''cart.html''' AND culprit = 'cart.html'`))
}
