package pg

import (
	"context"
	"time"
)

// clockSamples is how often one measurement asks: the quickest answer is the best.
const clockSamples = 3

const tellClock = `SELECT clock_timestamp() AS at`

// MeasureClock returns how far the database's clock is behind or ahead of the injected one: positive when the injected one is
// behind. The accuracy is half the time that the answer took.
func (db *DB) MeasureClock(ctx context.Context) (behind, accuracy time.Duration, err error) {
	for n := range clockSamples {
		began, asked := time.Now(), db.clock()
		row, err := QueryOne[struct{ At time.Time }](ctx, db.Reserved, tellClock, Args{})
		if err != nil {
			return 0, 0, err
		}
		half := time.Since(began) / 2
		if n == 0 || half < accuracy {
			behind, accuracy = row.At.Sub(asked.Add(half)), half
		}
	}
	return behind, accuracy, nil
}
