package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

func TestSessionIsProlongedAndEnds(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	s := storetest.NewAt(t, c.Tell)
	ann := makeUser(t, s, "ann@example.com").ID
	session := func(token string, lasts time.Duration) core.NewSession {
		return core.NewSession{Hash: hashOf(token), Data: []byte("data"), ExpiresAt: c.Now.Add(lasts), UserID: ann}
	}
	hash := hashOf("token")
	require.NoError(t, s.AddSession(t.Context(), session("token", time.Hour)))
	require.Error(t, s.AddSession(t.Context(), session("token", time.Hour)), "a session is never changed")

	found, err := s.FindSession(t.Context(), hash)
	require.NoError(t, err)
	require.Equal(t, "data", string(found.Data))
	require.True(t, found.ExpiresAt.Equal(c.Now.Add(time.Hour)))

	require.NoError(t, s.ExtendSession(t.Context(), hash, c.Now.Add(2*time.Hour)))
	require.NoError(t, s.ExtendSession(t.Context(), hash, c.Now.Add(time.Minute)))
	found, err = s.FindSession(t.Context(), hash)
	require.NoError(t, err)
	require.True(t, found.ExpiresAt.Equal(c.Now.Add(2*time.Hour)), "it does not end earlier")

	c.Forward(2 * time.Hour)
	requireNotFound := func(err error) {
		t.Helper()
		require.True(t, core.HasCode(err, core.NotFound), "%v", err)
	}
	_, err = s.FindSession(t.Context(), hash)
	requireNotFound(err)
	require.NoError(t, s.ExtendSession(t.Context(), hash, c.Now.Add(time.Hour)))
	_, err = s.FindSession(t.Context(), hash)
	requireNotFound(err)

	other := hashOf("other")
	require.NoError(t, s.AddSession(t.Context(), session("other", time.Hour)))
	require.NoError(t, s.EndSession(t.Context(), other))
	require.NoError(t, s.ExtendSession(t.Context(), other, c.Now.Add(2*time.Hour)))
	_, err = s.FindSession(t.Context(), other)
	requireNotFound(err)
	require.NoError(t, s.EndSession(t.Context(), other), "an unknown session has ended")
}

// TestAttemptsCountTogether makes 100 attempts in parallel.
func TestAttemptsCountTogether(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	s := storetest.NewAt(t, c.Tell)
	limit := store.AttemptLimit{Subject: hashOf("ann"), Limit: 10, Window: 15 * time.Minute}
	var counted atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if s.CountAttempt(t.Context(), limit) == nil {
				counted.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 10, counted.Load())

	c.Forward(14*time.Minute + 500*time.Millisecond)
	failure := core.AsError(s.CountAttempt(t.Context(), limit))
	require.Equal(t, core.Limit, failure.Code)
	require.Equal(t, 60, failure.RetryAfter)
	require.NoError(t, s.CountAttempt(t.Context(), store.AttemptLimit{Subject: hashOf("bob"), Limit: 10, Window: 15 * time.Minute}))
	require.NoError(t, s.UncountAttempt(t.Context(), limit.Subject))
	require.NoError(t, s.CountAttempt(t.Context(), limit))
	require.Error(t, s.CountAttempt(t.Context(), limit))
	c.Forward(time.Minute)
	for range 10 {
		require.NoError(t, s.CountAttempt(t.Context(), limit), "a new window")
	}
	require.Error(t, s.CountAttempt(t.Context(), limit))
	require.NoError(t, s.ForgetAttempts(t.Context(), limit.Subject))
	require.NoError(t, s.CountAttempt(t.Context(), limit))
	require.NoError(t, s.UncountAttempt(t.Context(), hashOf("nobody")))
}

func TestOldSignInsAreDropped(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	s := storetest.NewAt(t, c.Tell)
	ann := makeUser(t, s, "ann@example.com").ID
	for token, lasts := range map[string]time.Duration{"a": time.Hour, "b": 48 * time.Hour} {
		begun := core.NewSession{Hash: hashOf(token), Data: []byte{}, ExpiresAt: c.Now.Add(lasts), UserID: ann}
		require.NoError(t, s.AddSession(t.Context(), begun))
	}
	require.NoError(t, s.CountAttempt(t.Context(), store.AttemptLimit{Subject: hashOf("ann"), Limit: 1, Window: time.Minute}))
	require.NoError(t, s.MakePasswordLink(t.Context(), ann, hashOf("link")))
	c.Forward(25 * time.Hour)

	require.NoError(t, s.DropSignIns(t.Context()))

	require.Equal(t, []string{"0 0 1"}, storetest.ReadColumn[string](t, s, `
SELECT (SELECT count(*) FROM sign_in_attempts) || ' ' || (SELECT count(*) FROM user_links) || ' ' || (SELECT count(*) FROM sessions)`))
}

