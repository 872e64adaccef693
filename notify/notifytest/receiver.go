// Package notifytest has what the tests of deliveries need: receivers on the loopback address that behave well or badly, a
// name server whose answers change, a mail server, and one table of HTTP statuses for all formats.
package notifytest

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/notify"
)

// Timeout is the limit of an attempt in tests that wait for its end.
const Timeout = time.Second

// Loopback is the value of WEBHOOK_ALLOW_PRIVATE in tests.
var Loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("::1/128")}

// Received is a request that a receiver got.
type Received struct {
	Method string
	Path   string
	Header http.Header
	Body   []byte
}

// Receiver is an HTTPS server on the loopback address that keeps the requests that it gets.
type Receiver struct {
	URL    string
	Trust  *x509.CertPool // trusts the authority of its certificate, which is for 127.0.0.1, [::1] and example.com
	server *httptest.Server

	mu       sync.Mutex
	received []Received
}

// NewReceiver starts a receiver that answers with the handler.
func NewReceiver(t testing.TB, answer http.HandlerFunc) *Receiver {
	t.Helper()
	return startReceiver(t, answer, (*httptest.Server).StartTLS)
}

// NewPlainReceiver starts a receiver without TLS.
func NewPlainReceiver(t testing.TB, answer http.HandlerFunc) *Receiver {
	t.Helper()
	return startReceiver(t, answer, (*httptest.Server).Start)
}

func startReceiver(t testing.TB, answer http.HandlerFunc, start func(*httptest.Server)) *Receiver {
	receiver := &Receiver{}
	receiver.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the sender was cut off
		}
		receiver.keep(Received{r.Method, r.URL.RequestURI(), r.Header.Clone(), body})
		answer(w, r)
	}))
	receiver.server.Config.ErrorLog = discardLog
	start(receiver.server)
	t.Cleanup(func() {
		receiver.server.CloseClientConnections()
		receiver.server.Close()
	})
	receiver.URL = receiver.server.URL
	if receiver.server.TLS != nil {
		receiver.Trust = trustCertificate(receiver.server)
	}
	return receiver
}

func trustCertificate(server *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return pool
}

func (r *Receiver) keep(received Received) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.received = append(r.received, received)
}

// Received returns all requests until now.
func (r *Receiver) Received() []Received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Received(nil), r.received...)
}

// Port returns the port of the receiver.
func (r *Receiver) Port(t testing.TB) string {
	t.Helper()
	_, port, err := net.SplitHostPort(r.server.Listener.Addr().String())
	require.NoError(t, err)
	return port
}

// Address returns the host and port of the receiver.
func (r *Receiver) Address() string { return r.server.Listener.Addr().String() }

// AnswerStatus returns a handler that answers with a status.
func AnswerStatus(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// NewSender returns a sender that may call the loopback address, trusts an authority, and resolves names with names.
func NewSender(trust *x509.CertPool, names *Names, timeout time.Duration) *notify.Sender {
	return notify.NewSender(notify.SenderOptions{
		Guard: &notify.Guard{Lookup: names.Lookup, Private: Loopback}, Version: "1.2.3", Timeout: timeout,
		TLS: &tls.Config{RootCAs: trust},
	})
}
