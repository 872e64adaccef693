// Package bench runs the built binary on a private Postgres, for the measurements below it.
package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/store/embedded"
)

// AdminToken is the ADMIN_TOKEN of the server.
const AdminToken = "the-admin-token-of-the-bench"

// Server is a running binary with its private Postgres.
type Server struct {
	Addr string
	Dir  string    // DATA_DIR
	DB   *pgx.Conn // to its database
	URL  string    // of its database

	cmd      *exec.Cmd
	servesAt time.Time // when its first line told the address
}

// StartServer starts the binary on a fresh data folder and returns when it serves.
func StartServer(ctx context.Context, binary string) (*Server, error) {
	return StartServerOn(ctx, binary, "")
}

// StartServerOn is StartServer on the given database, which should be empty and is kept; without a URL it uses the private
// Postgres.
func StartServerOn(ctx context.Context, binary, databaseURL string) (*Server, error) {
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // Postgres may run as another user
		return nil, err
	}
	s, err := startServer(ctx, binary, dir, databaseURL)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// Restart ends the server and starts it again with the same data. It returns how long it took until the server served.
func (s *Server) Restart(ctx context.Context) (*Server, time.Duration, error) {
	if err := s.end(); err != nil {
		return nil, 0, err
	}
	begin := time.Now()
	again, err := startServer(ctx, s.cmd.Path, s.Dir, "")
	if err != nil {
		return nil, 0, err
	}
	return again, again.servesAt.Sub(begin), nil
}

// RestartAfter ends the server, runs a command of the binary on its database, and starts it again. It returns how long the command took.
func (s *Server) RestartAfter(ctx context.Context, args ...string) (*Server, time.Duration, error) {
	if err := s.end(); err != nil {
		return nil, 0, err
	}
	cmd := exec.CommandContext(ctx, s.cmd.Path, append(args, "--data-dir", s.Dir)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = s.cmd.Env, os.Stdout, os.Stderr
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return nil, 0, err
	}
	took := time.Since(begin)
	again, err := startServer(ctx, s.cmd.Path, s.Dir, s.URL)
	return again, took, err
}

func startServer(ctx context.Context, binary, dir, databaseURL string) (*Server, error) {
	s := &Server{Dir: dir, cmd: exec.CommandContext(ctx, binary, "serve", "--addr", "127.0.0.1:0", "--data-dir", dir)}
	s.cmd.Env = append(os.Environ(), "ADMIN_TOKEN="+AdminToken, "DATABASE_URL="+databaseURL, "BASE_URL=", "LOG_LEVEL=warn",
		"NEW_ISSUES_PER_HOUR=0")
	s.cmd.Stderr = os.Stderr
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(errors.New("the server did not start"), s.cmd.Wait())
	}
	s.servesAt = time.Now()
	s.Addr = strings.Fields(strings.SplitAfter(line, "http://")[1])[0]
	if s.URL = databaseURL; databaseURL == "" {
		s.URL, err = embedded.RunningURL(dir)
	}
	if err == nil {
		s.DB, err = pgx.Connect(ctx, s.URL)
	}
	if err != nil {
		return nil, errors.Join(err, s.end())
	}
	return s, nil
}

// PID returns the id of the server's process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Call makes a call with the administrator's token and returns the body of the answer.
func (s *Server) Call(ctx context.Context, method, path, body string) ([]byte, error) {
	httpRequest, err := http.NewRequestWithContext(ctx, method, "http://"+s.Addr+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	httpRequest.Header.Set("Authorization", "Bearer "+AdminToken)
	httpRequest.Header.Set("Content-Type", "application/json")
	httpRequest.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := http.DefaultClient.Do(httpRequest)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusCreated {
		err = fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, text)
	}
	return text, err
}

// Project is a project of the server.
type Project struct {
	ID  int64
	DSN string
}

// MakeProject makes a project with that name.
func (s *Server) MakeProject(ctx context.Context, name string) (Project, error) {
	text, err := s.Call(ctx, http.MethodPost, "/v1/projects", fmt.Sprintf(`{"name":%q}`, name))
	if err != nil {
		return Project{}, err
	}
	var created struct{ Data Project }
	if err := json.Unmarshal(text, &created); err != nil || created.Data.ID == 0 {
		return Project{}, fmt.Errorf("creating a project: %s", text)
	}
	return created.Data, nil
}

// Stop ends the server and deletes its data.
func (s *Server) Stop() {
	_ = s.end()
	_ = os.RemoveAll(s.Dir)
}

func (s *Server) end() error {
	if s.DB != nil {
		_ = s.DB.Close(context.Background())
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	return s.cmd.Wait()
}

// TakeMedian returns the median. The list must not be empty.
func TakeMedian(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// DescribeMachine describes the machine of the measurement, without its name.
func DescribeMachine() string {
	model := "an unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, after, ok := strings.Cut(string(text), "model name\t: "); ok {
			model, _, _ = strings.Cut(after, "\n")
		}
	}
	today := time.Now().UTC().Format(time.DateOnly)
	return fmt.Sprintf("%s, %d cores, %s/%s, %s, %s", model, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), today)
}
