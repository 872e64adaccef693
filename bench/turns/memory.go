package main

import (
	"context"
	"time"

	"errand/bench"
	"errand/bench/load"
)

const (
	warmStarts = 5
	// settleFor is how long an instance has nothing to do before its memory is read.
	settleFor = time.Minute
)

// measureIdle starts the instance again several times, and reads its memory when it has had nothing to do for a while. It
// returns the instance that runs now.
func measureIdle(ctx context.Context, s *bench.Server) ([]number, *bench.Server, error) {
	var starts []float64
	for range warmStarts {
		again, took, err := s.Restart(ctx)
		if err != nil {
			return nil, s, err
		}
		s = again
		starts = append(starts, took.Seconds()*1000)
	}
	if err := pause(ctx, settleFor); err != nil {
		return nil, s, err
	}
	server, tree, err := load.ReadMemory(s.PID())
	return []number{{"warm start, ms", bench.TakeMedian(starts), false}, {"idle PSS of the tree, MB", tree, false},
		{"idle PSS of the server, MB", server, false}}, s, err
}

// watchMemory returns the highest PSS of the tree until ctx ends, in MB.
func watchMemory(ctx context.Context, pid int) (highest float64) {
	for pause(ctx, 100*time.Millisecond) == nil {
		if _, tree, err := load.ReadMemory(pid); err == nil {
			highest = max(highest, tree)
		}
	}
	return highest
}
