package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// longStop is the time after which the log names a part that is still stopping: supervisors allow 10 seconds for a whole stop.
const longStop = 3 * time.Second

// stops are the parts of a process that must be stopped, in the order of their start. Each part is added where it
// starts, and is stopped before all earlier parts.
type stops struct {
	log   *slog.Logger
	parts []stop
}

// stop stops a part. The name is for the log, such as "the private Postgres".
type stop struct {
	name string
	run  func(context.Context) error
}

// add registers a part for runAll.
func (s *stops) add(name string, run func(context.Context) error) {
	s.parts = append(s.parts, stop{name, run})
}

// runAll stops the parts, the last one first. A part that fails does not keep the others from being stopped. The
// error names every part that failed. The log names every part that takes long, while it does.
func (s *stops) runAll(ctx context.Context) error {
	var failed []error
	for _, part := range slices.Backward(s.parts) {
		began := time.Now()
		long := time.AfterFunc(longStop, func() {
			s.log.WarnContext(ctx, "stopping: a part takes long", "part", part.name, "so_far", longStop)
		})
		err := part.run(ctx)
		if !long.Stop() {
			s.log.InfoContext(ctx, "stopping: the part has stopped", "part", part.name, "took", time.Since(began))
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("stopping %s: %w", part.name, err))
		}
	}
	s.parts = nil
	return errors.Join(failed...)
}

// runAllLogged is runAll for callers that cannot return an error.
func (s *stops) runAllLogged(ctx context.Context) {
	if err := s.runAll(ctx); err != nil {
		s.log.WarnContext(ctx, "a part did not stop cleanly", "error", err)
	}
}
