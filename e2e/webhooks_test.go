//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// toldAtMost is how long tests wait for a delivery, and for agents and the verification to act.
const toldAtMost = 60 * time.Second

// makeWebhook creates a webhook and returns its id and secret.
func (s *server) makeWebhook(url, events string) (id int64, secret string) {
	s.t.Helper()
	var made struct {
		Data struct {
			ID     int64
			Secret string
		}
	}
	body := fmt.Sprintf(`{"name":"runner","url":%q,"events":[%s]}`, url, events)
	require.Equal(s.t, 201, s.callAPI(adminToken, "POST", "/v1/webhooks", body, &made))
	return made.Data.ID, made.Data.Secret
}

// told is what the receiver in Node prints about a request.
type told struct {
	Signed, Same         bool
	Event, Status, Brief string
	Issue                int64
}

// startNodeReceiver starts a receiver that checks signatures, and sends it everything that happens to issues.
func (s *server) startNodeReceiver() *bufio.Scanner {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "node", "sdk/receiver.mjs")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(s.t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, cmd.Start())
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	require.True(s.t, lines.Scan())
	_, secret := s.makeWebhook("http://127.0.0.1:"+lines.Text()+"/hook", `"issue.new","issue.verified"`)
	_, err = fmt.Fprintln(in, secret)
	require.NoError(s.t, err)
	return lines
}

func readTold(t *testing.T, lines *bufio.Scanner) (one told) {
	t.Helper()
	require.True(t, lines.Scan())
	require.NoError(t, json.Unmarshal(lines.Bytes(), &one), lines.Text())
	require.True(t, one.Signed, "Node finds the signature right")
	require.True(t, one.Same)
	return one
}

// startRunner builds and starts examples/runner with a command, and sends it new issues.
func (s *server) startRunner(command ...string) {
	s.t.Helper()
	binary := filepath.Join(s.t.TempDir(), "runner")
	text, err := exec.CommandContext(s.t.Context(), "go", "build", "-o", binary, "../examples/runner").CombinedOutput()
	require.NoError(s.t, err, string(text))
	address := freeAddress(s.t)
	_, secret := s.makeWebhook("http://"+address+"/", `"issue.new","issue.regressed"`)
	cmd := exec.Command(binary, append([]string{"-listen", address, "-state", s.t.TempDir(), "--"}, command...)...)
	cmd.Env = append(os.Environ(), "ERRAND_URL="+s.url, "ERRAND_TOKEN="+s.makeToken("runner"), "ERRAND_WEBHOOK_SECRET="+secret)
	var log strings.Builder
	cmd.Stderr = &log
	require.NoError(s.t, cmd.Start())
	s.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		require.NoError(s.t, cmd.Wait(), log.String())
		if s.t.Failed() {
			s.t.Log("runner log:\n", log.String())
		}
	})
	require.Eventually(s.t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, toldAtMost, 20*time.Millisecond)
}

func (s *server) readStatus(issue int64) (status string) {
	s.t.Helper()
	var answer struct{ Data struct{ Status string } }
	require.Equal(s.t, 200, s.callAPI(adminToken, "GET", fmt.Sprintf("/v1/issues/%d", issue), "", &answer))
	return answer.Data.Status
}

// An error becomes a webhook, a runner claims it and links a fix, a deploy brings the fix, and a webhook reports its verification.
func TestWebhookToVerifiedFix(t *testing.T) {
	t.Parallel()
	s := startServerOn(t, newDir(t), "WEBHOOK_ALLOW_PRIVATE=127.0.0.1/32", "VERIFY_MIN=1s", "VERIFY_MAX=2s")
	lines := s.startNodeReceiver()
	brief := filepath.Join(t.TempDir(), "brief.md")
	s.startRunner("sh", "-c", `cat >"$0"; echo 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432`, brief)
	dsn, slug := s.makeProject("Shop")

	out, err := exec.CommandContext(t.Context(), "node", "sdk/node.mjs", dsn).CombinedOutput()
	require.NoError(t, err, string(out))

	fresh := readTold(t, lines)
	require.Equal(t, "issue.new", fresh.Event)
	require.Contains(t, fresh.Brief, "UNTRUSTED")
	require.Eventually(t, func() bool { return s.readStatus(fresh.Issue) == "fix_pending" }, toldAtMost, 50*time.Millisecond)
	text, err := os.ReadFile(brief)
	require.NoError(t, err)
	require.Contains(t, string(text), "UNTRUSTED")
	var list struct{ Data []struct{ ID int64 } }
	require.Equal(t, 200, s.callAPI(adminToken, "GET", "/v1/issues?project="+slug, "", &list))
	require.Equal(t, 201, s.callAPI(adminToken, "POST", "/v1/deploys",
		`{"project":"`+slug+`","commit":"9f8e7d6c5b4a39281706f5e4d3c2b1a098765432","release":"after-the-fix"}`, nil))
	for { // webhooks about the application's other errors come too
		if one := readTold(t, lines); one.Event == "issue.verified" {
			require.Equal(t, "verified", one.Status)
			return
		}
	}
}

