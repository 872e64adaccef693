package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"errand/bench"
)

const partBackup = "backup" // of -only

// backupResult is what a backup and a restore cost, beside pg_dump and pg_restore in the same run.
type backupResult struct {
	database                int64 // bytes
	file, dumpFile          int64 // bytes
	backup, verify, restore time.Duration
	dump, load              time.Duration
	acknowledged            int64         // events that were answered while the backup was made
	slowest                 time.Duration // answer to one of them
}

// sendersDuringBackup send events while the backup is made.
const sendersDuringBackup = 4

// measureBackup backs the loaded database up while events come in, and restores the file into another data folder.
func (c *client) measureBackup(ctx context.Context) (r backupResult, err error) {
	if err := c.DB.QueryRow(ctx, `SELECT pg_database_size(current_database())`).Scan(&r.database); err != nil {
		return r, err
	}
	folder, err := os.MkdirTemp("", "errand-bench-backup-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(folder)
	if err := os.Chmod(folder, 0o755); err != nil {
		return r, err
	}
	file, dumped, other := filepath.Join(folder, "backup"), filepath.Join(folder, "dump"), filepath.Join(folder, "other")
	stop, err := c.sendMeanwhile(ctx, &r)
	if err != nil {
		return r, err
	}
	r.backup, err = c.timeErrand(ctx, c.Dir, "backup", file)
	stop()
	if err != nil {
		return r, err
	}
	for _, step := range []struct {
		took *time.Duration
		run  func() (time.Duration, error)
	}{
		{&r.verify, func() (time.Duration, error) { return c.timeErrand(ctx, c.Dir, "backup", "--verify", file) }},
		{&r.restore, func() (time.Duration, error) { return c.timeErrand(ctx, other, "restore", file) }},
		{&r.dump, func() (time.Duration, error) {
			return timeCommand(ctx, nil, "pg_dump", "-Fc", "-Z1", "-f", dumped, c.URL)
		}},
		{&r.load, func() (time.Duration, error) { return c.loadDump(ctx, dumped) }},
	} {
		if *step.took, err = step.run(); err != nil {
			return r, err
		}
	}
	r.file, r.dumpFile = sizeOf(file), sizeOf(dumped)
	return r, nil
}

// sendMeanwhile sends events until stop is called.
func (c *client) sendMeanwhile(ctx context.Context, r *backupResult) (stop func(), err error) {
	project, err := c.MakeProject(ctx, "Meanwhile")
	if err != nil {
		return nil, err
	}
	key, _, _ := strings.Cut(strings.TrimPrefix(project.DSN, "http://"), "@")
	var done atomic.Bool
	var slowest atomic.Int64
	var answered atomic.Int64
	var senders sync.WaitGroup
	for n := range sendersDuringBackup {
		senders.Go(func() {
			for i := 0; !done.Load(); i++ {
				began := time.Now()
				body := fmt.Sprintf(`{"message":"meanwhile %d","event_id":"%016x%016x"}`, i%100, n, i)
				request, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("http://%s/api/%d/store/?sentry_key=%s", c.Addr,
					project.ID, key), strings.NewReader(body))
				if err != nil {
					return
				}
				answer, err := http.DefaultClient.Do(request)
				if err != nil {
					return
				}
				_ = answer.Body.Close()
				if answer.StatusCode == http.StatusOK {
					answered.Add(1)
				}
				for took := int64(time.Since(began)); ; {
					before := slowest.Load()
					if took <= before || slowest.CompareAndSwap(before, took) {
						break
					}
				}
			}
		})
	}
	return func() {
		done.Store(true)
		senders.Wait()
		r.acknowledged, r.slowest = answered.Load(), time.Duration(slowest.Load())
	}, nil
}

// timeErrand runs a command of the measured binary on a data folder.
func (c *client) timeErrand(ctx context.Context, dir string, args ...string) (time.Duration, error) {
	return timeCommand(ctx, []string{"DATA_DIR=" + dir, "DATABASE_URL=", "LOG_LEVEL=warn"}, c.binary, args...)
}

// loadDump loads a dump of pg_dump into a database beside the measured one.
func (c *client) loadDump(ctx context.Context, file string) (time.Duration, error) {
	if _, err := c.DB.Exec(ctx, `CREATE DATABASE loaded TEMPLATE template0`); err != nil {
		return 0, err
	}
	return timeCommand(ctx, nil, "pg_restore", "--no-owner", "-d", strings.Replace(c.URL, "/errand?", "/loaded?", 1), file)
}

func timeCommand(ctx context.Context, env []string, program string, args ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), env...)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w: %s", program, args[0], err, out)
	}
	return time.Since(began), nil
}

func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// formatBackup writes the results down.
func formatBackup(options benchOptions, r backupResult) string {
	const mega = 1e6
	rate := func(took time.Duration) float64 { return float64(r.database) / mega / took.Seconds() }
	var page strings.Builder
	fmt.Fprintf(&page, "# Backup and restore\n\nMade by `make bench-backup` on %s, with %d issues: a database of %.0f MB.\n"+
		"While the backup was made, %d senders sent events: %d were answered, the slowest in %d ms.\n\n"+
		"| | s | MB of the database in a second | file, MB |\n|---|---|---|---|\n", bench.DescribeMachine(), options.issues,
		float64(r.database)/mega, sendersDuringBackup, r.acknowledged, r.slowest.Milliseconds())
	for _, row := range []struct {
		name string
		took time.Duration
		size int64
	}{
		{"errand backup, with the senders", r.backup, r.file}, {"errand backup --verify", r.verify, 0}, {"errand restore", r.restore, 0},
		{"pg_dump -Fc -Z1, the yardstick", r.dump, r.dumpFile}, {"pg_restore, the yardstick", r.load, 0},
	} {
		fmt.Fprintf(&page, "| %s | %.1f | %.0f | %.0f |\n", row.name, row.took.Seconds(), rate(row.took), float64(row.size)/mega)
	}
	return page.String()
}
