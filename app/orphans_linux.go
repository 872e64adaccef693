package app

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// waitForOwn is how long an ended child may wait for the code that started it to collect it.
const waitForOwn = time.Second

// ReapOrphans collects, until ctx ends, ended processes that the system gave to this one after their parent ended.
// Only process 1, as in a container, gets any. The code that starts a child collects it immediately, so a child that
// is still there at a second look is an orphan.
func ReapOrphans(ctx context.Context) {
	if os.Getpid() != 1 {
		return
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer signal.Stop(ended)
	var before map[int]bool
	for {
		now := findZombies(os.Getpid())
		for pid := range now {
			if before[pid] {
				_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // fails only if the child has been collected since
			}
		}
		before = now
		signals := ended
		var look <-chan time.Time
		if len(now) > 0 {
			look = time.After(waitForOwn)
			signals = nil // or signals would shorten the time between two looks
		}
		select {
		case <-ctx.Done():
			return
		case <-signals:
		case <-look:
		}
	}
}

// findZombies returns the children of a process that have ended and are not collected.
func findZombies(parent int) map[int]bool {
	found := map[int]bool{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return found
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		// The program's name is in brackets, and may contain brackets and spaces itself. The state and the parent follow it.
		text := string(stat)
		fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
		if len(fields) > 1 && fields[0] == "Z" && fields[1] == strconv.Itoa(parent) {
			found[pid] = true
		}
	}
	return found
}
