package app_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// freeAddr is an address that nobody listens on.
func freeAddr(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// starting is a server with a slow start.
type starting struct {
	*server
	addr   string
	cancel context.CancelFunc
	result chan error
}

// beginStart begins to start a server.
func beginStart(t *testing.T, c app.Config) *starting {
	t.Helper()
	c.Addr = freeAddr(t)
	half := &server{log: &logtext.Text{}, client: &http.Client{Transport: &http.Transport{}}}
	s := &starting{server: half, addr: c.Addr, result: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go func() {
		a, err := app.New(ctx, c, "0.0.0", s.log.NewLogger())
		s.App = a
		s.result <- err
	}()
	t.Cleanup(cancel)
	return s
}

func (s *starting) getPath(path string) answer {
	request, err := http.NewRequest(http.MethodGet, "http://"+s.addr+path, nil)
	if err != nil {
		return answer{err: err}
	}
	return s.doRequest(request)
}

// unreadyReason is the answer of /readyz; empty while nobody answers.
func (s *starting) unreadyReason() string {
	var body struct{ Error, Reason string }
	if json.Unmarshal([]byte(s.getPath("/readyz").body), &body) != nil {
		return ""
	}
	return body.Reason
}

// requireUnready checks the answers of every path while the server starts.
func (s *starting) requireUnready(t *testing.T) {
	t.Helper()
	require.JSONEq(t, `{"status":"ok"}`, s.getPath("/healthz").body)
	for _, path := range []string{"/", "/docs", "/v1/issues", "/v1/ingest", "/api/1/envelope/", "/mcp", "/nothing"} {
		got := s.getPath(path)
		require.Equal(t, http.StatusServiceUnavailable, got.status, path)
		require.JSONEq(t, `{"error":"unavailable"}`, got.body, path)
		require.NotEmpty(t, got.header.Get("Retry-After"), path)
		require.NotEmpty(t, got.header.Get("X-Request-Id"), path)
	}
	require.Equal(t, http.StatusServiceUnavailable, s.getPath("/readyz").status)
}

func TestStartWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	setAway(t, databaseURL, true)
	c := configWithJobs(databaseURL)
	c.DatabaseWait = "1m"
	s := beginStart(t, c)
	require.Eventually(t, func() bool { return s.unreadyReason() == "starting: waiting for the database" }, atMost, every)
	s.requireUnready(t)
	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), "waiting for the database") }, atMost, every)

	setAway(t, databaseURL, false)
	require.NoError(t, <-s.result)
	defer s.Close(context.Background())
	require.Equal(t, http.StatusOK, s.getPath("/readyz").status)
	require.Equal(t, http.StatusUnauthorized, s.getPath("/v1/issues").status)
}

func TestStartSaysThatItMigrates(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewEmptyURL(t)
	lock, err := openConnection(t, databaseURL).Begin(t.Context())
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(), `CREATE TABLE goose_db_version (id int)`) // a migration waits for this one
	require.NoError(t, err)
	s := beginStart(t, configWithJobs(databaseURL))
	require.Eventually(t, func() bool { return s.unreadyReason() == "starting: migrating the database" }, atMost, every)
	s.requireUnready(t)
	require.NoError(t, lock.Rollback(t.Context()))
	require.NoError(t, <-s.result)
	defer s.Close(context.Background())
	require.Equal(t, http.StatusOK, s.getPath("/readyz").status)
}

// TestStartEnds checks that waiting ends: after DATABASE_WAIT, on a signal, and where it would not help.
func TestStartEnds(t *testing.T) {
	t.Parallel()
	nobody := configWithJobs("postgres://errand@127.0.0.1:1/errand?sslmode=disable")
	nobody.DatabaseWait = "1s"
	s := beginStart(t, nobody)
	require.ErrorContains(t, <-s.result, "DATABASE_WAIT of 1s")
	require.Empty(t, s.unreadyReason(), "another test may have its port by now")

	nobody.DatabaseWait = "1d"
	s = beginStart(t, nobody)
	require.Eventually(t, func() bool { return s.unreadyReason() == "starting: waiting for the database" }, atMost, every)
	s.cancel()
	require.Error(t, <-s.result)
	require.Empty(t, s.unreadyReason(), "another test may have its port by now")

	databaseURL := storetest.NewURL(t)
	for _, further := range []string{"&dbname=none", "&user=nobody-of-that-name"} {
		wrong := configWithJobs(databaseURL + further)
		wrong.DatabaseWait = "1d"
		require.ErrorContains(t, <-beginStart(t, wrong).result, "DATABASE_URL")
	}
	latin := configWithJobs(storetest.NewEncodedURL(t, "LATIN1"))
	latin.DatabaseWait = "1d"
	require.ErrorContains(t, <-beginStart(t, latin).result, "ENCODING 'UTF8'")
}

