// Package blobtest starts a real S3 server for tests, in front of a folder.
package blobtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/blob"
)

const (
	serverVersion = "v1.8.0" // scripts/install-versitygw reads it
	serverName    = "VERSITYGW"
	startTime     = 30 * time.Second
	answerTime    = 2 * time.Second
)

// Key and Secret are the credentials of the server, in Region.
const (
	Key    = "the-key-of-the-tests"
	Secret = "the-secret-of-the-tests"
	Region = "eu-1"
)

// Server is a running versitygw.
type Server struct {
	Addr string // host and port

	folder  string // of all data
	program string
	cmd     *exec.Cmd
	ended   chan struct{} // closed when the process has ended
}

// RunServer starts a server until the test ends. It skips the test when no server is available.
func RunServer(t testing.TB) *Server {
	t.Helper()
	s, err := StartServer()
	if err != nil {
		t.Skipf("no S3 server: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// StartServer starts a server, from PATH or the cache folder of the repository. The caller closes it.
func StartServer() (*Server, error) {
	program, err := findProgram()
	if err != nil {
		return nil, err
	}
	s := &Server{program: program}
	if s.folder, err = os.MkdirTemp("", "errand-s3-"); err != nil {
		return nil, err
	}
	for _, name := range []string{"data", "attributes"} {
		if err := os.Mkdir(filepath.Join(s.folder, name), 0o700); err != nil {
			return nil, err
		}
	}
	if s.Addr, err = FindFreeAddress(); err != nil {
		return nil, err
	}
	if err := s.Start(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Start starts the server again after Stop, at the same address and with the same data.
func (s *Server) Start() error {
	s.cmd = exec.Command(s.program, "--access", Key, "--secret", Secret, "--region", Region, "--port", s.Addr,
		"--quiet", "posix", "--sidecar", filepath.Join(s.folder, "attributes"), filepath.Join(s.folder, "data"))
	if err := s.cmd.Start(); err != nil {
		s.cmd = nil
		return err
	}
	s.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan struct{}) {
		_ = cmd.Wait()
		close(ended)
	}(s.cmd, s.ended)
	return s.waitUntilReady()
}

// Stop ends the process. Its data stays.
func (s *Server) Stop() {
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		<-s.ended
		s.cmd = nil
	}
}

// Close ends the process and deletes its data.
func (s *Server) Close() {
	s.Stop()
	_ = os.RemoveAll(s.folder)
}

// MakeBucket makes a bucket and returns its name.
func (s *Server) MakeBucket(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp(filepath.Join(s.folder, "data"), "bucket-")
	require.NoError(t, err)
	return filepath.Base(folder)
}

// URL returns the location of a bucket for BLOBS, reached at an address: the server's, or a proxy's.
func (s *Server) URL(bucket, addr string) string {
	return fmt.Sprintf("s3://%s:%s@%s/some/prefix?endpoint=http://%s&region=%s", Key, Secret, bucket, addr, Region)
}

// OpenBucket opens a store in a new bucket.
func (s *Server) OpenBucket(t testing.TB) blob.Store {
	t.Helper()
	store, err := blob.OpenStore(s.URL(s.MakeBucket(t), s.Addr), func(string) string { return "" })
	require.NoError(t, err)
	return store
}

func findProgram() (string, error) {
	if program, err := exec.LookPath("versitygw"); err == nil {
		return program, nil
	}
	root, err := findRoot()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(root, ".cache", "versitygw-"+serverVersion)
	program := filepath.Join(folder, "versitygw")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	return "", errors.New("versitygw is not installed: run scripts/install-versitygw")
}

// findRoot returns the folder of the repository: tests run in the folder of their package.
func findRoot() (string, error) {
	folder, err := os.Getwd()
	for ; err == nil; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", errors.New("no go.mod above the test")
		}
	}
	return "", err
}

// FindFreeAddress returns an unused address of this machine. Where the whole of 127.0.0.0/8 is the machine's own (Linux), its
// host is one that nobody else uses, so that no other test can take the port while a server is stopped.
func FindFreeAddress() (string, error) {
	own := fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
	listener, err := net.Listen("tcp", own)
	if err != nil {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// waitUntilReady waits until the server answers. Whoever else answers at its address does not count.
func (s *Server) waitUntilReady() error {
	client := http.Client{Timeout: answerTime}
	defer client.CloseIdleConnections()
	timeout := time.After(startTime)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		answer, err := client.Get("http://" + s.Addr)
		if err == nil {
			name := answer.Header.Get("Server")
			if err = answer.Body.Close(); name == serverName {
				return err
			}
			err = fmt.Errorf("another server (%q) answers at %s", name, s.Addr)
		}
		select {
		case <-s.ended:
			return fmt.Errorf("it ended: %s", s.cmd.ProcessState)
		case <-timeout:
			return fmt.Errorf("it does not answer: %w", err)
		case <-tick.C:
		}
	}
}
