package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/pg"
)

// keepAttempts is longer than any window for counting attempts.
const keepAttempts = 24 * time.Hour

const (
	// countAttempt returns no row, and changes none, once the limit is reached, so that a flood of attempts writes little.
	countAttempt = `
INSERT INTO sign_in_attempts (since, attempts, subject)
VALUES (@now, 1, @subject)
ON CONFLICT (subject) DO UPDATE
SET since = CASE WHEN sign_in_attempts.since <= @ended THEN excluded.since ELSE sign_in_attempts.since END,
	attempts = CASE WHEN sign_in_attempts.since <= @ended THEN 1 ELSE sign_in_attempts.attempts + 1 END
WHERE sign_in_attempts.since <= @ended OR sign_in_attempts.attempts < @limit
RETURNING attempts`
	findAttempts   = `SELECT since FROM sign_in_attempts WHERE subject = @subject`
	forgetAttempts = `DELETE FROM sign_in_attempts WHERE subject = @subject`
	uncountAttempt = `UPDATE sign_in_attempts SET attempts = attempts - 1 WHERE subject = @subject AND attempts > 0`
	deleteAttempts = `DELETE FROM sign_in_attempts WHERE since < @before`
)

// AttemptLimit is the number of attempts of a subject in a window of time, which begins with its first one. All servers count together.
type AttemptLimit struct {
	Subject []byte // SHA-256 of the subject, such as an account or an address
	Limit   int
	Window  time.Duration
}

// CountAttempt counts an attempt before it is made. Beyond the limit it counts nothing and returns the error limit with the
// time until the window ends.
func (s *Store) CountAttempt(ctx context.Context, l AttemptLimit) error {
	now := s.Now()
	err := s.inTxSoonWritten(ctx, func(t *tx) error {
		_, err := pg.QueryOne[struct{ Attempts int64 }](ctx, t, countAttempt, pg.Args{
			"subject": l.Subject, "now": now, "ended": now.Add(-l.Window), "limit": l.Limit,
		})
		return err
	})
	if !core.HasCode(err, core.NotFound) {
		return err
	}
	window, err := pg.QueryOne[struct{ Since time.Time }](ctx, s.db.Main, findAttempts, pg.Args{"subject": l.Subject})
	if err != nil && !core.HasCode(err, core.NotFound) {
		return err
	}
	failure := core.NewError(core.Limit).With("message", "too many attempts")
	failure.RetryAfter = 1 // another call has just begun a new window
	if left := window.Since.Add(l.Window).Sub(now.Time); left > time.Second {
		failure.RetryAfter = int((left + time.Second - 1) / time.Second)
	}
	return failure
}

// ForgetAttempts resets the count of a subject.
func (s *Store) ForgetAttempts(ctx context.Context, subject []byte) error {
	return s.inTxSoonWritten(ctx, func(t *tx) error {
		_, err := pg.Exec(ctx, t, forgetAttempts, pg.Args{"subject": subject})
		return err
	})
}

// UncountAttempt takes back one counted attempt.
func (s *Store) UncountAttempt(ctx context.Context, subject []byte) error {
	return s.inTxSoonWritten(ctx, func(t *tx) error {
		_, err := pg.Exec(ctx, t, uncountAttempt, pg.Args{"subject": subject})
		return err
	})
}
