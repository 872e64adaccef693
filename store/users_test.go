package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

func makeUser(t *testing.T, s *store.Store, address string) store.User {
	t.Helper()
	user, err := s.CreateUser(t.Context(), core.NewBootstrapActor(), store.NewUser{EmailAddress: address, PasswordHash: "hash 0"})
	require.NoError(t, err)
	return user
}

func makeSiteAdmin(t *testing.T, s *store.Store, address string) store.User {
	t.Helper()
	user, err := s.CreateUser(t.Context(), core.NewBootstrapActor(), store.NewUser{EmailAddress: address, SiteAdmin: true})
	require.NoError(t, err)
	return user
}

func TestUserIsFoundInEachWay(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	found, err := s.HasUsers(t.Context())
	require.NoError(t, err)
	require.False(t, found)

	ann := makeUser(t, s, "ann.lee@example.com")

	require.Equal(t, store.User{
		ID: ann.ID, CreatedAt: c.At(0), UpdatedAt: c.At(0), EmailAddress: "ann.lee@example.com", Slug: "ann-lee", PasswordHash: "hash 0",
		OldHashes: []core.Secret{},
	}, ann)
	require.Equal(t, "hash 0", storetest.ReadCell[string](t, s, `SELECT password_hash FROM users`), "not in the form in which a secret prints")
	for _, find := range []func() (store.User, error){
		func() (store.User, error) { return s.ReadUser(t.Context(), ann.ID) },
		func() (store.User, error) { return s.FindUser(t.Context(), fmt.Sprint(ann.ID)) },
		func() (store.User, error) { return s.FindUser(t.Context(), "ann-lee") },
		func() (store.User, error) { return s.FindUserByEmail(t.Context(), "ann.lee@example.com") },
	} {
		user, err := find()
		require.NoError(t, err)
		require.Equal(t, ann, user)
	}
	_, err = s.FindUser(t.Context(), "nobody")
	storetest.RequireCode(t, core.NotFound, err)
	found, err = s.HasUsers(t.Context())
	require.NoError(t, err)
	require.True(t, found)
}

func TestUsersCreatedTogether(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	const users = 8

	storetest.RequireNoErrors(t, storetest.RunTogether(users, func(i int) error {
		_, err := s.CreateUser(t.Context(), core.NewBootstrapActor(), store.NewUser{EmailAddress: fmt.Sprintf("ann@%d.example", i)})
		return err
	}))
	taken := 0
	for _, err := range storetest.RunTogether(users, func(int) error {
		_, err := s.CreateUser(t.Context(), core.NewBootstrapActor(), store.NewUser{EmailAddress: "bob@example.com"})
		return err
	}) {
		if err != nil {
			require.ErrorIs(t, err, store.ErrEmailTaken)
			taken++
		}
	}

	require.Equal(t, users-1, taken)
	require.EqualValues(t, users, storetest.ReadCell[int64](t, s, `SELECT count(DISTINCT slug) FROM users WHERE slug ~ '^ann(-[1-7])?$'`))
	require.EqualValues(t, users+1, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM activity WHERE action = 'user.create'`))
}

func TestPasswordHistory(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	ann := makeUser(t, s, "ann@example.com")
	c.Forward(time.Second)

	for n := range 7 {
		require.NoError(t, s.SetPassword(t.Context(), core.NewBootstrapActor(), ann.ID, core.Secret(fmt.Sprint("hash ", n+1))))
	}

	changed, err := s.ReadUser(t.Context(), ann.ID)
	require.NoError(t, err)
	require.EqualValues(t, "hash 7", changed.PasswordHash)
	require.Equal(t, []core.Secret{"hash 6", "hash 5", "hash 4", "hash 3", "hash 2"}, changed.OldHashes)
	require.EqualValues(t, 7, changed.SessionGeneration, "each change ends the sessions")
	require.Equal(t, c.At(0), changed.UpdatedAt)
	require.Zero(t, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM activity WHERE data::text LIKE '%hash%'`))

	require.NoError(t, s.UpgradeHash(t.Context(), ann.ID, "hash 6", "upgraded"), "it was changed since, so it stays")
	require.NoError(t, s.UpgradeHash(t.Context(), ann.ID, "hash 7", "hash 7 upgraded"))
	require.NoError(t, s.NoteSignIn(t.Context(), ann.ID))
	upgraded, err := s.ReadUser(t.Context(), ann.ID)
	require.NoError(t, err)
	changed.PasswordHash, changed.LastLoggedInAt = "hash 7 upgraded", c.At(0)
	require.Equal(t, changed, upgraded)
}

