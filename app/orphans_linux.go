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

// waitForOwn is how long an ended child may wait to be collected by the code that started it.
const waitForOwn = time.Second

// ReapOrphans collects, until ctx ends, the ended processes that the system has given to this one because their parent was
// gone. Only process 1, as in a container, gets any. Children of its own are collected by those who started them, at once:
// what is still there at a second look is nobody's.
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
				_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // fails only for one that was collected meanwhile
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

// findZombies returns the children of a process that have ended and were not collected.
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
		// The name of the program stands in brackets, and may have brackets and spaces itself; state and parent follow.
		text := string(stat)
		fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
		if len(fields) > 1 && fields[0] == "Z" && fields[1] == strconv.Itoa(parent) {
			found[pid] = true
		}
	}
	return found
}
