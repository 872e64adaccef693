//go:build e2e

package e2e

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// agentsPython is the interpreter that make sign-in installs.
	agentsPython = "../../.cache/e2e-agents/bin/python"
	agentsBin    = "node_modules/.bin/"
)

// signsInAs are clients of MCP that get only the URL of the server, each with the name of its token. If a client
// prints the address for the person, the test goes there. The other clients bring their own person.
var signsInAs = map[string]struct {
	setUp, command []string
	isPrinting     bool
	name           string
}{
	"TypeScript 1": {command: []string{"node", "sdk1.mjs", "URL"}, name: "oauth: TypeScript 1"},
	"TypeScript 2": {command: []string{"node", "sdk2.mjs", "URL"}, name: "oauth: TypeScript 2"},
	"Python":       {command: []string{agentsPython, "mcp_client.py", "URL"}, name: "oauth: Python"},
	"fastmcp":      {command: []string{agentsPython, "fastmcp_client.py", "URL"}, name: "oauth: FastMCP Client"},
	"mcp-remote": {
		command: []string{agentsBin + "mcp-remote-client", "URL"}, isPrinting: true, name: "oauth: MCP CLI Client",
	},
	"Codex": {command: []string{agentsBin + "codex", "mcp", "add", "errand", "--url", "URL"}, isPrinting: true, name: "oauth: Codex"},
	"Claude Code": {
		setUp:   []string{agentsBin + "claude", "mcp", "add", "--transport", "http", "errand", "URL"},
		command: []string{"script", "-qec", agentsBin + "claude mcp login errand", "/dev/null"}, isPrinting: true,
		name: "oauth: Claude Code (errand)",
	},
}

// TestAgentsSignIn lets each client in by the URL alone. The only secret that anybody types is the admin token, into the page.
func TestAgentsSignIn(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("agents/node_modules"); err != nil {
		t.Skip("make sign-in installs the clients")
	}
	s := startServer(t)
	for name, c := range signsInAs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := newDir(t)
			if c.setUp != nil {
				out, err := s.agentCommand(t, home, c.setUp).CombinedOutput()
				require.NoError(t, err, string(out))
			}

			s.runSignIn(t, s.agentCommand(t, home, c.command), c.isPrinting, c.name)

			require.True(t, s.hasToken(c.name), c.name)
		})
	}
}

// hasToken reports whether a token has the name.
func (s *server) hasToken(name string) bool {
	var tokens struct{ Data []struct{ Name string } }
	status := s.callAPI(adminToken, "GET", "/v1/tokens", "", &tokens)
	return status == 200 && slices.Contains(tokens.Data, struct{ Name string }{name})
}

// agentCommand makes the command of a client with its own home, where it keeps what it gets.
func (s *server) agentCommand(t *testing.T, home string, command []string) *exec.Cmd {
	t.Helper()
	args := make([]string, len(command))
	for i, arg := range command {
		if args[i] = arg; arg == "URL" {
			args[i] = s.url + "/mcp"
		}
	}
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = "agents"
	state := filepath.Join(home, "state")
	require.NoError(t, os.MkdirAll(state, 0o700))
	cmd.Env = append(os.Environ(), "HOME="+home, "CODEX_HOME="+state, "ADMIN_TOKEN="+adminToken, "BROWSER=true", "FASTMCP_HOME="+state)
	return cmd
}

// runSignIn runs a client until it is signed in. A client that prints the address of the page continues after somebody has been there.
func (s *server) runSignIn(t *testing.T, cmd *exec.Cmd, isPrinting bool, name string) {
	t.Helper()
	if !isPrinting {
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return
	}
	printed, write := io.Pipe()
	cmd.Stdout, cmd.Stderr = write, write
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		_ = write.Close() // nobody reads any more
	}()
	page := findPage(t, printed, regexp.MustCompile(regexp.QuoteMeta(s.url)+`/oauth/authorize\?[!-~]+`))
	go func() { _, _ = io.Copy(io.Discard, printed) }()

	out, err := s.agentCommand(t, t.TempDir(), []string{"node", "consent.mjs", page}).CombinedOutput()

	require.NoError(t, err, string(out))
	require.Eventually(t, func() bool { return s.hasToken(name) }, 20*time.Second, 20*time.Millisecond)
	_ = cmd.Process.Signal(os.Interrupt) // mcp-remote stays connected; the others end on their own
	if err := <-ended; err != nil {
		t.Log("the client ended with", err) // it was interrupted
	}
}

// findPage reads a client's output until it contains the address of the page.
func findPage(t *testing.T, printed io.Reader, address *regexp.Regexp) string {
	t.Helper()
	lines, text := bufio.NewScanner(printed), ""
	for lines.Scan() {
		text += lines.Text() + "\n"
		if page := address.FindString(lines.Text()); page != "" {
			return page
		}
	}
	require.FailNow(t, "the client printed no address", text)
	return ""
}
