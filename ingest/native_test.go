package ingest_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNativeAnswer(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	a := s.postBody(native, []byte(eventText(1)), nativeByKey)
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
	first := a.body["data"].(object)
	require.Equal(t, object{
		"event_id": eventIDOf(1), "duplicate": false,
		"id": float64(s.queryNumber(`SELECT id FROM events`)), "issue_id": float64(s.queryNumber(`SELECT id FROM issues`)),
	}, first)

	again := s.postBody(native, []byte(eventText(1)), nativeByKey).body["data"].(object)
	first["duplicate"] = true
	require.Equal(t, first, again)
	other := s.postBody(native, []byte(eventText(2)), nativeByKey).body["data"].(object)
	require.Equal(t, first["issue_id"], other["issue_id"])
	require.NotEqual(t, first["id"], other["id"])
	require.EqualValues(t, 2, s.eventsCounted())

	made := s.postBody(native, []byte(`{"message":"boom"}`), nativeByKey).body["data"].(object)
	require.Regexp(t, `^[0-9a-f]{32}$`, made["event_id"])
	dashed := s.postBody(native, []byte(`{"message":"boom","event_id":"0000000A-0000-0000-0000-00000000000B"}`),
		nativeByKey).body["data"].(object)
	require.Equal(t, "0000000a00000000000000000000000b", dashed["event_id"])
}

func TestNativeTellsEveryMistake(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for name, c := range map[string]struct {
		body    string
		details []any
	}{
		"no JSON":      {`{"message":`, []any{detailOf("", "not valid JSON: no value at byte 11")}},
		"no object":    {`[1]`, []any{detailOf("", "must be an object, not a list")}},
		"nothing":      {``, []any{detailOf("", "must be an object, not nothing")}},
		"no report":    {`{"level":"error"}`, []any{detailOf("", "an event needs a message or an exception: give at least one of them")}},
		"a wrong type": {`{"message":5}`, []any{detailOf("message", "must be a text, not a number")}},
		"an event id": {`{"message":"m","event_id":"x"}`, []any{
			detailOf("event_id", "must be 32 hexadecimal digits, with or without the dashes of a UUID"),
		}},
		"a time": {`{"message":"m","timestamp":"noon"}`, []any{
			detailOf("timestamp", "must be a time: RFC 3339, or seconds since 1970 as a number"),
		}},
		"a level": {`{"message":"m","level":"loud"}`, []any{detailOf("level", "must be fatal, error, warning, info or debug")}},
		"deep": {`{"exception":[{"type":"E","stacktrace":{"frames":[{},{"lineno":"x"}]}}]}`,
			[]any{detailOf("exception.0.stacktrace.frames.1.lineno", "must be a number, not a text")}},
		"a tag":        {`{"message":"m","tags":{"a":[1]}}`, []any{detailOf("tags.a", "must be a text, a number or a boolean, not a list")}},
		"an exception": {`{"exception":{"module":"m"}}`, []any{detailOf("exception", "an exception needs a type, a value or a stack")}},
		"a context":    {`{"message":"m","contexts":{"os":1}}`, []any{detailOf("contexts.os", "must be an object, not a number")}},
		"a breadcrumb": {`{"message":"m","breadcrumbs":[{"timestamp":"x"}]}`,
			[]any{detailOf("breadcrumbs.0.timestamp", "must be a time: RFC 3339, or seconds since 1970 as a number")}},
		"several": {`{"level":1,"user":2,"fingerprint":3}`, []any{
			detailOf("level", "must be a text, not a number"), detailOf("user", "must be an object, not a number"),
			detailOf("fingerprint", "must be a list, not a number"),
		}},
		"text behind it": {`{"message":"m"} x`, []any{detailOf("", "not valid JSON: more text behind the event at byte 16")}},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.postBody(native, []byte(c.body), nativeByKey)
			require.Equal(t, http.StatusBadRequest, a.status, a.text)
			require.Equal(t, object{"error": "invalid_request", "details": c.details}, a.body)
			require.Empty(t, a.header.Get("X-Sentry-Error"))
		})
	}

	a := s.postBody(native, []byte(`{"message":"m","mesage":"x"}`), nativeByKey)

	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, a.text, `{"path":"mesage","message":"not a field of an event; allowed are breadcrumbs, contexts, `)
	require.Zero(t, s.eventsCounted())
}

