package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const adminToken = "the-admin-token-of-the-tests"

// pool is the number of connections of a server: each costs Postgres a process, and a test needs few of them at once.
const pool = 8

// The bounds of waiting in tests, and the pauses between looks.
const (
	atMost = 20 * time.Second
	every  = 10 * time.Millisecond
)

// configOn is the configuration of a server on the test's database.
func configOn(databaseURL string) app.Config {
	return app.Config{
		Addr: "127.0.0.1:0", DatabaseURL: core.Secret(databaseURL), DatabasePool: pool, AdminToken: adminToken, Migrate: "on",
		PasswordParams: cheap, Roles: "ingest,api,mcp,web",
	}
}

// configWithJobs is configOn with all roles: of the time that a test takes, its background jobs would take most.
func configWithJobs(databaseURL string) app.Config {
	c := configOn(databaseURL)
	c.Roles = "all"
	return c
}

// server is a running App.
type server struct {
	*app.App
	log    *logtext.Text
	client *http.Client
	end    context.CancelFunc // acts like a signal
	done   chan error         // the result of Run
	ended  bool
}

// startServer runs a server until the test ends.
func startServer(t *testing.T, c app.Config) *server {
	t.Helper()
	s := &server{log: &logtext.Text{}, client: &http.Client{Transport: &http.Transport{}, Timeout: atMost}, done: make(chan error, 1)}
	var err error
	s.App, err = app.New(t.Context(), c, "0.0.0", s.log.NewLogger())
	require.NoError(t, err)
	ctx, end := context.WithCancel(context.Background())
	s.end = end
	go func() { s.done <- s.Run(ctx) }()
	t.Cleanup(func() { s.stopServer(t) })
	return s
}

// stopServer ends the server as a signal does, and waits for it.
func (s *server) stopServer(t *testing.T) {
	t.Helper()
	if s.ended {
		return
	}
	s.ended = true
	s.client.CloseIdleConnections()
	s.end()
	require.NoError(t, <-s.done)
	s.Close(context.Background())
}

// answer is an answer over HTTP.
type answer struct {
	status int
	header http.Header
	body   string
	err    error
}

// sendRequest makes a request, as the admin if key is empty. It sends the body when the server asks for it.
func (s *server) sendRequest(ctx context.Context, method, path, key string, body io.Reader) answer {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+s.Addr()+path, body)
	if err != nil {
		return answer{err: err}
	}
	if key == "" {
		request.Header.Set("Authorization", "Bearer "+adminToken)
	} else {
		request.Header.Set("X-Service-Key", key)
	}
	if body != nil {
		request.Header.Set("Expect", "100-continue")
	}
	return s.doRequest(request)
}

func (s *server) doRequest(request *http.Request) answer {
	response, err := s.client.Do(request)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(text), err}
}

// postAsAdmin makes a POST that must succeed, and returns data of its answer.
func (s *server) postAsAdmin(t *testing.T, path, body string) map[string]any {
	t.Helper()
	got := s.sendRequest(t.Context(), http.MethodPost, path, "", strings.NewReader(body))
	require.NoError(t, got.err)
	require.Less(t, got.status, http.StatusMultipleChoices, got.body)
	var object struct{ Data map[string]any }
	require.NoError(t, json.Unmarshal([]byte(got.body), &object), got.body)
	return object.Data
}

// makeProject makes a project and returns the key of its DSN.
func (s *server) makeProject(t *testing.T) string {
	t.Helper()
	dsn, err := url.Parse(s.postAsAdmin(t, "/v1/projects", `{"name": "Web shop"}`)["dsn"].(string))
	require.NoError(t, err)
	return dsn.User.Username()
}

const event = `{"message": "cart cannot be loaded"}`

// sendEvent sends an error, which must be accepted, and returns the id of its issue.
func (s *server) sendEvent(t *testing.T, key string) int64 {
	t.Helper()
	return s.sendBody(t, key, []byte(event))
}

// timesSeen reads the count of an issue's events from the database.
func timesSeen(t *testing.T, databaseURL string, issue int64) int64 {
	t.Helper()
	found, err := storetest.Open(t, databaseURL, time.Now).ReadIssue(t.Context(), issue)
	require.NoError(t, err)
	return found.TimesSeen
}

// openConnection opens a separate connection for the test.
func openConnection(t *testing.T, databaseURL string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// listenAddress returns the host and port that the server listens on.
func (s *server) listenAddress() string { return s.Addr() }

// refusesConnections reports whether the address accepts no connection.
func refusesConnections(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err == nil {
		_ = conn.Close()
	}
	return err != nil
}

// splitDatabaseURL returns the name of the database in a URL, and the URL of another database on the same server.
func splitDatabaseURL(t *testing.T, databaseURL string) (name, other string) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	name = strings.TrimPrefix(u.Path, "/")
	u.Path = "/template1"
	return name, fmt.Sprint(u)
}

// waitsForIssues counts the sessions that wait for the table of issues. Databases of other tests, copies of one
// template, have it under the same number.
const waitsForIssues = `
SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'issues'::regclass
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
