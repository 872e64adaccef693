package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/notify"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	adminToken = "the-admin-token-of-the-tests"
	secret     = "whsec_the-secret-of-the-tests"
	atMost     = time.Minute
	every      = 20 * time.Millisecond
)

// errandServer is a running Errand with one issue.
type errandServer struct {
	t     *testing.T
	url   string
	issue int64
}

func startErrand(t *testing.T) *errandServer {
	t.Helper()
	a, err := app.New(t.Context(), app.Config{
		Addr: "127.0.0.1:0", DatabaseURL: core.Secret(storetest.NewURL(t)), AdminToken: adminToken, Migrate: "on", Roles: "api,ingest",
	}, "0.0.0", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		end()
		require.NoError(t, <-done)
		a.Close(context.Background())
	})
	s := &errandServer{t: t, url: a.URL()}
	var project struct {
		Data struct {
			DSN string
		}
	}
	require.Equal(t, 201, s.callOperation(adminToken, "POST", "/v1/projects", `{"name":"Shop"}`, &project))
	dsn, err := url.Parse(project.Data.DSN)
	require.NoError(t, err)
	var added struct {
		Data struct {
			IssueID int64 `json:"issue_id"`
		}
	}
	require.Equal(t, 200, s.send("POST", "/v1/ingest", `{"message":"it broke"}`, http.Header{"X-Service-Key": {dsn.User.Username()}}, &added))
	s.issue = added.Data.IssueID
	return s
}

func (s *errandServer) send(method, path, body string, header http.Header, into any) int {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	request.Header = header
	answer, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	if into != nil {
		require.NoError(s.t, json.Unmarshal(text, into), string(text))
	}
	return answer.StatusCode
}

func (s *errandServer) callOperation(token, method, path, body string, into any) int {
	s.t.Helper()
	return s.send(method, path, body, http.Header{"Authorization": {"Bearer " + token}}, into)
}

// issueState is the state of the issue that tests check.
type issueState struct {
	Status string
	Claim  *struct{ Holder, Worker string }
	Fix    *struct {
		Commit string
		PRURL  string `json:"pr_url"`
	}
}

func (s *errandServer) readIssue() (state issueState) {
	s.t.Helper()
	var answer struct{ Data issueState }
	s.callOperation(adminToken, "GET", fmt.Sprintf("/v1/issues/%d", s.issue), "", &answer)
	return answer.Data
}

// listActions returns the actions on the issue, newest first; a note with its text.
func (s *errandServer) listActions() (actions []string) {
	s.t.Helper()
	var answer struct {
		Data []struct {
			Action string
			Data   struct{ Text string }
		}
	}
	s.callOperation(adminToken, "GET", fmt.Sprintf("/v1/issues/%d/activity", s.issue), "", &answer)
	for _, a := range answer.Data {
		actions = append(actions, strings.TrimSpace(a.Action+" "+a.Data.Text))
	}
	return actions
}

// testRunner is a working runner, and its webhook.
type testRunner struct {
	*runner
	log  *logtext.Text
	url  string
	stop func() // like a signal; waits for the end
}

func usualConfig(t *testing.T, errandURL string, command ...string) config {
	return config{
		folder: t.TempDir(), events: []string{"issue.new", "issue.regressed"}, parallel: 1, waiting: 1, minutes: 15, timeout: time.Minute,
		worker:    "runner-of-the-tests",
		errandURL: errandURL, token: adminToken, secret: secret, command: command,
	}
}

func startRunner(t *testing.T, c config) *testRunner {
	t.Helper()
	log := &logtext.Text{}
	r, err := newRunner(c, slog.New(slog.NewTextHandler(log, nil)))
	require.NoError(t, err)
	server := httptest.NewServer(r)
	ctx, end := context.WithCancel(context.Background())
	var working sync.WaitGroup
	for range c.parallel {
		working.Go(func() { r.workOn(ctx) })
	}
	stop := sync.OnceFunc(func() {
		end()
		working.Wait()
		server.Close()
	})
	t.Cleanup(stop)
	return &testRunner{r, log, server.URL, stop}
}

// deliverySaying returns the body of a delivery.
func deliverySaying(id int64, event string, issue int64, trust string) string {
	if event == "ping" {
		return fmt.Sprintf(`{"event":"ping","delivery_id":%d,"webhook_id":1,"issue":null,"brief":null}`, id)
	}
	return fmt.Sprintf(`{"event":%q,"delivery_id":%d,"webhook_id":1,"created_at":"2026-01-03T18:22:50.123Z",`+
		`"issue":{"id":%d,"trust":%q},"brief":{"markdown":"# Issue\n\n$(touch hacked); it broke\n","json":{"id":1}}}`, event, id, issue, trust)
}

// deliver sends a body with a valid signature.
func (r *testRunner) deliver(t *testing.T, body string) (int, string) {
	t.Helper()
	return r.deliverSigned(t, body, notify.SignBody(secret, time.Now(), []byte(body)))
}

func (r *testRunner) deliverSigned(t *testing.T, body, signature string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("X-Service-Signature", signature)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, strings.TrimSpace(string(text))
}

// waitForDone waits until a delivery is finished.
func (r *testRunner) waitForDone(t *testing.T, id int64) {
	t.Helper()
	require.Eventually(t, func() bool {
		return fileExists(r.inbox.fileOf(id, ".done")) && !fileExists(r.inbox.fileOf(id, ".json")) // it is removed last
	}, atMost, every)
}