// TestOneSignsUp uses a link many times in parallel.
func TestOneSignsUp(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	_, err := s.MakeSignUpLink(t.Context(), hashOf("replaced"))
	require.NoError(t, err)
	_, err = s.MakeSignUpLink(t.Context(), hashOf("link"))
	require.NoError(t, err)
	_, err = s.SignUp(t.Context(), hashOf("replaced"), store.NewUser{EmailAddress: "eve@example.com"})
	require.True(t, core.HasCode(err, core.NotFound))
	var signedUp atomic.Int64
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			user, err := s.SignUp(t.Context(), hashOf("link"), store.NewUser{EmailAddress: fmt.Sprintf("user%d@example.com", i)})
			if err == nil && user.SiteAdmin {
				signedUp.Add(1)
			}
		})
	}
	all.Wait()

	require.EqualValues(t, 1, signedUp.Load())
	users, err := s.ListUsers(t.Context())
	require.NoError(t, err)
	require.Len(t, users, 1)
	made, err := s.MakeSignUpLink(t.Context(), hashOf("late"))
	require.NoError(t, err)
	require.False(t, made)
}

// TestLinkIsForOnePassword uses a link many times in parallel.
func TestLinkIsForOnePassword(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	user, err := s.CreateUser(t.Context(), ann, store.NewUser{EmailAddress: "bob@example.com", PasswordHash: "old"})
	require.NoError(t, err)
	require.NoError(t, s.MakePasswordLink(t.Context(), user.ID, hashOf("link")))
	require.NoError(t, s.MakePasswordLink(t.Context(), user.ID, hashOf("second")))
	_, err = s.SignUp(t.Context(), hashOf("link"), store.NewUser{EmailAddress: "eve@example.com"})
	require.True(t, core.HasCode(err, core.NotFound), "a link of the other kind")
	var changed atomic.Int64
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			if _, err := s.ResetPassword(t.Context(), hashOf("link"), core.Secret(fmt.Sprint("hash ", i))); err == nil {
				changed.Add(1)
			}
		})
	}
	all.Wait()

	require.EqualValues(t, 1, changed.Load())
	_, err = s.FindUserLink(t.Context(), hashOf("second"))
	require.True(t, core.HasCode(err, core.NotFound), "the user's other links are used up too")
	user, err = s.ReadUser(t.Context(), user.ID)
	require.NoError(t, err)
	require.EqualValues(t, 1, user.SessionGeneration)
}

// TestLinksEndWithWhatTheyWereMadeFor checks that nobody comes in by a link after its address was corrected, its user disabled, or
// another link made in its place.
func TestLinksEndWithWhatTheyWereMadeFor(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, s *store.Store, user int64){
		"another address": func(t *testing.T, s *store.Store, user int64) {
			_, err := s.UpdateUser(t.Context(), ann, user, store.UserChange{EmailAddress: "robert@example.com"})
			require.NoError(t, err)
		},
		"disabled and enabled": func(t *testing.T, s *store.Store, user int64) {
			require.NoError(t, s.DisableUser(t.Context(), ann, user))
			require.NoError(t, s.EnableUser(t.Context(), ann, user))
		},
		"another link": func(t *testing.T, s *store.Store, user int64) {
			_, _, err := s.MakePersonLink(t.Context(), ann, user, hashOf("newer"))
			require.NoError(t, err)
			_, err = s.FindUserLink(t.Context(), hashOf("newer"))
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storetest.New(t)
			invited, _, err := s.InvitePerson(t.Context(), ann, store.InvitedPerson{
				NewUser: store.NewUser{EmailAddress: "bob@example.com"}, LinkHash: hashOf("invitation"),
			})
			require.NoError(t, err)
			_, err = s.FindUserLink(t.Context(), hashOf("invitation"))
			require.NoError(t, err)

			end(t, s, invited.ID)

			_, err = s.ResetPassword(t.Context(), hashOf("invitation"), "hash")
			require.True(t, core.HasCode(err, core.NotFound), err)
		})
	}
}

// TestIdentitiesAreBoundOnce lets the same person sign in many times in parallel.
func TestIdentitiesAreBoundOnce(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	var failed atomic.Int64
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			identity := store.SignInIdentity{
				Issuer: "https://login.example.com", Subject: "1", EmailAddress: fmt.Sprintf("ann%d@example.com", i%2), MayCreate: true,
			}
			if _, err := s.FindOrBindUser(t.Context(), identity); err != nil {
				t.Log(err)
				failed.Add(1)
			}
		})
	}
	all.Wait()
	require.Zero(t, failed.Load())
	users, err := s.ListUsers(t.Context())
	require.NoError(t, err)
	require.Len(t, users, 1)

	_, err = s.FindOrBindUser(t.Context(), store.SignInIdentity{
		Issuer: "https://login.example.com", Subject: "2", EmailAddress: users[0].EmailAddress, MayCreate: true,
	})
	require.ErrorIs(t, err, store.ErrOtherIdentity)
	found, err := s.FindOrBindUser(t.Context(), store.SignInIdentity{
		Issuer: "https://other.example.com", Subject: "2", EmailAddress: users[0].EmailAddress,
	})
	require.NoError(t, err)
	require.Equal(t, users[0].ID, found.ID, "a user may have identities of several providers")
	_, err = s.FindOrBindUser(t.Context(), store.SignInIdentity{
		Issuer: "https://other.example.com", Subject: "3", EmailAddress: "eve@example.com",
	})
	require.True(t, core.HasCode(err, core.NotFound))
}
