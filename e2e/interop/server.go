package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// server is a running bin/errand with a private Postgres, an agent's token, and a proxy that adds the token for
// clients that cannot send one.
type server struct {
	url, token string
	openURL    string // of the proxy
	dir        string
	cmd        *exec.Cmd
	proxy      *http.Server
}

const tokenName = "interop"

func startServer(ctx context.Context) (*server, error) {
	dir, err := os.MkdirTemp("", "errand-interop-")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir}
	if err := s.start(ctx); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *server) start(ctx context.Context) error {
	if err := os.Chmod(s.dir, 0o755); err != nil { //nolint:gosec // Postgres may run as another user
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.openURL = "http://" + listener.Addr().String()
	s.serveProxy(listener)
	s.cmd = s.command("serve", "--addr", "127.0.0.1:0")
	var log bytes.Buffer
	s.cmd.Stderr = &log
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return err
	}
	ready, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = s.cmd.Wait() // it has ended, and its log is complete
		return fmt.Errorf("the server did not start: %s", log.String())
	}
	_, after, _ := strings.Cut(ready, "ready at ")
	s.url, _, _ = strings.Cut(after, " ")
	token, err := s.command("token", "create", "--name", tokenName, "--scope", "issues:read,issues:write").Output()
	s.token = strings.TrimSpace(string(token))
	return err
}

// command runs the binary on the data folder.
func (s *server) command(args ...string) *exec.Cmd {
	binary, _ := filepath.Abs("bin/errand") // fails only without a working folder
	cmd := exec.Command(binary, append(args, "--data-dir", filepath.Join(s.dir, "data"))...)
	cmd.Env = append(os.Environ(), "DATABASE_URL=", "BASE_URL=", "ADMIN_TOKEN=", "LOG_FORMAT=json", "MIGRATE=on")
	return cmd
}

// serveProxy serves the proxy. Its own pages may call, like the server's.
func (s *server) serveProxy(listener net.Listener) {
	s.proxy = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		target, _ := url.Parse(s.url) // it consists of an address
		r.SetURL(target)
		r.Out.Host = r.In.Host
		if r.In.Header.Get("Origin") == s.openURL {
			r.Out.Header.Set("Origin", s.url)
		}
		r.Out.Header.Set("Authorization", "Bearer "+s.token)
	}}}
	go func() { _ = s.proxy.Serve(listener) }() // until stop
}

// stop ends the server and removes its data.
func (s *server) stop() {
	if s.proxy != nil {
		_ = s.proxy.Close()
	}
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(os.Interrupt)
		_ = s.cmd.Wait()
	}
	_ = os.RemoveAll(s.dir)
}
