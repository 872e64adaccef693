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
type Session struct {
	ID                 int64 // 0 for one that an older server began
	UserID, Generation int64
}

// FindSession returns the session of a request, or unauthorized. It is read anew each time, so that what another server has ended is
// ended here.
func (s *Site) FindSession(r *http.Request) (Session, error) {
	token := s.readCookie(r, sessionCookie)
	if len(token) != sessionTokenLength {
		return Session{}, core.NewError(core.Unauthorized)
	}
	row := &rows{kept: s.Sessions, clock: s.Clock}
	manager := newSessions(row)
	ctx, err := manager.Load(r.Context(), token)
	if err != nil {
		return Session{}, err
	}
	found := Session{row.found.ID, manager.GetInt64(ctx, userKey), manager.GetInt64(ctx, generationKey)}
	if row.found.Generation >= 0 {
		found.Generation = row.found.Generation
	}
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
	manager := newSessions(&rows{kept: s.Sessions, clock: s.Clock, begun: core.NewSession{
		UserID: p.ID, Generation: p.Generation, Address: wire.WriteAddress(wire.ClientOf(r)), UserAgent: r.UserAgent(),
	}})
	ctx, err := manager.Load(r.Context(), "")
	if err != nil {
		return err
	}
	if err := manager.RenewToken(ctx); err != nil {
		return err
	}
	manager.Put(ctx, userKey, p.ID) // for servers that read nothing but the data
	manager.Put(ctx, generationKey, p.Generation)
	token, _, err := manager.Commit(ctx)
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
	return s.Sessions.End(r.Context(), hashToken(token))
}

// rows keeps sessions for the manager of one request.
type rows struct {
	kept  Sessions
	clock core.Clock
	begun core.NewSession  // whose session a new one is
	found core.KeptSession // the session that was asked for
}

func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// FindCtx returns what is kept of a session, and writes down that it is used.
func (s *rows) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	found, err := s.kept.Find(ctx, hashToken(token))
	if core.HasCode(err, core.NotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	s.found = found
	until := s.clock().Add(idleFor)
	if until.Sub(found.ExpiresAt) < extendEvery {
		return found.Data, true, nil
	}
	deadline, _, err := scs.GobCodec{}.Decode(found.Data)
	if err != nil {
		return nil, false, err
	}
	return found.Data, true, s.kept.Extend(ctx, hashToken(token), earlier(until, deadline))
}

// CommitCtx adds a session. There are only new ones: each change of what is kept goes with a new token.
func (s *rows) CommitCtx(ctx context.Context, token string, data []byte, deadline time.Time) error {
	begun := s.begun
	begun.Hash, begun.Data, begun.ExpiresAt = hashToken(token), data, earlier(s.clock().Add(idleFor), deadline)
	return s.kept.Add(ctx, begun)
}

// DeleteCtx ends a session.
func (s *rows) DeleteCtx(ctx context.Context, token string) error {
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
func (*rows) Find(string) ([]byte, bool, error) { return nil, false, errNoContext }

// Commit is for the interface of the library, which calls CommitCtx.
func (*rows) Commit(string, []byte, time.Time) error { return errNoContext }

// Delete is for the interface of the library, which calls DeleteCtx.
func (*rows) Delete(string) error { return errNoContext }
