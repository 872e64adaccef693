//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const adminToken = "an-admin-token-for-the-tests"

// server is a running bin/errand with its private Postgres.
type server struct {
	t       *testing.T
	url     string
	dataDir string
	cmd     *exec.Cmd
	ready   string        // its output line with the URL
	out     *bufio.Reader // the rest of its output
	log     *bytes.Buffer
}

// startServer runs the binary on a fresh data folder.
func startServer(t *testing.T) *server {
	t.Helper()
	return startServerOn(t, newDir(t))
}

// newDir makes an empty data folder.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "errand-e2e-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755)) // Postgres may run as another user
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// errandCommand makes the command that runs the binary on a data folder, with further variables.
func errandCommand(t *testing.T, dir string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := filepath.Abs("../bin/errand")
	require.NoError(t, err)
	cmd := exec.Command(binary, append(args, "--data-dir", dir)...)
	cmd.Env = append(os.Environ(), "BASE_URL=", "LOG_FORMAT=json", "ADMIN_TOKEN="+adminToken,
		"XDG_STATE_HOME="+filepath.Join(dir, "state")) // its own list of running servers
	cmd.Env = append(append(cmd.Env, withDatabase(t, dir, env)...), env...)
	return cmd
}

// startServerOn runs the binary on a data folder, which may be a used one.
func startServerOn(t *testing.T, dir string, env ...string) *server {
	t.Helper()
	return startServerWith(t, dir, nil, env...)
}

// startServerWith is startServerOn with further flags.
func startServerWith(t *testing.T, dir string, flags []string, env ...string) *server {
	t.Helper()
	s := &server{t: t, dataDir: dir, log: &bytes.Buffer{}}
	s.cmd = errandCommand(t, dir, env, append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)...)
	s.cmd.Stderr = s.log
	out, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(s.stopServer)
	s.out = bufio.NewReader(out)
	line, err := s.out.ReadString('\n')
	if err != nil {
		_ = s.cmd.Wait()
		require.FailNow(t, "the server did not start", s.log.String())
	}
	require.Contains(t, line, "Errand is ready at http://")
	s.ready = line
	s.url = strings.Fields(strings.SplitAfter(line, "ready at ")[1])[0]
	return s
}

// stopWithin is how long a server may take to end, which is longer than all its own bounds together.
const stopWithin = time.Minute

// stopServer asks the server to end, as a supervisor does, and waits for it. A server that does not end says what it waits for.
func (s *server) stopServer() {
	if s.cmd.ProcessState != nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	quit := time.AfterFunc(stopWithin, func() { _ = s.cmd.Process.Signal(syscall.SIGQUIT) })
	_ = s.cmd.Wait()
	if !quit.Stop() {
		s.t.Error("the server did not end within", stopWithin)
	}
	s.checkPostgresLog()
	if s.t.Failed() {
		s.t.Log("server log:\n", s.log.String())
	}
}

// callAPI makes a REST call with a token and decodes the answer into a value, which may be nil.
func (s *server) callAPI(token, method, path, body string, into any) int {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	if into != nil {
		require.NoError(s.t, json.Unmarshal(text, into), "%s %s: %d %s", method, path, answer.StatusCode, text)
	}
	return answer.StatusCode
}

// makeProject creates a project and returns its DSN and slug.
func (s *server) makeProject(name string) (dsn, slug string) {
	s.t.Helper()
	var created struct{ Data struct{ DSN, Slug string } }
	require.Equal(s.t, 201, s.callAPI(adminToken, "POST", "/v1/projects", `{"name":"`+name+`"}`, &created))
	return created.Data.DSN, created.Data.Slug
}

// updateProject changes settings of a project. After an event the server may remember earlier settings for up to 60 seconds.
func (s *server) updateProject(slug, settings string) {
	s.t.Helper()
	require.Equal(s.t, 200, s.callAPI(adminToken, "PATCH", "/v1/projects/"+slug, settings, nil))
}

// listedProject is a project in a list.
type listedProject struct {
	EventsToday   int `json:"events_today"`
	Source, Trust string
}

func (s *server) findListed(slug string) listedProject {
	s.t.Helper()
	var list struct {
		Data []struct {
			Slug string
			listedProject
		}
	}
	require.Equal(s.t, 200, s.callAPI(adminToken, "GET", "/v1/projects", "", &list))
	for _, p := range list.Data {
		if p.Slug == slug {
			return p.listedProject
		}
	}
	require.FailNow(s.t, "no such project", slug)
	return listedProject{}
}

// makeToken creates a token with the scopes of an agent.
func (s *server) makeToken(name string) string {
	s.t.Helper()
	_, token := s.makeTokenWith(name, "issues:read", "issues:write")
	return token
}

// makeTokenWith creates a token and returns it with its id.
func (s *server) makeTokenWith(name string, scopes ...string) (id int64, token string) {
	s.t.Helper()
	var created struct {
		Data struct {
			ID    int64
			Token string
		}
	}
	body, err := json.Marshal(map[string]any{"name": name, "scopes": scopes})
	require.NoError(s.t, err)
	require.Equal(s.t, 201, s.callAPI(adminToken, "POST", "/v1/tokens", string(body), &created))
	return created.Data.ID, created.Data.Token
}
