//go:build e2e

package e2e

import (
	"fmt"
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

// startBalancer runs HAProxy with our configuration, but for the addresses, and returns it as the server that clients see.
func startBalancer(t *testing.T, program string, servers []string) *server {
	t.Helper()
	text, err := os.ReadFile("../packaging/haproxy/haproxy.cfg")
	require.NoError(t, err)
	address := freeAddress(t)
	config := strings.Replace(string(text), "bind :80\n", "bind "+address+"\n", 1)
	for n, s := range servers {
		theirs := fmt.Sprintf("10.0.0.1%d:8080", n+1)
		require.Contains(t, config, theirs)
		config = strings.ReplaceAll(config, theirs, s)
	}
	path := filepath.Join(newDir(t), "haproxy.cfg")
	require.NoError(t, os.WriteFile(path, []byte(config), 0o600))
	startProgram(t, exec.Command(program, "-db", "-f", path))
	front := &server{t: t, url: "http://" + address}
	require.Eventually(t, func() bool {
		answer, err := http.Get(front.url + "/readyz")
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}, 20*time.Second, 50*time.Millisecond, "HAProxy answers")
	return front
}

// TestFaultBalancer replaces each of three servers behind HAProxy under load, at its address: no request may be refused. Then it kills
// Postgres: all answers are still Errand's.
func TestFaultBalancer(t *testing.T) {
	t.Parallel()
	program := findProgram(t, "HAPROXY", "haproxy")
	dir := newDir(t)
	database := startPostgres(t, dir).URL()
	var servers [3]*server
	var addresses []string
	start := func(n int) {
		env := append(underLoad, "DATABASE_URL="+database, "DATABASE_POOL=10", "TRUSTED_PROXIES=127.0.0.1/32", "SHUTDOWN_DELAY=3s")
		servers[n] = startServerWith(t, newDir(t), []string{"--addr", addresses[n]}, env...)
	}
	for n := range servers {
		addresses = append(addresses, freeAddress(t))
		start(n)
	}
	front := startBalancer(t, program, addresses)
	l := startLoad(t, senders, front)
	for n := range servers {
		l.measureOutage(func() {
			servers[n].stopServer()
			start(n)
		})
	}
	l.withLock(func() {
		for _, e := range l.events {
			require.Zero(t, e.refused, "a request was refused while servers were replaced")
		}
	})
	l.measureOutage(func() { require.NoError(t, syscall.Kill(postmasterPID(t, dir), syscall.SIGKILL)) })
	l.checkLedger(front, database)
}
