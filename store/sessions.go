package store

import (
	"context"
	"time"

	"errand/store/pg"
)

const (
	findSession    = `SELECT data, expires_at FROM sessions WHERE hash = @hash AND expires_at > @now`
	addSession     = `INSERT INTO sessions (expires_at, hash, data) VALUES (@expires_at, @hash, @data)`
	extendSession  = `UPDATE sessions SET expires_at = @until WHERE hash = @hash AND expires_at > @now AND expires_at < @until`
	endSession     = `DELETE FROM sessions WHERE hash = @hash`
	deleteSessions = `DELETE FROM sessions WHERE expires_at <= @now`
)

// FindSession returns the data of the session whose cookie has the hash (SHA-256), and when it ends unless it is used
// before. A session that is unknown or has ended is not_found.
func (s *Store) FindSession(ctx context.Context, hash []byte) (data []byte, expiresAt time.Time, err error) {
	row, err := pg.QueryOne[struct {
		Data      []byte
		ExpiresAt time.Time
	}](ctx, s.db.Main, findSession, pg.Args{"hash": hash, "now": s.Now()})
	return row.Data, row.ExpiresAt, err
}

// AddSession begins a session. A session is never changed, only extended and ended, so that a request that is still running
// when the session ends cannot bring it back.
func (s *Store) AddSession(ctx context.Context, hash, data []byte, expiresAt time.Time) error {
	_, err := pg.Exec(ctx, s.db.Main, addSession, pg.Args{"hash": hash, "data": data, "expires_at": expiresAt})
	return err
}

// ExtendSession moves the end of a live session.
func (s *Store) ExtendSession(ctx context.Context, hash []byte, until time.Time) error {
	_, err := pg.Exec(ctx, s.db.Main, extendSession, pg.Args{"hash": hash, "until": until, "now": s.Now()})
	return err
}

// EndSession ends a session. An unknown session counts as ended.
func (s *Store) EndSession(ctx context.Context, hash []byte) error {
	_, err := pg.Exec(ctx, s.db.Main, endSession, pg.Args{"hash": hash})
	return err
}

// DropSignIns deletes sessions and links that have run out, and attempts to sign in that no longer count.
func (s *Store) DropSignIns(ctx context.Context) error {
	now := s.Now()
	for sql, args := range map[string]pg.Args{
		deleteSessions:  {"now": now},
		deleteUserLinks: {"now": now},
		deleteAttempts:  {"before": now.Add(-keepAttempts)},
	} {
		if _, err := pg.Exec(ctx, s.db.Main, sql, args); err != nil {
			return err
		}
	}
	return nil
}
