package app

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"errand/core"
)

// clock returns Postgres' time. Servers' clocks differ, and the deploy that one server reports is compared with the events that another
// takes in (decisions 6). Between two measurements it follows the machine's monotonic clock, which nobody can set.
type clock struct {
	ownTime core.Clock // the server's own time, used until the first measurement
	last    atomic.Pointer[measuredClock]
}

// measuredClock holds the readings of the clocks at one moment.
type measuredClock struct {
	at    time.Time     // Postgres' time
	own   time.Time     // the server's own
	ahead time.Duration // how far own was ahead of at
	ref   time.Time     // of time.Now(), with its monotonic part
}

func (m *measuredClock) tellAt(ref time.Time) time.Time { return m.at.Add(ref.Sub(m.ref)) }

// tellTime is a core.Clock.
func (c *clock) tellTime() time.Time {
	if m := c.last.Load(); m != nil {
		return m.tellAt(time.Now())
	}
	return c.ownTime()
}

// ahead returns how far the server's own time was ahead of Postgres' at the last measurement.
func (c *clock) ahead() time.Duration {
	if m := c.last.Load(); m != nil {
		return m.ahead
	}
	return 0
}

const (
	// measureClockEvery is how often the clock is compared with Postgres', since the monotonic clock drifts.
	measureClockEvery = time.Hour
	// lookAtClockEvery is how soon the clock is compared again after somebody set the server's clock, or the machine
	// slept: the monotonic clock may have stood still.
	lookAtClockEvery = 15 * time.Second
	// stepOfClock is the difference between the server's own clock and the monotonic one that shows that the former was set.
	stepOfClock = time.Second
	// warnOfClock is the difference above which operators are warned. Clocks under NTP differ by much less.
	warnOfClock = 5 * time.Second
	// clockAtMost bounds one measurement.
	clockAtMost = 5 * time.Second
)

// isDue reports whether it is time to compare the clock again.
func (c *clock) isDue(every time.Duration) bool {
	m := c.last.Load()
	if m == nil {
		return true
	}
	gone := time.Since(m.ref)
	step := c.ownTime().Round(0).Sub(m.own) - gone
	return gone >= every || step.Abs() > stepOfClock
}

// setClock compares the server's clock with Postgres', and sets it. A difference below the accuracy of measurement is ignored.
func (db *database) setClock(ctx context.Context, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, clockAtMost)
	defer cancel()
	reading, err := db.ReadClock(ctx)
	if err != nil {
		return err
	}
	own := db.clock.ownTime().Round(0).Add(-time.Since(reading.Ref))
	told := own
	if last := db.clock.last.Load(); last != nil {
		told = last.tellAt(reading.Ref)
	}
	m := &measuredClock{at: reading.At, own: own, ahead: own.Sub(reading.At), ref: reading.Ref}
	if told.Sub(reading.At).Abs() <= reading.Accuracy {
		m.at = told
	}
	if m.ahead.Abs() <= reading.Accuracy {
		m.ahead = 0
	}
	db.clock.last.Store(m)
	if m.ahead.Abs() > warnOfClock {
		log.WarnContext(ctx, "the clock of this server differs from that of Postgres, by which all times are written: set it, as by NTP",
			"seconds_ahead", m.ahead.Seconds())
	}
	return nil
}

// setFirstClock sets the clock as soon as it can be compared, within DATABASE_WAIT. If that fails, the server uses its own clock.
func (db *database) setFirstClock(ctx context.Context, c *Config, log *slog.Logger) {
	err := c.waitForDatabase(ctx, log, func(ctx context.Context) error { return db.setClock(ctx, log) })
	warnOfUnsetClock(ctx, log, err)
}

func warnOfUnsetClock(ctx context.Context, log *slog.Logger, err error) {
	if err != nil && ctx.Err() == nil {
		log.WarnContext(ctx, "the clock of this server could not be compared with that of Postgres", "error", err)
	}
}

// watchClock keeps the clock set until ctx ends. While the database is away, the last measurement counts.
func (db *database) watchClock(ctx context.Context, every time.Duration, log *slog.Logger) {
	ticker := time.NewTicker(min(every, lookAtClockEvery))
	defer ticker.Stop()
	for hasFailed := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if !db.clock.isDue(every) {
			continue
		}
		err := db.setClock(ctx, log)
		if !hasFailed { // warned already
			warnOfUnsetClock(ctx, log, err)
		}
		hasFailed = err != nil
	}
}
