package store

import (
	"context"
	"strings"
	"time"

	"errand/core"
	"errand/store/pg"
)

// Sessions have their own series of ids.
const sessionIDs pg.Series = "sessions"

const (
	// maxListedSessions is how many sessions of a person are listed.
	maxListedSessions = 100
	// maxUserAgent is how many bytes of a User-Agent are kept.
	maxUserAgent = 500
)

const (
	findSession = `
SELECT data, expires_at, coalesce(id, 0) AS id, coalesce(generation, -1) AS generation
FROM sessions WHERE hash = @hash AND expires_at > @now`
	addSession = `
INSERT INTO sessions (expires_at, hash, data, id, user_id, generation, created_at, seen_at, address, user_agent)
VALUES (@expires_at, @hash, @data, @id, @user_id, @generation, @now, @now, @address, @user_agent)`
	extendSession = `
UPDATE sessions SET expires_at = greatest(expires_at, @until), seen_at = @now
WHERE hash = @hash AND expires_at > @now AND (expires_at < @until OR seen_at < @minute_ago)`
	endSession     = `DELETE FROM sessions WHERE hash = @hash`
	deleteSessions = `DELETE FROM sessions WHERE expires_at <= @now`
	// Sessions of an earlier generation have ended.
	listSessions = `
SELECT s.id, s.created_at, s.seen_at, s.expires_at, s.address, s.user_agent
FROM sessions s JOIN users u ON u.id = s.user_id AND u.session_generation = s.generation
WHERE s.user_id = @user_id AND s.expires_at > @now
ORDER BY s.seen_at DESC, s.id DESC
LIMIT @limit`
	endSessionOf     = `DELETE FROM sessions WHERE user_id = @user_id AND id = @id`
	endOtherSessions = `DELETE FROM sessions WHERE user_id = @user_id AND id <> @own`
	takeGeneration   = `UPDATE users SET session_generation = session_generation + 1 WHERE id = @id RETURNING session_generation`
	keepSession      = `UPDATE sessions SET generation = @generation WHERE user_id = @user_id AND id = @own`
)

// FindSession returns the session whose cookie has the hash (SHA-256). A session that is unknown or has ended is not_found.
func (s *Store) FindSession(ctx context.Context, hash []byte) (core.KeptSession, error) {
	return pg.QueryOne[core.KeptSession](ctx, s.db.Main, findSession, pg.Args{"hash": hash, "now": s.Now()})
}

// AddSession begins a session. Other statements only change or delete its row, so a request that is still running when the session
// ends cannot bring it back.
func (s *Store) AddSession(ctx context.Context, n core.NewSession) error {
	id, err := s.db.IDs.TakeOne(ctx, sessionIDs)
	if err != nil {
		return err
	}
	_, err = pg.Exec(ctx, s.db.Main, addSession, pg.Args{
		"hash": n.Hash, "data": n.Data, "expires_at": n.ExpiresAt, "id": id, "user_id": n.UserID, "generation": n.Generation,
		"now": s.Now(), "address": n.Address, "user_agent": strings.ToValidUTF8(n.UserAgent[:min(len(n.UserAgent), maxUserAgent)], ""),
	})
	return err
}

// ExtendSession records the use of a live session, and moves its end.
func (s *Store) ExtendSession(ctx context.Context, hash []byte, until time.Time) error {
	now := s.Now()
	_, err := pg.Exec(ctx, s.db.Main, extendSession, pg.Args{"hash": hash, "until": until, "now": now, "minute_ago": now.Add(-time.Minute)})
	return err
}

// EndSession ends a session. An unknown session counts as ended.
func (s *Store) EndSession(ctx context.Context, hash []byte) error {
	_, err := pg.Exec(ctx, s.db.Main, endSession, pg.Args{"hash": hash})
	return err
}

// ListedSession is a session as its person sees it.
type ListedSession struct {
	ID                           int64
	CreatedAt, SeenAt, ExpiresAt time.Time
	Address, UserAgent           string
}

// ListSessions lists the live sessions of a user, the one seen last first.
func (s *Store) ListSessions(ctx context.Context, user int64) ([]ListedSession, error) {
	return pg.QueryMany[ListedSession](ctx, s.db.Main, listSessions, pg.Args{"user_id": user, "now": s.Now(), "limit": maxListedSessions})
}

// EndSessionOf ends a session of the person. One that is unknown, has ended or is somebody else's is not_found.
func (s *Store) EndSessionOf(ctx context.Context, person core.Actor, id int64) error {
	return s.inTx(ctx, func(t *tx) error {
		ended, err := pg.Exec(ctx, t, endSessionOf, pg.Args{"user_id": int64(person.ID), "id": id})
		if err == nil && ended == 0 {
			err = core.NewError(core.NotFound)
		}
		if err != nil {
			return err
		}
		return t.recordUser(ctx, person, core.ActionUserUpdate, int64(person.ID), map[string]any{"session": "ended", "session_id": id})
	})
}

// EndOtherSessions ends all sessions of the person but the one of the call. Those without a row that names the person end too, because
// the generation of sessions ends with them.
func (s *Store) EndOtherSessions(ctx context.Context, person core.Actor) error {
	user := int64(person.ID)
	return s.inTx(ctx, func(t *tx) error {
		row, err := pg.QueryOne[struct{ SessionGeneration int64 }](ctx, t, takeGeneration, pg.Args{"id": user})
		if err != nil {
			return err
		}
		if _, err := pg.Exec(ctx, t, endOtherSessions, pg.Args{"user_id": user, "own": person.Session}); err != nil {
			return err
		}
		kept := pg.Args{"user_id": user, "own": person.Session, "generation": row.SessionGeneration}
		if _, err := pg.Exec(ctx, t, keepSession, kept); err != nil {
			return err
		}
		return t.recordUser(ctx, person, core.ActionUserUpdate, user, map[string]string{"other_sessions": "ended"})
	})
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
