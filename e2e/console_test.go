//go:build e2e

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConsole is what a person sees who starts a server: where the admin token is, and tokens made on the machine.
func TestConsole(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := startServerOn(t, dir, "ADMIN_TOKEN=")
	ready := s.readyLine()
	require.Contains(t, ready, "Admin token: new, in "+filepath.Join(dir, "admin-token"))
	text, err := os.ReadFile(filepath.Join(dir, "admin-token"))
	require.NoError(t, err)
	admin := strings.TrimSpace(string(text))
	require.NotContains(t, ready, admin)
	created, err := errandCommand(t, dir, nil, "token", "create", "--name", "fixer", "--scope", "issues:read,issues:write").Output()
	require.NoError(t, err)
	token := strings.TrimSpace(string(created))
	require.Equal(t, http.StatusOK, s.callAPI(admin, "GET", "/v1/tokens", "", nil))
	require.Equal(t, http.StatusOK, s.callAPI(token, "GET", "/v1/issues", "", nil))
	s.stopServer()
	require.True(t, s.cmd.ProcessState.Success(), s.cmd.ProcessState.String())

	s = startServerOn(t, dir, "ADMIN_TOKEN=")
	require.Contains(t, s.readyLine(), "Admin token: in "+dir+"/admin-token, unless ADMIN_TOKEN is set")
	require.Equal(t, http.StatusOK, s.callAPI(admin, "GET", "/v1/tokens", "", nil))
	require.Equal(t, http.StatusOK, s.callAPI(token, "GET", "/v1/issues", "", nil))
	s.stopServer() // its log is complete, and nobody writes to it any more
	require.NotContains(t, s.log.String(), admin)
}

// readyLine reads the next line that the server prints.
func (s *server) readyLine() string {
	s.t.Helper()
	line, err := s.out.ReadString('\n')
	require.NoError(s.t, err)
	return strings.TrimSuffix(line, "\n")
}

// TestAdminTokenInAPipe checks that the token itself goes into a pipe only if somebody asks for it, as make run does.
func TestAdminTokenInAPipe(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{{}, {"--show-token"}} {
		dir := newDir(t)
		s := startServerWith(t, dir, flags, "ADMIN_TOKEN=", "LOG_FORMAT=")
		text, err := os.ReadFile(filepath.Join(dir, "admin-token"))
		require.NoError(t, err)
		require.Equal(t, len(flags) > 0, strings.Contains(s.readyLine(), strings.TrimSpace(string(text))), flags)
		s.stopServer()
		require.NotContains(t, s.log.String(), strings.TrimSpace(string(text)))
		for line := range strings.Lines(s.log.String()) {
			require.True(t, strings.HasPrefix(line, `{"time":`), line)
		}
	}
}