// hangingReceiver counts its requests by delivery, and does not answer as long as it hangs.
type hangingReceiver struct {
	url      string
	hangs    atomic.Bool
	mu       sync.Mutex
	received map[string]int
}

func startHanging(t *testing.T) *hangingReceiver {
	t.Helper()
	h := &hangingReceiver{received: map[string]int{}}
	h.hangs.Store(true)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only reading shows that the sender is gone
		h.mu.Lock()
		h.received[r.Header.Get("X-Service-Delivery")]++
		h.mu.Unlock()
		if h.hangs.Load() {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(receiver.Close)
	h.url = receiver.URL
	return h
}

func (h *hangingReceiver) countReceived() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, times := range h.received {
		n += times
	}
	return n
}

// TestFaultServerIsKilledWhileSending kills the server when receivers have a delivery and it has not got their
// answers. All arrive again, under the same ids, and each attempt is counted.
func TestFaultServerIsKilledWhileSending(t *testing.T) {
	t.Parallel()
	const issues = 5
	receiver := startHanging(t)
	dir, env := newDir(t), "WEBHOOK_ALLOW_PRIVATE=127.0.0.1/32"
	s := startServerOn(t, dir, env)
	webhook, _ := s.makeWebhook(receiver.url, `"issue.new"`)
	dsn, _ := s.makeProject("Shop")
	for n := range issues {
		s.sendServerError(dsn, n)
	}
	require.Eventually(t, func() bool { return receiver.countReceived() >= 1 }, toldAtMost, 20*time.Millisecond)
	require.NoError(t, s.cmd.Process.Kill())
	_ = s.cmd.Wait()
	receiver.hangs.Store(false)
	before := receiver.countReceived()

	again := startServerOn(t, dir, env)

	var list struct {
		Data []struct {
			Status   string
			Attempts int
		}
	}
	require.Eventually(t, func() bool { // a minute later the lost one is tried again
		require.Equal(t, 200, again.callAPI(adminToken, "GET", fmt.Sprintf("/v1/webhooks/%d/deliveries", webhook), "", &list))
		done := 0
		for _, delivery := range list.Data {
			if delivery.Status == "delivered" {
				done++
			}
		}
		return done == issues
	}, 2*toldAtMost, 200*time.Millisecond)
	attempts := 0
	for _, delivery := range list.Data {
		attempts += delivery.Attempts
	}
	require.Len(t, receiver.received, issues)
	require.Equal(t, receiver.countReceived(), attempts, "no attempt goes uncounted")
	t.Logf("%d deliveries, %d lost with the server, %d attempts", issues, before, attempts)
}

// sendServerError sends a server's error with a new type.
func (s *server) sendServerError(dsn string, n int) {
	s.t.Helper()
	key, _, _ := strings.Cut(strings.TrimPrefix(dsn, "http://"), "@")
	body := fmt.Sprintf(`{"platform":"go","exception":{"type":"Error%d","value":"it broke"}}`, n)
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/v1/ingest", strings.NewReader(body))
	require.NoError(s.t, err)
	request.Header.Set("X-Service-Key", key)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	require.NoError(s.t, answer.Body.Close())
	require.Equal(s.t, http.StatusOK, answer.StatusCode)
}
