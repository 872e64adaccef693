package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/blob"
)

// The S3 server of the tests: a real one, in front of a folder.
const (
	serverVersion = "v1.8.0"
	serverModule  = "github.com/versity/versitygw/cmd/versitygw@" + serverVersion
	installTime   = 8 * time.Minute
	startTime     = 30 * time.Second

	accessKey = "the-key-of-the-tests"
	secretKey = "the-secret-of-the-tests"
)

var serverKeys = makeGetenv(map[string]string{"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey})

// server is the one server of this process.
var server struct {
	sync.Once
	addr, folder string
	cmd          *exec.Cmd
	err          error
}

// openBucket opens a store in a bucket of its own. The test is skipped when there is no server to be had.
func openBucket(t *testing.T) blob.Store {
	server.Do(func() { server.err = startServer() })
	if server.err != nil {
		t.Skipf("no S3 server: %v", server.err)
	}
	folder, err := os.MkdirTemp(filepath.Join(server.folder, "data"), "bucket-")
	require.NoError(t, err)
	bucket := filepath.Base(folder)
	s, err := blob.OpenStore(fmt.Sprintf("s3://%s/some/prefix?endpoint=http://%s&region=eu-1", bucket, server.addr),
		serverKeys)
	require.NoError(t, err)
	return s
}

// startServer starts versitygw, from PATH or installed into a cache folder of the repository.
func startServer() error {
	program, err := findServer()
	if err != nil {
		return err
	}
	if server.folder, err = os.MkdirTemp("", "errand-s3-"); err != nil {
		return err
	}
	for _, name := range []string{"data", "attributes"} {
		if err := os.Mkdir(filepath.Join(server.folder, name), 0o700); err != nil {
			return err
		}
	}
	if server.addr, err = findFreeAddress(); err != nil {
		return err
	}
	server.cmd = exec.Command(program, "--access", accessKey, "--secret", secretKey, "--region", "eu-1", "--port", server.addr,
		"--quiet", "posix", "--sidecar", filepath.Join(server.folder, "attributes"), filepath.Join(server.folder, "data"))
	if err := server.cmd.Start(); err != nil {
		return err
	}
	return waitForServer()
}

func findServer() (string, error) {
	if program, err := exec.LookPath("versitygw"); err == nil {
		return program, nil
	}
	folder, err := filepath.Abs(filepath.Join("..", ".cache", "versitygw-"+serverVersion))
	if err != nil {
		return "", err
	}
	program := filepath.Join(folder, "versitygw")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), installTime)
	defer cancel()
	install := exec.CommandContext(ctx, "go", "install", serverModule)
	install.Env = append(os.Environ(), "GOBIN="+folder, "GOFLAGS=")
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go install %s: %w: %s", serverModule, err, out)
	}
	return program, nil
}

func findFreeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// waitForServer waits until the server answers.
func waitForServer() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		answer, err := http.Get("http://" + server.addr)
		if err == nil {
			tick.Stop()
			return answer.Body.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w", err)
		case <-tick.C:
		}
	}
}

func stopServer() {
	if server.cmd != nil && server.cmd.Process != nil {
		_ = server.cmd.Process.Signal(syscall.SIGTERM)
		_ = server.cmd.Wait()
	}
	if server.folder != "" {
		_ = os.RemoveAll(server.folder)
	}
}

// An object that is replaced while it is being read is not read as a mixture of both.
func TestBucketObjectIsReplacedWhileOpen(t *testing.T) {
	t.Parallel()
	s := openBucket(t)
	putText(t, s, "a", strings.Repeat("a", 1<<20))
	object, err := s.Open(t.Context(), "a")
	require.NoError(t, err)
	defer object.Close()
	putText(t, s, "a", strings.Repeat("b", 1<<20))

	_, err = io.Copy(io.Discard, io.NewSectionReader(object, 0, object.Size()))

	require.ErrorContains(t, err, "reading a")
}

// Errors name the bucket and the server, never the credentials.
func TestBucketErrors(t *testing.T) {
	t.Parallel()
	openBucket(t) // for the server
	nobody, err := findFreeAddress()
	require.NoError(t, err)
	for _, test := range []struct{ location, reason string }{
		{"s3://no-such-bucket?region=eu-1&endpoint=http://" + server.addr, "no such bucket"},
		{"s3://" + accessKey + ":another-secret@bucket?region=eu-1&endpoint=http://" + server.addr, ""},
		{"s3://bucket?region=eu-1&endpoint=http://" + nobody, "refused"},
	} {
		s, err := blob.OpenStore(test.location, serverKeys)
		require.NoError(t, err)
		_, putErr := s.Put(t.Context(), "a", strings.NewReader("x"), testLimit)
		_, openErr := s.Open(t.Context(), "a")
		for action, err := range map[string]error{"asking": s.Ping(t.Context()), "writing a": putErr, "opening a": openErr} {
			require.ErrorContains(t, err, action)
			require.ErrorContains(t, err, test.reason)
			require.NotContains(t, err.Error(), "secret")
			require.NotErrorIs(t, err, blob.ErrNotFound)
		}
		require.NotContains(t, s.String(), "secret")
	}
}

// A server that takes the connection and never answers holds nobody for longer than the caller wants.
func TestBucketOfAServerThatHangs(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	s, err := blob.OpenStore("s3://key:secret@bucket?endpoint=http://"+listener.Addr().String(), makeGetenv(nil))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()

	_, err = s.Open(ctx, "a")

	require.True(t, errors.Is(err, context.DeadlineExceeded), "%v", err)
}
