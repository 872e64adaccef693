package app

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"errand/core"
)

// clock is this server's clock, set by Postgres': servers differ, and the deploy that one of them reports is compared with the
// events that another takes (decisions 6).
type clock struct {
	ownTime core.Clock
	behind  atomic.Int64 // nanoseconds that ownTime is behind Postgres
}

// tellTime is a core.Clock.
func (c *clock) tellTime() time.Time { return c.ownTime().Add(time.Duration(c.behind.Load())) }

// ahead returns how far the server's own time is ahead of Postgres'.
func (c *clock) ahead() time.Duration { return -time.Duration(c.behind.Load()) }

const (
	// measureClockEvery is how often the clock is compared with Postgres'.
	measureClockEvery = time.Hour
	// warnOfClock is the difference above which operators are warned. Clocks that NTP keeps differ by much less.
	warnOfClock = 5 * time.Second
	// clockAtMost bounds one measurement.
	clockAtMost = 5 * time.Second
)

// setClock compares the server's clock with Postgres', and sets it. A difference that is below what can be measured is left.
func (db *database) setClock(ctx context.Context, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, clockAtMost)
	defer cancel()
	behind, accuracy, err := db.MeasureClock(ctx)
	if err != nil {
		return err
	}
	if behind.Abs() > accuracy {
		db.clock.behind.Add(int64(behind))
	}
	if ahead := db.clock.ahead(); ahead.Abs() > warnOfClock {
		log.WarnContext(ctx, "the clock of this server differs from that of Postgres, by which all times are written: set it, as by NTP",
			"seconds_ahead", ahead.Seconds())
	}
	return nil
}

// watchClock keeps the clock set until ctx ends. While the database is away, it stays as it was set last.
func (db *database) watchClock(ctx context.Context, every time.Duration, log *slog.Logger) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := db.setClock(ctx, log); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "the clock of this server could not be compared with that of Postgres", "error", err)
		}
	}
}
