package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"errand/core"
	"errand/notify"
	"errand/notify/service"
)

// postersAtOnce is how many posts the yardstick has in flight.
const postersAtOnce = 16

// receiver is a fast receiver over TLS, and a dead one that accepts connections and never answers.
type receiver struct {
	server   *httptest.Server
	dead     net.Listener
	received atomic.Int64
	folder   string
}

// startReceiver starts the receivers, and makes processes started later trust their certificate.
func startReceiver() (*receiver, error) {
	r := &receiver{}
	r.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		_, _ = io.Copy(io.Discard, request.Body)
		r.received.Add(1)
		w.WriteHeader(http.StatusNoContent)
	}))
	r.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	r.server.StartTLS()
	var err error
	if r.dead, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	go r.keepConnections()
	if r.folder, err = os.MkdirTemp("", "errand-bench-"); err != nil {
		return nil, err
	}
	file := filepath.Join(r.folder, "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"SSL_CERT_FILE": file, "WEBHOOK_ALLOW_PRIVATE": "127.0.0.1/32"} {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// keepConnections accepts connections and says nothing, until the sender closes them.
func (r *receiver) keepConnections() {
	for {
		conn, err := r.dead.Accept()
		if err != nil {
			return
		}
		go func() {
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}()
	}
}

func (r *receiver) stop() {
	r.server.Close()
	_ = r.dead.Close()
	_ = os.RemoveAll(r.folder)
}

// measurePosts returns how many signed posts a second Errand's sender makes alone, in a bare loop.
func (r *receiver) measurePosts(ctx context.Context, length time.Duration) float64 {
	trust := x509.NewCertPool()
	trust.AddCert(r.server.Certificate())
	sender := notify.NewSender(notify.SenderOptions{
		Guard: &notify.Guard{Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}, TLS: &tls.Config{RootCAs: trust},
	})
	message := &notify.Message{
		Event: notify.IssueNew, Brief: &notify.Brief{Markdown: strings.Repeat("where it broke\n", 200), JSON: json.RawMessage(`{}`)},
	}
	target := notify.Target{URL: core.Secret(r.server.URL), Secret: "whsec_bench"}
	format := notify.Format{NewRequest: service.NewRequest}
	before, start := r.received.Load(), time.Now()
	var posting sync.WaitGroup
	for range postersAtOnce {
		posting.Go(func() {
			for time.Since(start) < length && ctx.Err() == nil {
				sender.Send(ctx, format, message, target)
			}
		})
	}
	posting.Wait()
	return float64(r.received.Load()-before) / time.Since(start).Seconds()
}
