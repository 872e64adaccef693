//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stallStop sends half a request, which keeps its connection busy until the test ends.
func (s *server) stallStop(t *testing.T) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n", adminToken)
	require.NoError(t, err)
	reply := make([]byte, 12)
	_, err = conn.Read(reply)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 100", string(reply), "the server reads the body")
}

// waitForEnd waits until a process has ended, and returns how. It kills a process that does not end.
func waitForEnd(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	require.True(t, kill.Stop(), "the process did not end")
	return err
}

// TestStopWithStalledUpload sends one signal, and two, to a server that a client keeps waiting.
func TestStopWithStalledUpload(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"one signal", "two signals"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			pid := postmasterPID(t, s.dataDir)
			s.stallStop(t)
			require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
			if name == "two signals" {
				require.Eventually(t, func() bool { // the first signal has arrived
					_, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
					return err != nil
				}, 5*time.Second, 10*time.Millisecond)
				require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
			}
			_ = waitForEnd(t, s.cmd)
			require.Equal(t, name == "one signal", s.cmd.ProcessState.Success(), s.cmd.ProcessState.String())
			require.Eventually(t, func() bool { return syscall.Kill(pid, 0) != nil }, 20*time.Second, 50*time.Millisecond, "Postgres ends too")
		})
	}
}

// TestEverythingIsJSON reads the whole output of a server: each line is JSON, and durations have units.
func TestEverythingIsJSON(t *testing.T) {
	t.Parallel()
	env := []string{"LOG_FORMAT=JSON", "LOG_LEVEL=Debug", "MIGRATE=ON", "RETENTION_DAYS=", "ROLES=", "DATABASE_WAIT=", "RETENTION_DAY=5",
		"ADMIN_TOKEN="}
	s := startServerOn(t, newDir(t), env...)
	require.Equal(t, http.StatusOK, s.callAPI("", "GET", "/healthz", "", nil))
	printed := s.ready + s.readyLine() + "\n"
	s.stopServer()
	require.True(t, s.cmd.ProcessState.Success())
	durations := 0
	for line := range strings.Lines(printed + s.log.String()) {
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &fields), line)
		if d, ok := fields["duration"]; ok {
			durations++
			require.Regexp(t, `^[0-9.]+(ns|µs|ms|s|m[0-9.]+s)$`, d, line)
		}
	}
	require.NotZero(t, durations)
	require.Contains(t, s.log.String(), `"variable":"RETENTION_DAY","probably_meant":"RETENTION_DAYS"`)
	require.NotContains(t, s.log.String(), `"set_for_the_installation":{"RETENTION_DAYS"`)
}

// TestFatalErrorsHaveTheFormat ends servers that cannot start.
func TestFatalErrorsHaveTheFormat(t *testing.T) {
	t.Parallel()
	empty := []string{"serve", "--addr=", "--log-level=", "--database-wait", "", "--retention-days="} // as if they were not given
	for _, c := range []struct{ wrong, says string }{
		{"ADDR=127.0.0.1", "ADDR"},
		{"RETENTION_DAYS=-1", "RETENTION_DAYS"},
		{"LOG_LEVEL=loud", "--log-level"},
		{"DATABASE_URL=postgres://errand@127.0.0.1:1/errand?sslmode=disable", "DATABASE_URL"},
	} {
		for _, format := range []string{"json", "text"} {
			cmd := errandCommand(t, newDir(t), []string{"DATABASE_WAIT=0s", c.wrong, "LOG_FORMAT=" + format}, empty...)
			var problems bytes.Buffer
			cmd.Stderr = &problems
			var exit *exec.ExitError
			require.ErrorAs(t, cmd.Run(), &exit, c.wrong)
			lines := strings.Split(strings.TrimSpace(problems.String()), "\n")
			var last struct{ Level, Error string }
			err := json.Unmarshal([]byte(lines[len(lines)-1]), &last)
			if format == "text" {
				require.Error(t, err)
				require.Contains(t, problems.String(), "errand: ")
				require.Contains(t, problems.String(), c.says)
				continue
			}
			require.NoError(t, err, problems.String())
			require.Equal(t, "ERROR", last.Level)
			require.Contains(t, last.Error, c.says)
		}
	}
}

// TestSettingsBesideAServer asks for the settings of a server that runs on its private Postgres.
func TestSettingsBesideAServer(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := startServerOn(t, dir, "RETENTION_DAYS=30", "REQUIRE_APPROVAL=ignore")
	ask := func(args ...string) string {
		text, err := errandCommand(t, dir, []string{"REQUIRE_APPROVAL="}, append([]string{"settings"}, args...)...).Output()
		require.NoError(t, err)
		return string(text)
	}
	require.Regexp(t, `(?m)^RETENTION_DAYS +30 +.+, `+strings.TrimPrefix(s.url, "http://")+`, Errand \S+ +20\S+Z$`, ask())
	require.Regexp(t, `(?m)^REQUIRE_APPROVAL +ignore `, ask("show"))
	require.Regexp(t, `(?m)^SIMILAR +on \(default\)`, ask())
	require.Regexp(t, `(?m)^REQUIRE_APPROVAL +none \(default\) +unset by `, ask("unset", "REQUIRE_APPROVAL"))
	require.Regexp(t, `(?m)^REQUIRE_APPROVAL +none \(default\) +unset by `, ask())
	require.NotContains(t, ask(), adminToken)
}

// TestSignalWhileStarting stops a server that waits for its database.
func TestSignalWhileStarting(t *testing.T) {
	t.Parallel()
	addr := freeAddress(t)
	cmd := errandCommand(t, newDir(t), []string{"DATABASE_URL=postgres://errand@127.0.0.1:1/errand?sslmode=disable", "DATABASE_WAIT=1d"},
		"serve", "--addr", addr)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	var reason struct{ Reason string }
	require.Eventually(t, func() bool {
		answer, err := http.Get("http://" + addr + "/readyz")
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		return json.NewDecoder(answer.Body).Decode(&reason) == nil && reason.Reason == "starting: waiting for the database"
	}, 20*time.Second, 20*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, waitForEnd(t, cmd))
}
