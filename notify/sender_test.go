package notify_test

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify"
	"errand/notify/notifytest"
)

// small is a format whose request has a small body.
var small = notify.Format{NewRequest: func(ctx context.Context, _ *notify.Message, target notify.Target) (*http.Request, error) {
	return notify.NewRequest(ctx, target.URL, []byte(`{"a":1}`))
}}

// sendSmall makes an attempt at a URL.
func sendSmall(t *testing.T, sender *notify.Sender, url string) notify.Outcome {
	t.Helper()
	return sender.Send(t.Context(), small, notifytest.NewExample(), notify.Target{URL: core.Secret(url)})
}

func TestSendDelivers(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte("hello"))
	})
	sender := notifytest.NewSender(receiver.Trust, &notifytest.Names{}, notify.AttemptTimeout)

	outcome := sendSmall(t, sender, receiver.URL+"/hook?key=k")

	require.Equal(t, notify.Outcome{Delivered: true, Status: http.StatusCreated, Body: []byte("hello")}, outcome)
	received := receiver.Received()
	require.Len(t, received, 1)
	require.Equal(t, http.MethodPost, received[0].Method)
	require.Equal(t, "/hook?key=k", received[0].Path)
	require.JSONEq(t, `{"a":1}`, string(received[0].Body))
	require.Equal(t, "Service-Webhook/1.2.3", received[0].Header.Get("User-Agent"))
	require.Equal(t, "application/json", received[0].Header.Get("Content-Type"))
}

func TestSendDoesNotFollowRedirects(t *testing.T) {
	t.Parallel()
	elsewhere := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	receiver := notifytest.NewPlainReceiver(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	sender := notifytest.NewSender(nil, &notifytest.Names{}, notify.AttemptTimeout)

	outcome := sendSmall(t, sender, receiver.URL)

	require.Equal(t, notify.Outcome{Status: 307, Error: "answered 307 Temporary Redirect: redirects are not followed"}, outcome)
	require.Empty(t, elsewhere.Received())
}

func TestSendUsesNoProxy(t *testing.T) {
	proxy := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	names := &notifytest.Names{}
	names.Set("example.com", notifytest.ParseAddresses("127.0.0.1"))
	receiver := notifytest.NewReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	sender := notifytest.NewSender(receiver.Trust, names, notify.AttemptTimeout)

	outcome := sendSmall(t, sender, "https://example.com:"+receiver.Port(t)+"/")

	require.True(t, outcome.Delivered, outcome.Error)
	require.Empty(t, proxy.Received())
}

// The receivers answer, but badly.
func TestSendToBadReceivers(t *testing.T) {
	t.Parallel()
	hang := notifytest.NewReceiver(t, notifytest.NeverAnswer)
	trickle := notifytest.NewReceiver(t, notifytest.TrickleBody)
	endless := notifytest.NewReceiver(t, notifytest.AnswerEndlessly)
	broken := notifytest.NewReceiver(t, notifytest.AnswerStatus(http.StatusInternalServerError))
	raw := func(act func(net.Conn)) string { return "http://" + notifytest.NewRawReceiver(t, act) }
	const mine = "127.0.0.1 "
	const within = 2 * notify.AttemptTimeout // generous, for a busy machine
	for name, test := range map[string]struct {
		url   string
		trust *x509.CertPool
		want  notify.Outcome
	}{
		"hangs":           {hang.URL, hang.Trust, notify.Outcome{Error: mine + "did not answer within 10 seconds"}},
		"trickles a body": {trickle.URL, trickle.Trust, notify.Outcome{Delivered: true, Status: 200}},
		"has no end":      {endless.URL, endless.Trust, notify.Outcome{Delivered: true, Status: 200}},
		"answers 500":     {broken.URL, broken.Trust, notify.Outcome{Status: 500, Error: "answered 500 Internal Server Error"}},
		"is not trusted": {broken.URL, x509.NewCertPool(),
			notify.Outcome{Error: "the certificate of 127.0.0.1 is signed by an authority that is not trusted"}},
		"resets":           {raw(notifytest.ResetConnection), nil, notify.Outcome{Error: mine + "reset the connection"}},
		"trickles headers": {raw(notifytest.TrickleHeader), nil, notify.Outcome{Error: mine + "did not answer within 10 seconds"}},
		"says nothing":     {raw(notifytest.SayText("")), nil, notify.Outcome{Error: mine + "closed the connection without an answer"}},
		"is not HTTP": {raw(notifytest.SayText("220 mail.example ESMTP\r\n")), nil,
			notify.Outcome{Error: mine + "answered with something that is not HTTP"}},
		"stops in the middle": {raw(notifytest.SayText("HTTP/1.1 200 OK\r\nA: ")), nil,
			notify.Outcome{Error: mine + "closed the connection in the middle of its answer"}},
		"has headers without end": {raw(endlessHeaders), nil, notify.Outcome{Error: mine + "answered with something that is not HTTP"}},
		"does not speak TLS": {"https://" + raw(notifytest.SayText(""))[len("http://"):], nil,
			notify.Outcome{Error: mine + "closed the connection without an answer"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := notify.AttemptTimeout
			if test.want.Status == http.StatusOK || strings.HasSuffix(test.want.Error, "seconds") { // the others end on their own
				timeout = notifytest.Timeout
			}
			sender := notifytest.NewSender(test.trust, &notifytest.Names{}, timeout)
			start := time.Now()

			outcome := sendSmall(t, sender, test.url+"/secret-path?key=secret")

			require.Less(t, time.Since(start), within)
			require.LessOrEqual(t, len(outcome.Body), 64<<10)
			outcome.Body = nil
			require.Equal(t, test.want, outcome)
		})
	}
}

func TestSendWithBadCertificates(t *testing.T) {
	t.Parallel()
	names := &notifytest.Names{}
	names.Set("other.example.org", notifytest.ParseAddresses("127.0.0.1"))
	good := notifytest.NewReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	plain := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	expired, trust := notifytest.NewBadCertificate(t, time.Now())
	for name, test := range map[string]struct {
		url   string
		trust *x509.CertPool
		want  string
	}{
		"of another host": {"https://other.example.org:" + good.Port(t), good.Trust,
			"the certificate of other.example.org is for another host"},
		"expired": {"https://" + expired, trust, "the certificate of 127.0.0.1 has expired, or is not valid yet"},
		"none":    {"https://" + plain.Address(), trust, "127.0.0.1 does not speak TLS on this port"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome := sendSmall(t, notifytest.NewSender(test.trust, names, notify.AttemptTimeout), test.url+"/secret")

			require.Equal(t, notify.Outcome{Error: test.want}, outcome)
		})
	}
	require.Empty(t, good.Received())
	require.Empty(t, plain.Received())
}

