package pg

import (
	"context"
	"time"
)

// clockSamples is the number of questions of one measurement. The quickest answer is the best.
const clockSamples = 3

const tellClock = `SELECT clock_timestamp() AS at`

// ClockReading is the time by the database's clock.
type ClockReading struct {
	At       time.Time
	Ref      time.Time     // the machine's time at that moment, with its monotonic part
	Accuracy time.Duration // half the time that the answer took
}

// ReadClock asks the database what time it is.
func (db *DB) ReadClock(ctx context.Context) (best ClockReading, err error) {
	for n := range clockSamples {
		asked := time.Now()
		row, err := QueryOne[struct{ At time.Time }](ctx, db.Reserved, tellClock, Args{})
		if err != nil {
			return best, err
		}
		half := time.Since(asked) / 2
		if n == 0 || half < best.Accuracy {
			best = ClockReading{At: row.At, Ref: asked.Add(half), Accuracy: half}
		}
	}
	return best, nil
}
