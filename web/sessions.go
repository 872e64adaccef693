package web

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"errand/core"
	"errand/wire"
)

// How long a session lasts: idleFor after it was used last, and lifetime at most.
const (
	idleFor  = 12 * time.Hour
	lifetime = 30 * 24 * time.Hour
	// extendEvery is how often using a session is written down.
	extendEvery = time.Minute
)

// What is kept of a session.
const (
	userKey       = "user"
	generationKey = "generation"
)

const (
	sessionCookie      = "errand_session"
	sessionTokenLength = 43 // 32 bytes in base64
)

// newSessions makes the manager of sessions. Their cookies are written here, as their names depend on BASE_URL, which can change.
// scs.New is not called: it starts a goroutine that nobody ends.
func newSessions(store scs.CtxStore) *scs.SessionManager {
	return &scs.SessionManager{Lifetime: lifetime, Store: store, Codec: scs.GobCodec{}}
}

// Session is what the cookie of a request says: who has signed in, and in which generation of the user's sessions. It is over when that
// is not the user's of today.
type Session struct{ UserID, Generation int64 }

// FindSession returns the session of a request, or unauthorized. It is read anew each time, so that what another server has ended is
// ended here.
func (s *Site) FindSession(r *http.Request) (Session, error) {
	token := s.readCookie(r, sessionCookie)
	if len(token) != sessionTokenLength {
		return Session{}, core.NewError(core.Unauthorized)
	}
	ctx, err := s.sessions.Load(r.Context(), token)
	if err != nil {
		return Session{}, err
	}
	found := Session{s.sessions.GetInt64(ctx, userKey), s.sessions.GetInt64(ctx, generationKey)}
	if found.UserID == 0 {
		return Session{}, core.NewError(core.Unauthorized)
	}
	return found, nil
}

// findPerson returns who is signed in, or unauthorized.
func (s *Site) findPerson(r *http.Request) (core.Person, error) {
	session, err := s.FindSession(r)
	if err != nil {
		return core.Person{}, err
	}
	p, err := s.Accounts.FindPerson(r.Context(), session.UserID)
	if core.HasCode(err, core.NotFound) || err == nil && p.Generation != session.Generation {
		return core.Person{}, core.NewError(core.Unauthorized)
	}
	return p, err
}

// HasCookie reports whether a request has the cookie of a session, which may have ended.
func (s *Site) HasCookie(r *http.Request) bool { return s.readCookie(r, sessionCookie) != "" }

// beginSession signs a person in, under a new token: one that the browser has sent is ended, whoever has put it there.
func (s *Site) beginSession(w http.ResponseWriter, r *http.Request, p core.Person) error {
	if err := s.endSession(w, r); err != nil {
		return err
	}
	ctx, err := s.sessions.Load(r.Context(), "")
	if err != nil {
		return err
	}
	if err := s.sessions.RenewToken(ctx); err != nil {
		return err
	}
	s.sessions.Put(ctx, userKey, p.ID)
	s.sessions.Put(ctx, generationKey, p.Generation)
	token, _, err := s.sessions.Commit(ctx)
	if err != nil {
		return err
	}
	s.setCookie(w, sessionCookie, token, lifetime, http.SameSiteLaxMode)
	s.Log.InfoContext(r.Context(), "signed in", "user_id", p.ID, "client", wire.WriteAddress(wire.ClientOf(r)),
		"request_id", s.RequestID(r.Context()))
	return nil
}

// endSession ends the session of the request, also for whoever else has its cookie.
func (s *Site) endSession(w http.ResponseWriter, r *http.Request) error {
	token := s.readCookie(r, sessionCookie)
	if token == "" {
		return nil
	}
	s.setCookie(w, sessionCookie, "", 0, http.SameSiteLaxMode)
	if len(token) != sessionTokenLength {
		return nil
	}
	ctx, err := s.sessions.Load(r.Context(), token)
	if err != nil {
		return err
	}
	return s.sessions.Destroy(ctx)
}

// rows keeps sessions for their manager.
type rows struct {
	kept  Sessions
	clock core.Clock
}

func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// FindCtx returns what is kept of a session, and writes down that it is used.
func (s rows) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	data, expiresAt, err := s.kept.Find(ctx, hashToken(token))
	if core.HasCode(err, core.NotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	until := s.clock().Add(idleFor)
	if until.Sub(expiresAt) < extendEvery {
		return data, true, nil
	}
	deadline, _, err := scs.GobCodec{}.Decode(data)
	if err != nil {
		return nil, false, err
	}
	return data, true, s.kept.Extend(ctx, hashToken(token), earlier(until, deadline))
}

// CommitCtx adds a session. There are only new ones: each change of what is kept goes with a new token.
func (s rows) CommitCtx(ctx context.Context, token string, data []byte, deadline time.Time) error {
	return s.kept.Add(ctx, hashToken(token), data, earlier(s.clock().Add(idleFor), deadline))
}

// DeleteCtx ends a session.
func (s rows) DeleteCtx(ctx context.Context, token string) error {
	return s.kept.End(ctx, hashToken(token))
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

var errNoContext = errors.New("web: sessions are kept with a context")

// Find is for the interface of the library, which calls FindCtx.
func (rows) Find(string) ([]byte, bool, error) { return nil, false, errNoContext }

// Commit is for the interface of the library, which calls CommitCtx.
func (rows) Commit(string, []byte, time.Time) error { return errNoContext }

// Delete is for the interface of the library, which calls DeleteCtx.
func (rows) Delete(string) error { return errNoContext }
