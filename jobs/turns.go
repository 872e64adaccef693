package jobs

import "time"

// turn is when a job is due: once in every interval, at its own moment of it.
type turn struct {
	every, offset time.Duration
}

// Next implements river.PeriodicSchedule.
func (t turn) Next(now time.Time) time.Time {
	next := now.Truncate(t.every).Add(t.offset)
	if !next.After(now) {
		next = next.Add(t.every)
	}
	return now.Add(next.Sub(now)) // by the monotonic clock, so that a clock that is set neither stops jobs nor repeats them
}

// takeTurns gives each job its moment. Jobs of one interval are spread over it: together they would need several connections at once,
// and be a burst for the database. Jobs of different intervals may still meet.
func takeTurns(list []job) []turn {
	ofInterval := map[time.Duration]time.Duration{}
	for _, j := range list {
		ofInterval[j.every]++
	}
	taken := map[time.Duration]time.Duration{}
	turns := make([]turn, len(list))
	for i, j := range list {
		turns[i] = turn{j.every, taken[j.every] * j.every / ofInterval[j.every]}
		taken[j.every]++
	}
	return turns
}
