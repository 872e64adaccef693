package tools_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// beginSession signs a person in with a browser, and returns the person as an actor of that session.
func (h *fixture) beginSession(person int64, token, userAgent string) core.Actor {
	h.Helper()
	hash := sha256.Sum256([]byte(token))
	actor, generation, err := h.store.FindUserActor(h.Context(), person)
	require.NoError(h, err)
	require.NoError(h, h.store.AddSession(h.Context(), core.NewSession{
		Hash: hash[:], Data: []byte("data"), ExpiresAt: h.now.Add(time.Hour), UserID: person, Generation: generation,
		Address: "192.0.2.7", UserAgent: userAgent,
	}))
	kept, err := h.store.FindSession(h.Context(), hash[:])
	require.NoError(h, err)
	actor.Session = kept.ID
	return actor
}

func (h *fixture) listSessions(actor core.Actor) (sessions []core.Session) {
	h.Helper()
	decodeInto(h.T, h.mustCall(actor, core.ListSessions.Operation, `{}`), &struct{ Data *[]core.Session }{&sessions})
	return sessions
}

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"

// TestSessionsOfPeople lists and ends sessions of two people.
func TestSessionsOfPeople(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	ann, bob := storetest.MakeUser(t, h.store, "ann@example.org"), storetest.MakeUser(t, h.store, "bob@example.org")
	here := h.beginSession(ann, "here", firefox)
	h.passTime(time.Minute)
	there := h.beginSession(ann, "there", "<script>\xff")
	other := h.beginSession(bob, "bob", "")

	listed := h.listSessions(here)

	require.Len(t, listed, 2)
	require.Equal(t, core.Session{
		ID: here.Session, Current: true, Browser: "Firefox 145 on Linux", Address: "192.0.2.7",
		CreatedAt: core.At(h.now.Add(-time.Minute)), SeenAt: core.At(h.now.Add(-time.Minute)), ExpiresAt: core.At(h.now.Add(59 * time.Minute)),
	}, listed[1])
	require.Equal(t, there.Session, listed[0].ID)
	require.False(t, listed[0].Current)
	require.Len(t, h.listSessions(other), 1)

	op := core.EndSession.Operation
	for _, id := range []int64{other.Session, 404} {
		h.sameJSON(object{"error": "not_found"}, h.mustFail(here, op, idArgs(id)))
	}
	h.mustCall(here, op, idArgs(there.Session))
	h.sameJSON(object{"error": "not_found"}, h.mustFail(here, op, idArgs(there.Session)))
	require.Len(t, h.listSessions(here), 1)
	require.Len(t, h.listSessions(other), 1)
}

// TestEndOtherSessions ends also a session of a server that did not yet say whose a session is.
func TestEndOtherSessions(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	ann := storetest.MakeUser(t, h.store, "ann@example.org")
	here := h.beginSession(ann, "here", firefox)
	h.beginSession(ann, "there", firefox)
	h.changeRows(`UPDATE sessions SET id = NULL, user_id = NULL, generation = NULL WHERE id = $1`, h.beginSession(ann, "old", firefox).Session)

	h.mustCall(here, core.EndOtherSessions.Operation, `{}`)

	sessions := h.listSessions(here)
	require.Len(t, sessions, 1)
	require.True(t, sessions[0].Current)
	find := func(token string) core.KeptSession {
		hash := sha256.Sum256([]byte(token))
		kept, err := h.store.FindSession(t.Context(), hash[:])
		require.NoError(t, err)
		return kept
	}
	_, generation, err := h.store.FindUserActor(t.Context(), ann)
	require.NoError(t, err)
	require.Equal(t, generation, find("here").Generation)
	require.EqualValues(t, -1, find("old").Generation, "its data has the generation that has ended")
	require.EqualValues(t, 1, generation)
}

// TestPreferencesOfPeople changes what is named alone.
func TestPreferencesOfPeople(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	ann := storetest.FindUserActor(t, h.store, storetest.MakeUser(t, h.store, "ann@example.org"))
	bob := storetest.FindUserActor(t, h.store, storetest.MakeUser(t, h.store, "bob@example.org"))
	account := func(keys bool, frames, zone any) object {
		return object{"data": object{"id": ann.ID, "email_address": "ann@example.org", "site_admin": false, "has_password": false,
			"preferences": object{"single_keys": keys, "frames": frames, "zone": zone}}}
	}
	op := core.UpdateAccount.Operation
	h.sameJSON(account(true, "newest_first", nil), h.mustCall(ann, core.GetAccount.Operation, `{}`))
	h.sameJSON(account(false, "newest_first", "Europe/Berlin"), h.mustCall(ann, op, `{"single_keys": false, "zone": "Europe/Berlin"}`))
	h.sameJSON(account(false, "oldest_first", "Europe/Berlin"), h.mustCall(ann, op, `{"frames": "oldest_first"}`))
	h.sameJSON(account(false, "oldest_first", nil), h.mustCall(ann, op, `{"zone": ""}`))
	for _, zone := range []string{"<script>", "Europe/", "/etc/passwd", "../x", "a b", "é"} {
		h.mustRefuse(op, fmt.Sprintf(`{"zone": %q}`, zone), "zone")
	}
	h.mustRefuse(op, `{"frames": "sideways"}`, "frames")
	require.Equal(t, core.OldestFirst, storetest.FindUserActor(t, h.store, int64(ann.ID)).Prefers.Frames)
	require.Equal(t, core.NewestFirst, storetest.FindUserActor(t, h.store, int64(bob.ID)).Prefers.Frames)
	h.changeRows(`DELETE FROM users WHERE id = $1`, int64(bob.ID))
	h.sameJSON(object{"error": "unauthorized"}, h.mustFail(bob, core.GetAccount.Operation, `{}`))
}
