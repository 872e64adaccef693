package notifytest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var discardLog = log.New(io.Discard, "", 0)

// NeverAnswer is a handler that does not answer before the sender gives up.
func NeverAnswer(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// TrickleBody is a handler that answers 200 immediately, and then sends a byte of its body from time to time, for as
// long as the sender listens.
func TrickleBody(w http.ResponseWriter, r *http.Request) {
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for {
		if _, err := w.Write([]byte("x")); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-ticks.C:
		case <-r.Context().Done():
			return
		}
	}
}

// AnswerEndlessly is a handler whose answer never ends.
func AnswerEndlessly(w http.ResponseWriter, _ *http.Request) {
	chunk := make([]byte, 32<<10)
	for {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// NewRawReceiver starts a receiver that reads the head of each request and passes the connection to act, then closes
// it. It returns its address.
func NewRawReceiver(t testing.TB, act func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ServeRaw(t, listener, func(conn net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			act(conn)
		}
	})
	return listener.Addr().String()
}

// ServeRaw runs serve for each connection, until the test ends.
func ServeRaw(t testing.TB, listener net.Listener, serve func(net.Conn)) {
	var running sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[conn] = true
			mu.Unlock()
			running.Go(func() {
				defer func() { _ = conn.Close() }()
				serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		running.Wait()
	})
}

// ResetConnection ends a connection with a reset.
func ResetConnection(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

// TrickleHeader answers with a header that never ends, a byte from time to time.
func TrickleHeader(conn net.Conn) {
	if _, err := conn.Write([]byte("HTTP/1.1 200 OK\r\nX-Slow: ")); err != nil {
		return
	}
	for ticks := time.NewTicker(20 * time.Millisecond); ; <-ticks.C {
		if _, err := conn.Write([]byte("x")); err != nil {
			ticks.Stop()
			return
		}
	}
}

// SayText returns a behaviour that answers with exactly this text.
func SayText(text string) func(net.Conn) {
	return func(conn net.Conn) { _, _ = io.WriteString(conn, text) }
}

// NewBadCertificate starts a TLS server for 127.0.0.1 whose certificate expired before now, and returns its address
// with a pool that trusts its authority.
func NewBadCertificate(t testing.TB, now time.Time) (string, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "expired"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: now.Add(-48 * time.Hour), NotAfter: now.Add(-24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	ServeRaw(t, tls.NewListener(listener, config), func(conn net.Conn) { _, _ = conn.Read(make([]byte, 1)) })
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return listener.Addr().String(), pool
}
