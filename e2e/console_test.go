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

// TestConsole is what a person sees who starts a server: the admin token, once, and tokens made on the machine.
func TestConsole(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := startServerOn(t, dir, "ADMIN_TOKEN=")
	admin := strings.Fields(strings.SplitAfter(s.readyLine(), "Admin token: ")[1])[0]
	text, err := os.ReadFile(filepath.Join(dir, "admin-token"))
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(text)), admin)
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
	s.stopServer() // its log is whole, and nobody writes it any more
	require.NotContains(t, s.log.String(), admin)
}

// readyLine reads the next line that the server prints.
func (s *server) readyLine() string {
	s.t.Helper()
	line, err := s.out.ReadString('\n')
	require.NoError(s.t, err)
	return strings.TrimSuffix(line, "\n")
}