func TestSendToNobody(t *testing.T) {
	t.Parallel()
	names := &notifytest.Names{}
	names.Set("private.example.com", notifytest.ParseAddresses("10.0.0.1"))
	for url, want := range map[string]string{
		"https://127.0.0.1:1/secret":            "127.0.0.1 refused the connection",
		"https://unknown.example.com/secret":    "the URL must have a host that exists: unknown.example.com has no address",
		"https://private.example.com/secret":    "the URL must not lead to private.example.com at 10.0.0.1, which is not a public address",
		"https://10.0.0.1/secret":               "the URL must not lead to 10.0.0.1, which is not a public address",
		"https://user:secret@127.0.0.1/secret":  "the URL must have no user and no password",
		"http://hooks.example.com/secret":       "the URL must have a host that exists: hooks.example.com has no address",
		"ftp://hooks.example.com/secret":        "the URL must begin with https://",
		"https://printer.local/secret?x=secret": "the URL must have a host that exists: printer.local has no address",
	} {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			outcome := sendSmall(t, notifytest.NewSender(nil, names, notify.AttemptTimeout), url)

			require.Equal(t, notify.Outcome{Error: want}, outcome)
		})
	}
}

// If a name means another address by the time of the connection, the connection goes to the address that was checked.
// The next attempt checks again.
func TestSendToANameThatChanges(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	names := &notifytest.Names{}
	names.Set("example.com", notifytest.ParseAddresses("127.0.0.1"), notifytest.ParseAddresses("127.0.0.2"))
	sender := notifytest.NewSender(receiver.Trust, names, notify.AttemptTimeout)
	url := "https://example.com:" + receiver.Port(t) + "/"

	first := sendSmall(t, sender, url)
	asked := names.Asked()
	second := sendSmall(t, sender, url)

	require.True(t, first.Delivered, first.Error)
	require.Equal(t, []string{"example.com"}, asked, "it is looked up once, for check and connection")
	require.Equal(t, "the URL must not lead to example.com at 127.0.0.2, which is not a public address", second.Error)
	require.Len(t, receiver.Received(), 1)
}

// When the first address of a host does not answer, the next one is tried.
func TestSendTriesTheNextAddress(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	names := &notifytest.Names{}
	names.Set("example.com", notifytest.ParseAddresses("::1", "127.0.0.1")) // it listens only on the second one
	sender := notifytest.NewSender(receiver.Trust, names, notify.AttemptTimeout)

	outcome := sendSmall(t, sender, "https://example.com:"+receiver.Port(t)+"/")

	require.True(t, outcome.Delivered, outcome.Error)
}

func TestSendEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	receiver := notifytest.NewReceiver(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		notifytest.NeverAnswer(w, r)
	})
	sender := notifytest.NewSender(receiver.Trust, &notifytest.Names{}, notify.AttemptTimeout)

	outcome := sender.Send(ctx, small, notifytest.NewExample(), notify.Target{URL: core.Secret(receiver.URL)})

	require.Equal(t, "the attempt was cut off, because the server stops", outcome.Error)
}

func TestNewRequestRepeatsNoURL(t *testing.T) {
	t.Parallel()
	outcome := sendSmall(t, notifytest.NewSender(nil, &notifytest.Names{}, notify.AttemptTimeout), "https://%zz/topsecret")
	require.Equal(t, notify.Outcome{Error: "the request could not be made: its parts are not valid"}, outcome)

	_, err := notify.NewRequest(t.Context(), "https://%zz/topsecret", nil)

	require.Error(t, err)
	require.NotContains(t, err.Error(), "topsecret")
}

// A receiver that reads the head of a request but never its body holds an attempt no longer than others do.
func TestSendToAReceiverThatReadsNothing(t *testing.T) {
	t.Parallel()
	const tooMuch = 32 << 20 // more than the system buffers between two programs
	left := make(chan struct{})
	address := notifytest.NewRawReceiver(t, func(net.Conn) { <-left })
	large := notify.Format{NewRequest: func(ctx context.Context, _ *notify.Message, target notify.Target) (*http.Request, error) {
		return notify.NewRequest(ctx, target.URL, make([]byte, tooMuch))
	}}
	sender := notifytest.NewSender(nil, &notifytest.Names{}, notifytest.Timeout)

	outcome := sender.Send(t.Context(), large, notifytest.NewExample(), notify.Target{URL: core.Secret("http://" + address)})

	close(left)
	require.Equal(t, notify.Outcome{Error: "127.0.0.1 did not answer within 10 seconds"}, outcome)
}

// endlessHeaders answers with headers that never end.
func endlessHeaders(conn net.Conn) {
	if _, err := conn.Write([]byte("HTTP/1.1 200 OK\r\n")); err != nil {
		return
	}
	for {
		if _, err := conn.Write([]byte("X-More: 0123456789012345678901234567890123456789\r\n")); err != nil {
			return
		}
	}
}

// Successive attempts use one connection, as long as the name means the same addresses.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	var from []string
	receiver := notifytest.NewReceiver(t, func(_ http.ResponseWriter, r *http.Request) { from = append(from, r.RemoteAddr) })
	names := &notifytest.Names{}
	both := notifytest.ParseAddresses("127.0.0.1", "::1")
	names.Set("example.com", both, []netip.Addr{both[1], both[0]}, both[:1], both[:1])
	sender := notifytest.NewSender(receiver.Trust, names, notify.AttemptTimeout)
	for range 4 {
		outcome := sendSmall(t, sender, "https://example.com:"+receiver.Port(t)+"/")
		require.True(t, outcome.Delivered, outcome.Error)
	}

	require.Equal(t, from[0], from[1], "in whatever order the addresses are")
	require.NotEqual(t, from[1], from[2], "other addresses: another connection")
	require.Equal(t, from[2], from[3])
}

// A receiver that closes its connections costs no attempt, and the second handshake takes half as long as the first.
func TestHandshakesAreResumed(t *testing.T) {
	t.Parallel()
	var resumed []bool
	receiver := notifytest.NewReceiver(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		resumed = append(resumed, r.TLS.DidResume)
	})
	sender := notifytest.NewSender(receiver.Trust, &notifytest.Names{}, notify.AttemptTimeout)
	for range 3 {
		outcome := sendSmall(t, sender, receiver.URL)
		require.True(t, outcome.Delivered, outcome.Error)
	}

	require.Equal(t, []bool{false, true, true}, resumed)
}

// A receiver that accepts connections but never speaks TLS keeps none of them after the attempts.
func TestHandshakesEndWithTheAttempt(t *testing.T) {
	t.Parallel()
	var open atomic.Int64
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	notifytest.ServeRaw(t, listener, func(conn net.Conn) {
		open.Add(1)
		_, _ = io.Copy(io.Discard, conn)
		open.Add(-1)
	})
	sender := notifytest.NewSender(nil, &notifytest.Names{}, notifytest.Timeout)
	var attempts sync.WaitGroup
	outcomes := make(chan notify.Outcome, 5)
	for range cap(outcomes) {
		attempts.Go(func() { outcomes <- sendSmall(t, sender, "https://"+listener.Addr().String()) })
	}

	attempts.Wait()

	require.Equal(t, notify.Outcome{Error: "127.0.0.1 did not answer within 10 seconds"}, <-outcomes)
	require.Eventually(t, func() bool { return open.Load() == 0 }, 5*notifytest.Timeout, time.Millisecond)
}
