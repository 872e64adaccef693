//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/getsentry/sentry-go"
	"github.com/stretchr/testify/require"
)

// application is an app with an SDK: it captures an error with a message, and returns when the SDK has sent or dropped the error.
type application func(message string)

// TestQuota is how server SDKs act over a project's quota. TestBrowser covers the browser's SDK.
func TestQuota(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for sdk, run := range map[string]func(t *testing.T, dsn string) application{"sentry-go": runGo, "@sentry/node": runNode} {
		t.Run(sdk, func(t *testing.T) {
			t.Parallel()
			dsn, slug := s.makeProject("Quota " + sdk)
			overQuota{server: s, dsn: dsn, slug: slug, run: run}.checkQuota(t)
			require.Equal(t, listedProject{EventsToday: 2, Source: "server", Trust: "high"}, s.findListed(slug))
		})
	}
}

func runGo(t *testing.T, dsn string) application {
	c, err := sentry.NewClient(sentry.ClientOptions{Dsn: dsn, AttachStacktrace: true})
	require.NoError(t, err)
	hub := sentry.NewHub(c, sentry.NewScope())
	return func(message string) {
		require.NotNil(t, hub.CaptureException(fmt.Errorf("%s: %w", message, errTimeout)))
		require.True(t, c.Flush(10*time.Second))
	}
}

func runNode(t *testing.T, dsn string) application {
	cmd := exec.CommandContext(t.Context(), "node", "sdk/lines.mjs", dsn)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // the test's context, which is done by then, ends it
	answers := bufio.NewReader(out)
	return func(message string) {
		_, err := io.WriteString(in, message+"\n")
		require.NoError(t, err)
		answer, err := answers.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "true", strings.TrimSpace(answer), "the SDK was not done in time")
	}
}

// overQuota is an unused project, and an application that will send to it.
type overQuota struct {
	server *server
	dsn    string
	slug   string
	run    func(t *testing.T, dsn string) application
}

// checkQuota checks that the SDK sends until the first 429, then nothing for the time that it was told, and then
// again, and that refused events do not count.
//
// Nobody waits for a minute: the proxy tells the SDK 1 second instead of the server's seconds, until the SDK has kept
// to that second. The limit that follows is the server's own.
func (q overQuota) checkQuota(t *testing.T) {
	awayFromMidnight(t)
	q.server.updateProject(q.slug, `{"daily_quota":2}`)
	through := startProxy(t, q.server)
	through.tellRetryAfter("1")
	throw := q.run(t, through.dsnThrough(t, q.dsn))
	for n := range 3 {
		throw(fmt.Sprintf("cart %d cannot be loaded", n))
	}
	require.Equal(t, []int{200, 200, 429}, statusesOf(through.passagesAbout("cart")))

	through.tellRetryAfter("")
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for n := 0; len(through.passagesAbout("cart")) == 3; n++ {
		require.Less(t, n, 200, "the SDK never sent again")
		<-tick.C
		throw(fmt.Sprintf("cart %d cannot be found", n))
	}
	for n := range 5 {
		throw(fmt.Sprintf("cart %d cannot be saved", n))
	}
	passed := through.passagesAbout("cart")
	require.Equal(t, []int{200, 200, 429, 429}, statusesOf(passed))
	require.Empty(t, through.passagesAbout("cannot be saved"), "sent although the limit holds")

	for _, refused := range passed[2:] {
		seconds := refused.header.Get("Retry-After")
		require.Regexp(t, `^([1-9]|[1-5]\d|60)$`, seconds)
		require.Equal(t, seconds+":default;error;security:project:daily_quota", refused.header.Get("X-Sentry-Rate-Limits"))
	}
	require.Equal(t, 2, q.server.findListed(q.slug).EventsToday)
}

// awayFromMidnight waits for the next day if this one is nearly over, since quotas would reset in the middle of a test.
func awayFromMidnight(t *testing.T) {
	t.Helper()
	midnight := time.Now().Truncate(24 * time.Hour).Add(24 * time.Hour)
	if left := time.Until(midnight); left < 30*time.Second {
		t.Logf("waits %s for the next UTC day", left)
		<-time.After(left)
	}
}
