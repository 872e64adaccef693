package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// longStop is when a part that is still being stopped is named in the log: supervisors allow a stop of 10 seconds in all.
const longStop = 3 * time.Second

// stops are the parts of a process that have to be stopped, in the order in which they were made. Each is added where it is
// made, and stopped before everything that was made before it.
type stops struct {
	log   *slog.Logger
	parts []stop
}

// stop is how a part is stopped. The name is for the log, such as "the private Postgres".
type stop struct {
	name string
	run  func(context.Context) error
}

// add has a part stopped by runAll.
func (s *stops) add(name string, run func(context.Context) error) {
	s.parts = append(s.parts, stop{name, run})
}

// runAll stops the parts, the last one first. A part that fails does not keep the others from being stopped. The error names
// each that failed; the log names each that takes long, while it does.
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

// runAllLogged is runAll for callers that have nobody to return an error to.
func (s *stops) runAllLogged(ctx context.Context) {
	if err := s.runAll(ctx); err != nil {
		s.log.WarnContext(ctx, "a part did not stop cleanly", "error", err)
	}
}
