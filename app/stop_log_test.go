package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// TestStopLeavesNoErrorInTheLogs stops servers at different times after their start, when their jobs run, under a stream of events.
func TestStopLeavesNoErrorInTheLogs(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	logged := storetest.CollectErrors(t, databaseURL)
	for after := time.Millisecond; after < 2*time.Second; after *= 2 {
		s := startServer(t, configWithJobs(databaseURL))
		s.stopUnderLoad(t, s.makeProject(t), after)
		require.Empty(t, logged(), "after %s", after)
		require.NotContains(t, s.log.String(), `"level":"ERROR"`, "after %s", after)
	}
}

var isError = regexp.MustCompile(`(?m)^.*\b(ERROR|FATAL|PANIC):.*$`)

func TestStopLeavesNoErrorInTheLogOfThePrivatePostgres(t *testing.T) {
	t.Parallel()
	dir := storetest.NewDataDir(t)
	for round := range 4 {
		s := startServer(t, privateConfig(dir))
		admin, err := os.ReadFile(filepath.Join(dir, "admin-token"))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, s.statusAs(t, strings.TrimSpace(string(admin)), "/v1/projects"))
		s.stopUnderLoad(t, "", time.Duration(round)*300*time.Millisecond)
	}
	text, err := os.ReadFile(filepath.Join(dir, "postgres.log"))
	require.NoError(t, err)
	// A busy machine may not finish a statement in the time that it gets after its server has stopped.
	const cutOff = "FATAL:  connection to client lost"
	require.Empty(t, isError.FindAllString(strings.Replace(string(text), cutOff, "", 1), -1))
}

// stopUnderLoad runs senders that add events or ask for readiness, and ends the server after a while.
func (s *server) stopUnderLoad(t *testing.T, key string, after time.Duration) {
	t.Helper()
	method, path := http.MethodPost, "/v1/ingest"
	if key == "" {
		method, path = http.MethodGet, "/readyz"
	}
	var senders sync.WaitGroup
	for range 3 {
		senders.Go(func() {
			for s.sendRequest(t.Context(), method, path, key, strings.NewReader(event)).err == nil {
			}
		})
	}
	<-time.After(after)
	s.stopServer(t)
	senders.Wait()
}
