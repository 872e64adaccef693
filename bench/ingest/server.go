package main

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
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/store/embedded"
)

const adminToken = "the-admin-token-of-the-bench"

// server is a running binary with its private Postgres.
type server struct {
	cmd  *exec.Cmd
	dir  string
	addr string
	db   *pgx.Conn
}

func startServer(ctx context.Context, binary string) (*server, error) {
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // Postgres may run as another user
		return nil, err
	}
	s := &server{dir: dir, cmd: exec.CommandContext(ctx, binary, "serve", "--addr", "127.0.0.1:0", "--data-dir", dir)}
	s.cmd.Env = append(os.Environ(), "ADMIN_TOKEN="+adminToken, "DATABASE_URL=", "BASE_URL=", "LOG_LEVEL=warn")
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
	s.addr = strings.Fields(strings.SplitAfter(line, "http://")[1])[0]
	url, err := embedded.RunningURL(dir)
	if err == nil {
		s.db, err = pgx.Connect(ctx, url)
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *server) stop() {
	if s.db != nil {
		_ = s.db.Close(context.Background())
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	_ = os.RemoveAll(s.dir)
}

// patterns are ten that people write.
var patterns = []string{
	`\b\d{3}-\d{2}-\d{4}\b`, `acct_[A-Za-z0-9]{16}`, `(?:order|invoice)-\d{6,}`, `[A-Z]{2}\d{2}[A-Z0-9]{11,30}`, `customer=\w+`,
	`\+49\d{9,12}`, `internal-[a-z]+\.example\.com`, `sess_[0-9a-f]{32}`, `passport\s*:\s*\w+`, `tracking/[0-9A-Z]{18}`,
}

// project makes a project for a scenario.
func (s *server) project(ctx context.Context, sc scenario) (target, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.addr+"/v1/projects", strings.NewReader(fmt.Sprintf(`{"name":%q}`, sc.name)))
	if err != nil {
		return target{}, err
	}
	request.Header.Set("Authorization", "Bearer "+adminToken)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return target{}, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return target{}, err
	}
	var created struct {
		Data struct {
			ID  int64
			DSN string
		}
	}
	if err := json.Unmarshal(text, &created); err != nil || created.Data.ID == 0 {
		return target{}, fmt.Errorf("creating a project: %s", text)
	}
	if sc.patterns > 0 {
		if _, err := s.db.Exec(ctx, `UPDATE projects SET scrub_patterns = $1 WHERE id = $2`, patterns[:sc.patterns], created.Data.ID); err != nil {
			return target{}, err
		}
	}
	key, _, _ := strings.Cut(strings.TrimPrefix(created.Data.DSN, "http://"), "@")
	return target{created.Data.ID, key, s.addr}, nil
}

// measurement is one scenario in one round.
type measurement struct {
	rate, p50, p99         float64 // events a second; milliseconds
	serverCPU, postgresCPU float64 // microseconds an event
	loadCPU                float64 // likewise, of this process
	disk, wal              float64 // bytes an event
	rss                    float64 // MB, the peak since the server started
}

func (s *server) measure(ctx context.Context, bodies [][]byte, senders int, length time.Duration) (measurement, error) {
	before, err := s.usage(ctx)
	if err != nil {
		return measurement{}, err
	}
	done := send(ctx, s.addr, bodies, senders, length)
	if done.err != nil {
		return measurement{}, done.err
	}
	after, err := s.usage(ctx)
	if err != nil {
		return measurement{}, err
	}
	n := float64(done.events)
	at := func(p float64) float64 {
		return float64(done.latencies[int(p*float64(len(done.latencies)-1))].Microseconds()) / 1000
	}
	return measurement{
		rate: n / done.elapsed.Seconds(), p50: at(0.5), p99: at(0.99),
		serverCPU: (after.server - before.server) * 1e6 / n, postgresCPU: (after.postgres - before.postgres) * 1e6 / n,
		loadCPU: (after.load - before.load) * 1e6 / n,
		disk:    (after.disk - before.disk) / n, wal: (after.wal - before.wal) / n, rss: after.rss,
	}, nil
}