func TestSchemaOfANewerServer(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	const warning = "the database schema is newer than this server"
	require.NotContains(t, startServer(t, configWithJobs(databaseURL)).log.String(), warning)

	db := openConnection(t, databaseURL)
	_, err := db.Exec(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`)
	require.NoError(t, err)
	defer func() {
		_, err := db.Exec(context.Background(), `DELETE FROM goose_db_version WHERE version_id = 9999`)
		require.NoError(t, err)
	}()
	s := startServer(t, configWithJobs(databaseURL))
	require.Contains(t, s.log.String(), warning)
	require.Contains(t, s.log.String(), `"schema":9999`)

	s.sendEvent(t, s.makeProject(t))
}

// TestNobodyIsAdmin starts servers with DATABASE_URL and without ADMIN_TOKEN.
func TestNobodyIsAdmin(t *testing.T) {
	t.Parallel()
	c := configWithJobs(storetest.NewURL(t))
	c.AdminToken = ""
	const advice = "errand token create --name NAME --scope admin"
	require.Contains(t, startServer(t, c).log.String(), advice)

	_, err := app.CreateToken(t.Context(), &c, app.NewToken{Name: "fixer", Scopes: []string{"issues:read"}}, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	require.Contains(t, startServer(t, c).log.String(), advice)

	_, err = app.CreateToken(t.Context(), &c, app.NewToken{Name: "root", Scopes: []string{"admin"}}, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	require.NotContains(t, startServer(t, c).log.String(), advice)

	c.AdminToken = adminToken
	require.NotContains(t, startServer(t, c).log.String(), advice)
}

// TestShutdownDelay checks that a stopping server is unready immediately, and continues to serve.
func TestShutdownDelay(t *testing.T) {
	t.Parallel()
	c := configWithJobs(storetest.NewURL(t))
	c.ShutdownDelay = "2s"
	s := startServer(t, c)
	key := s.makeProject(t)
	began := time.Now()
	s.end()
	unready := func() answer { return s.sendRequest(t.Context(), http.MethodGet, "/readyz", "", nil) }
	require.Eventually(t, func() bool { return unready().status == http.StatusServiceUnavailable }, atMost, every)
	require.JSONEq(t, `{"error":"unavailable","reason":"stopping"}`, unready().body)
	require.Equal(t, http.StatusOK, s.sendRequest(t.Context(), http.MethodGet, "/healthz", "", nil).status)

	s.sendEvent(t, key)
	s.stopServer(t)
	require.GreaterOrEqual(t, time.Since(began), 2*time.Second)
}

// TestStalledUploadDoesNotKeepTheServer stops a server after a client has sent half a request.
func TestStalledUploadDoesNotKeepTheServer(t *testing.T) {
	t.Parallel()
	s := startServer(t, configWithJobs(storetest.NewURL(t)))
	key := s.makeProject(t)
	for _, path := range []string{"/v1/ingest?key=" + key, "/v1/projects"} {
		conn, err := net.Dial("tcp", s.Addr())
		require.NoError(t, err)
		defer conn.Close()
		_, err = conn.Write([]byte("POST " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + adminToken +
			"\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n"))
		require.NoError(t, err)
		reply := make([]byte, 12)
		_, err = conn.Read(reply)
		require.NoError(t, err)
		require.Equal(t, "HTTP/1.1 100", string(reply), "the server reads the body")
		_, err = conn.Write([]byte(`{"message":`))
		require.NoError(t, err)
	}
	began := time.Now()

	s.stopServer(t)

	require.Less(t, time.Since(began), 10*time.Second)
	require.Contains(t, s.log.String(), "cut off")
}

// TestReasonsHoldNoSecrets checks that what everybody may read about a start does not contain the configuration.
func TestReasonsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	c := configWithJobs("postgres://errand:hunter2@127.0.0.1:1/errand?sslmode=disable")
	c.DatabaseWait = "1d"
	s := beginStart(t, c)
	require.Eventually(t, func() bool { return s.unreadyReason() != "" }, atMost, every)
	require.Regexp(t, regexp.MustCompile(`^starting[a-z: ]*$`), s.unreadyReason())

	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), "waiting for the database") }, atMost, every)
	require.NotContains(t, s.log.String(), "hunter2")

	s.cancel()
	require.Error(t, <-s.result)
}
