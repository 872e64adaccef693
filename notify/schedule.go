package notify

import "time"

// MaxAttempts is how often a delivery is tried in total; when the last attempt fails too, the delivery has failed.
const MaxAttempts = 8

// AttemptTimeout is how long one attempt may take, from looking up the name to the end of the answer.
const AttemptTimeout = 10 * time.Second

// waits are the times between attempts (webhooks, Delivery timing).
var waits = [MaxAttempts - 1]time.Duration{
	time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// Waits returns the times between attempts, the first one first.
func Waits() []time.Duration { return waits[:] }

// NextAttempt returns when a delivery is tried again whose attempts, all of them, have failed until now: after the
// first one in a minute. The second result is false when there was the last attempt.
func NextAttempt(now time.Time, attempts int) (time.Time, bool) {
	if attempts >= MaxAttempts {
		return time.Time{}, false
	}
	return now.Add(waits[max(attempts, 1)-1]), true
}