func TestUnknownFieldsOfTheQuery(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	const message = "is not a known field; the query takes only key"

	for query, details := range map[string][]any{
		"?kye=" + shopKey:                      {detailOf("kye", message)},
		"?key=" + shopKey + "&sentry_key=x":    {detailOf("sentry_key", message)},
		"?release=1&key=" + shopKey + "&level": {detailOf("level", message), detailOf("release", message)},
		"?Key=x":                               {detailOf("Key", message)},
		"?message=%zz":                         {detailOf("", "the query must be name=value pairs joined by &, with %XX for special characters")},
	} {
		a := s.postBody(native+query, []byte(eventText(1)), nativeByKey)
		require.Equal(t, http.StatusBadRequest, a.status, query)
		require.Equal(t, object{"error": "invalid_request", "details": details}, a.body, query)
	}

	require.Equal(t, http.StatusUnauthorized, s.postBody(native+"?kye="+shopKey, []byte(eventText(1))).status, "who sends comes first")
	require.Zero(t, s.eventsCounted())
	require.Equal(t, http.StatusOK, s.postBody(native+"?key="+shopKey, []byte(eventText(1))).status)
}

func detailOf(path, message string) object { return object{"path": path, "message": message} }

func TestEventTime(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour)
	s := startServerWith(t, config{clock: clockAt(now).currentTime})
	stamp := func(by time.Duration) string { return now.Add(by).Format(time.RFC3339Nano) }
	for n, c := range []struct {
		timestamp string
		want      time.Time
	}{
		{"null", now},
		{`"` + stamp(-time.Hour) + `"`, now.Add(-time.Hour)},
		{fmt.Sprintf("%d.25", now.Unix()-7), now.Add(-6750 * time.Millisecond)},
		{fmt.Sprintf(`"%d"`, now.Unix()-7), now.Add(-7 * time.Second)},
		{`"` + now.Add(-time.Minute).Format("2006-01-02T15:04:05.000000000") + `"`, now.Add(-time.Minute)},
		{`"` + stamp(time.Minute) + `"`, now.Add(time.Minute)},
		{`"` + stamp(time.Minute+time.Millisecond) + `"`, now},
		{`"` + stamp(-30*24*time.Hour) + `"`, now.AddDate(0, 0, -30)},
		{`"` + stamp(-30*24*time.Hour-time.Millisecond) + `"`, now},
	} {
		t.Run(c.timestamp, func(t *testing.T) {
			body := fmt.Sprintf(`{"message":"m","event_id":%q,"timestamp":%s}`, eventIDOf(n), c.timestamp)
			a := s.postBody(native, []byte(body), nativeByKey)
			require.Equal(t, http.StatusOK, a.status, a.text)

			want := c.want.UnixMilli()
			require.Equal(t, want, s.queryNumber(`SELECT (extract(epoch FROM occurred_at) * 1000)::bigint FROM events WHERE event_id = $1`,
				eventIDOf(n)), c.timestamp)
			require.Equal(t, now.UnixMilli(),
				s.queryNumber(`SELECT (extract(epoch FROM received_at) * 1000)::bigint FROM events WHERE event_id = $1`, eventIDOf(n)))
		})
	}
}

func TestSecretsAreMaskedBeforeAnythingIsStored(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.execSQL(`UPDATE projects SET scrub_keys = '{badge}', scrub_patterns = '{"K-[0-9]{4}"}' WHERE id = $1`, shop)
	a := s.postBody(native, []byte(`{"message":"badge K-1234 of joe","extra":{"badge":"17","password":"hunter2"}}`), nativeByKey)
	require.Equal(t, http.StatusOK, a.status, a.text)

	e := s.onlyEvent()
	require.EqualValues(t, "badge [Filtered] of joe", e.Message)
	require.Equal(t, "[Filtered]", e.Extra.Get("badge").Text)
	require.Equal(t, "[Filtered]", e.Extra.Get("password").Text)
	require.Zero(t, s.queryNumber(`SELECT count(*) FROM issues WHERE title LIKE '%1234%'`))
}
