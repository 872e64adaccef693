package fixes

import "time"

const (
	// RateWindow is how long before the deploy an issue's events are counted, events within five minutes as one burst (decisions 6):
	// one failure may send many events together.
	RateWindow = 7 * 24 * time.Hour
	// expectedBursts is how many bursts the quiet window would have had at the old rate. With 3, it is quiet by chance in 1 of 20
	// cases.
	expectedBursts = 3
)

// Bounds are the shortest and the longest time that an error has to stay away (VERIFY_MIN, VERIFY_MAX).
type Bounds struct{ Min, Max time.Duration }

// QuietWindow returns how long an error has to stay away, from the number of its bursts in the RateWindow before the deploy: a
// burst is the events of five minutes. An error that came three times a day is watched for a day.
func (b Bounds) QuietWindow(bursts int64) time.Duration {
	if bursts <= 0 {
		return b.Max
	}
	return min(b.Max, max(b.Min, expectedBursts*RateWindow/time.Duration(bursts)))
}

// Watch is a deployed fix while it waits to be verified.
type Watch struct {
	DeployedAt  time.Time
	VerifyAfter time.Time // the end of the quiet window
	VerifyBy    time.Time // after it, verification needs no sign of life
}

// Watch returns the watch over a fix, from the number of bursts as in QuietWindow.
func (b Bounds) Watch(deployedAt time.Time, bursts int64) Watch {
	return Watch{deployedAt, deployedAt.Add(b.QuietWindow(bursts)), deployedAt.Add(b.Max)}
}

// IsVerified reports whether a fix whose error did not return is verified now. Silence means something only when the project
// runs: aliveAt is its last sign of life, the zero time for none.
func (w Watch) IsVerified(now, aliveAt time.Time) bool {
	if now.Before(w.VerifyAfter) {
		return false
	}
	return aliveAt.After(w.DeployedAt) || !now.Before(w.VerifyBy)
}
