package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"errand/bench"
)

// Usage is what the server and its Postgres have used so far.
type Usage struct {
	Server, Postgres, Load float64 // CPU seconds
	Disk, WAL              float64 // bytes
	RSS                    float64 // MB
}

// Cost is what an event cost.
type Cost struct {
	Server, Postgres, Load float64 // microseconds of CPU
	Disk, WAL              float64 // bytes
}

// CostSince returns what each of a number of events has cost since an earlier reading.
func (u Usage) CostSince(before Usage, events int) Cost {
	n := float64(events)
	const micro = 1e6
	return Cost{
		Server: (u.Server - before.Server) * micro / n, Postgres: (u.Postgres - before.Postgres) * micro / n,
		Load: (u.Load - before.Load) * micro / n, Disk: (u.Disk - before.Disk) / n, WAL: (u.WAL - before.WAL) / n,
	}
}

// ticksPerSecond is the kernel's clock for CPU times on Linux.
const ticksPerSecond = 100

// ReadUsage reads what a server has used since it started, and this process.
func ReadUsage(ctx context.Context, s *bench.Server) (Usage, error) {
	var u Usage
	if err := s.DB.QueryRow(ctx, `
		SELECT pg_current_wal_lsn() - '0/0', (SELECT sum(pg_table_size(c.oid) + pg_indexes_size(c.oid)) FROM pg_class c
			JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind = 'r')`).Scan(&u.WAL, &u.Disk); err != nil {
		return u, err
	}
	processes, err := readProcesses()
	if err != nil {
		return u, err
	}
	u.Server = processes[s.PID()].seconds
	for pid, p := range processes {
		if processes.descendsFrom(pid, s.PID()) {
			u.Postgres += p.seconds + p.ended
		}
	}
	var self syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err != nil {
		return u, err
	}
	u.Load = time.Duration(self.Utime.Nano() + self.Stime.Nano()).Seconds()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	if err != nil {
		return u, err
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err := strconv.ParseFloat(strings.Fields(after)[0], 64)
	u.RSS = kilobytes / 1024
	return u, err
}

type process struct {
	parent  int
	seconds float64
	ended   float64 // seconds of its ended children
}

type processes map[int]process

func (p processes) descendsFrom(pid, ancestor int) bool {
	for pid = p[pid].parent; pid > 1; pid = p[pid].parent {
		if pid == ancestor {
			return true
		}
	}
	return false
}

func readProcesses() (processes, error) {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	list := processes{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		// The name in parentheses may hold anything; the fields after it are numbers.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		parent, _ := strconv.Atoi(fields[1])
		var times [4]float64 // user and system time, of the process and of its ended children
		for i := range times {
			times[i], _ = strconv.ParseFloat(fields[11+i], 64)
		}
		list[pid] = process{parent, (times[0] + times[1]) / ticksPerSecond, (times[2] + times[3]) / ticksPerSecond}
	}
	return list, nil
}

// ReadMemory returns the PSS of a server, and of it and all its descendants together, in MB.
func ReadMemory(pid int) (server, tree float64, err error) {
	pss, err := readPSS(pid)
	for _, each := range pss {
		tree += each
	}
	return pss[pid], tree, err
}

// readPSS returns the memory of a process and of each of its descendants, in MB; what several share counts for each in part.
func readPSS(root int) (map[int]float64, error) {
	list, err := readProcesses()
	if err != nil {
		return nil, err
	}
	pss := map[int]float64{}
	for pid := range list {
		if pid != root && !list.descendsFrom(pid, root) {
			continue
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			continue // it ended
		}
		_, after, _ := strings.Cut(string(text), "\nPss:")
		kilobytes, err := strconv.ParseFloat(strings.Fields(after)[0], 64)
		if err != nil {
			return nil, err
		}
		pss[pid] = kilobytes / 1024
	}
	return pss, nil
}