func TestNewAddressChangesTheSlug(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	ann, bob := makeUser(t, s, "ann@example.com"), makeUser(t, s, "bob@example.com")

	_, err := s.UpdateUser(t.Context(), core.NewBootstrapActor(), bob.ID, store.UserChange{EmailAddress: "ann@example.com", PasswordHash: "x"})
	require.ErrorIs(t, err, store.ErrEmailTaken)
	same, err := s.UpdateUser(t.Context(), core.NewBootstrapActor(), bob.ID, store.UserChange{EmailAddress: "bob@example.com"})
	require.NoError(t, err)
	require.Equal(t, bob, same, "a refused change changes nothing")
	moved, err := s.UpdateUser(t.Context(), core.NewBootstrapActor(), bob.ID, store.UserChange{EmailAddress: "ann@other.example"})
	require.NoError(t, err)
	require.Equal(t, "ann-1", moved.Slug)
	kept, err := s.UpdateUser(t.Context(), core.NewBootstrapActor(), ann.ID, store.UserChange{EmailAddress: "ann@third.example"})
	require.NoError(t, err)
	require.Equal(t, "ann", kept.Slug, "a user may keep their own slug")
	require.EqualValues(t, 2, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM activity WHERE action = 'user.update'`))
	_, err = s.UpdateUser(t.Context(), core.NewBootstrapActor(), 404, store.UserChange{PasswordHash: "x"})
	storetest.RequireCode(t, core.NotFound, err)
}

func TestDisabledUser(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	ann := makeUser(t, s, "ann@example.com")
	by := core.NewBootstrapActor()

	require.NoError(t, s.DisableUser(t.Context(), by, ann.ID))
	require.NoError(t, s.DisableUser(t.Context(), by, ann.ID), "a second time changes nothing")
	disabled, err := s.ReadUser(t.Context(), ann.ID)
	require.NoError(t, err)
	require.Equal(t, c.At(0), disabled.DisabledAt)
	require.EqualValues(t, 1, disabled.SessionGeneration)

	require.NoError(t, s.EnableUser(t.Context(), by, ann.ID))
	require.NoError(t, s.EndOtherSessions(t.Context(), storetest.FindUserActor(t, s, ann.ID)))
	enabled, err := s.ReadUser(t.Context(), ann.ID)
	require.NoError(t, err)
	require.True(t, enabled.DisabledAt.IsZero())
	require.EqualValues(t, 2, enabled.SessionGeneration)
	require.Equal(t, []string{`{"disabled": true}`, `{"disabled": false}`, `{"other_sessions": "ended"}`},
		storetest.ReadColumn[string](t, s, `SELECT data::text FROM activity WHERE action = 'user.update' ORDER BY id`))
	for _, change := range []func(context.Context, core.Actor, int64) error{s.DisableUser, s.EnableUser} {
		storetest.RequireCode(t, core.NotFound, change(t.Context(), by, 404))
	}
}

func TestLastSiteAdminCannotBeDisabled(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	makeUser(t, s, "bob@example.com")
	admins := []store.User{makeSiteAdmin(t, s, "ann@example.com"), makeSiteAdmin(t, s, "eve@example.com")}

	refused := 0
	for _, err := range storetest.RunTogether(2, func(i int) error {
		return s.DisableUser(t.Context(), core.NewBootstrapActor(), admins[i].ID)
	}) {
		if err != nil {
			require.ErrorIs(t, err, store.ErrLastSiteAdmin)
			refused++
		}
	}

	require.Equal(t, 1, refused, "of two who remove each other, one stays")
}

func TestUserWhoIsGoneHoldsNothing(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	by := core.NewBootstrapActor()
	ann := makeUser(t, s, "ann@example.com")
	person := core.NewUserActor(ann.ID, ann.EmailAddress, core.Rights{IsSiteAdmin: true})
	token := storetest.MakeActor(ann.ID, core.IssuesWrite)
	first, second := storetest.MakeIssue(t, s, "first"), storetest.MakeIssue(t, s, "second")
	claim := func(holder core.Actor, issue int64) {
		_, err := s.ClaimIssue(t.Context(), holder, issue, 10)
		require.NoError(t, err)
	}
	claim(person, first)
	claim(token, second)

	require.NoError(t, s.DisableUser(t.Context(), by, ann.ID))
	require.Nil(t, storetest.ReadIssue(t, s, first).Claim)
	claim(person, first)
	require.NoError(t, s.DeleteUser(t.Context(), by, ann.ID))
	require.Nil(t, storetest.ReadIssue(t, s, first).Claim)

	require.NotNil(t, storetest.ReadIssue(t, s, second).Claim, "it belongs to a token with the same id")
}
