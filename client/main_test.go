package client_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/client"
	"errand/core"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const adminToken = "the-admin-token-of-the-tests"

// newConfig returns the configuration of a server on a new database, with its source maps in a folder.
func newConfig(t *testing.T) app.Config {
	t.Helper()
	return app.Config{
		Addr: "127.0.0.1:0", DatabaseURL: core.Secret(storetest.NewURL(t)), AdminToken: adminToken, Migrate: "on",
		Blobs: core.Secret("file://" + t.TempDir()),
	}
}

// startServer runs a server until the test ends, and returns the command line that calls it as the admin.
func startServer(t *testing.T, c app.Config) commandLine {
	t.Helper()
	server, err := app.New(t.Context(), c, "0.0.0", (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	t.Cleanup(func() {
		end()
		require.NoError(t, <-done)
		server.Close(context.Background())
	})
	return newCommandLine(server.URL())
}

// startDemo runs a server whose database has the demo project.
func startDemo(t *testing.T) commandLine {
	t.Helper()
	c := newConfig(t)
	_, err := app.MakeDemo(t.Context(), &c, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	return startServer(t, c)
}

// makeProject makes the project web-shop and returns the key of its DSN.
func (c commandLine) makeProject(t *testing.T) string {
	t.Helper()
	var made struct{ DSN string }
	c.callJSON(t, &made, "create_project", "--name=Web shop")
	dsn, err := url.Parse(made.DSN)
	require.NoError(t, err)
	return dsn.User.Username()
}

// sentEvent is the answer to an event.
type sentEvent struct {
	EventID string `json:"event_id"`
	IssueID int64  `json:"issue_id"`
}

// sendEvent sends an event, which must be accepted, with the key of a project.
func (c commandLine) sendEvent(t *testing.T, key, body string) (sent sentEvent) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.caller().URL+"/v1/ingest", strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("X-Service-Key", key)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.NoError(t, json.NewDecoder(response.Body).Decode(&struct{ Data any }{&sent}))
	return sent
}

// caller is the client of the command line.
func (c commandLine) caller() client.Client { return c.options.Client }
