package notify

import "time"

// MaxAttempts is how often a delivery is tried in total. When the last attempt fails, the delivery has failed.
const MaxAttempts = 8

// AttemptTimeout is how long one attempt may take, from looking up the name to the end of the answer.
const AttemptTimeout = 10 * time.Second

// waits are the times between attempts (webhooks, Delivery timing).
var waits = [MaxAttempts - 1]time.Duration{
	time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// Waits returns the times between attempts, in order.
func Waits() []time.Duration { return waits[:] }

// NextAttempt returns when to try a delivery again after a number of failed attempts: a minute after the first one.
// The second result is false after the last attempt.
func NextAttempt(now time.Time, attempts int) (time.Time, bool) {
	if attempts >= MaxAttempts {
		return time.Time{}, false
	}
	return now.Add(waits[max(attempts, 1)-1]), true
}
