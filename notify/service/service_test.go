package service_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify"
	"errand/notify/notifytest"
	"errand/notify/service"
)

func TestNewRequest(t *testing.T) {
	t.Parallel()
	m := notifytest.NewExample()

	request, err := service.NewRequest(t.Context(), m, notify.Target{URL: "https://hooks.example.com/x", Secret: "whsec_s"})

	require.NoError(t, err)
	body, err := io.ReadAll(request.Body)
	require.NoError(t, err)
	require.Equal(t, http.MethodPost, request.Method)
	require.Equal(t, "https://hooks.example.com/x", request.URL.String())
	require.Equal(t, http.Header{
		"Content-Type":        {"application/json"},
		"X-Service-Event":     {"issue.new"},
		"X-Service-Delivery":  {"7"},
		"X-Service-Signature": {notify.SignBody("whsec_s", notifytest.SentAt, body)},
	}, request.Header)
	// Letter by letter: the order of fields and the escapes are visible to receivers.
	require.Equal(t, `{"event":"issue.new","delivery_id":7,"webhook_id":3,"created_at":"2026-01-03T18:22:49.123Z",`+
		`"issue":{"id":42,"project_id":1234567890,"status":"unresolved","level":"error","trust":"high","priority":12.5,`+
		`"times_seen":12,"users_affected":1,"first_seen":"2026-01-03T17:22:50.123Z","last_seen":"2026-01-03T18:21:50.123Z",`+
		`"fix":null,"title_untrusted":"TypeError: x is undefined"},`+
		`"brief":{"version":"v1","markdown":"# Issue 42\n\nIt broke.\n","json":{"id":42,"title_untrusted":"a < b"}}}`, string(body))
}

func TestNewRequestOfPing(t *testing.T) {
	t.Parallel()
	target := notify.Target{URL: "https://hooks.example.com/x", Secret: "whsec_s"}

	request, err := service.NewRequest(t.Context(), notifytest.NewPing(), target)

	require.NoError(t, err)
	body, err := io.ReadAll(request.Body)
	require.NoError(t, err)
	require.Equal(t, "ping", request.Header.Get("X-Service-Event"))
	require.Equal(t, `{"event":"ping","delivery_id":8,"webhook_id":3,"created_at":"2026-01-03T18:22:50.123Z",`+
		`"issue":null,"brief":null}`, string(body))
}

func TestNewRequestOfVerifiedFix(t *testing.T) {
	t.Parallel()
	m := notifytest.NewExample()
	m.Event = notify.IssueVerified
	m.Issue.Fix = &core.Fix{Kind: "commit", Commit: "abcdef1", LinkedBy: "bot", Outcome: "verified"}

	request, err := service.NewRequest(t.Context(), m, notify.Target{URL: "https://hooks.example.com/x"})

	require.NoError(t, err)
	var body struct {
		Issue struct{ Fix map[string]any }
	}
	require.NoError(t, json.NewDecoder(request.Body).Decode(&body))
	require.Equal(t, "abcdef1", body.Issue.Fix["commit"])
	require.Equal(t, "verified", body.Issue.Fix["outcome"])
	require.Nil(t, body.Issue.Fix["pr_url"])
}

// A retry has the same id and body, but a signature with its own time.
func TestRetryIsSignedAnew(t *testing.T) {
	t.Parallel()
	first, again := notifytest.NewExample(), notifytest.NewExample()
	again.SentAt = again.SentAt.Add(time.Minute)
	target := notify.Target{URL: "https://hooks.example.com/x", Secret: "whsec_s"}

	one, err := service.NewRequest(t.Context(), first, target)
	require.NoError(t, err)
	two, err := service.NewRequest(t.Context(), again, target)
	require.NoError(t, err)

	require.Equal(t, one.Header.Get("X-Service-Delivery"), two.Header.Get("X-Service-Delivery"))
	require.NotEqual(t, one.Header.Get("X-Service-Signature"), two.Header.Get("X-Service-Signature"))
}

func TestNewRequestRefusesABrokenBrief(t *testing.T) {
	t.Parallel()
	m := notifytest.NewExample()
	m.Brief.JSON = json.RawMessage(`{"id":`)

	_, err := service.NewRequest(t.Context(), m, notify.Target{URL: "https://hooks.example.com/x"})

	require.Error(t, err)
}
