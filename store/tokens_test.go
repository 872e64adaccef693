package store_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

func makeToken(t *testing.T, s *store.Store, name string, project int64) core.Token {
	t.Helper()
	token, err := s.CreateToken(t.Context(), core.NewBootstrapActor(), store.NewToken{
		Name: name, Hash: hashOf(name), Prefix: "ck_0123456", Scopes: []core.Scope{core.IssuesRead, core.Admin}, ProjectID: project,
	})
	require.NoError(t, err)
	return token
}

func TestCreateToken(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	want := core.Token{
		Name: "fixer", Scopes: core.List[core.Scope]{core.IssuesRead, core.Admin}, Prefix: "ck_0123456", CreatedAt: c.At(0),
		CreatedBy: "ADMIN_TOKEN",
	}
	free := makeToken(t, s, "fixer", 0)
	require.Positive(t, free.ID)
	want.ID = free.ID
	require.Equal(t, want, free)

	c.Forward(time.Second)
	bound := makeToken(t, s, "bound", storetest.Shop)
	want.ID, want.Name, want.CreatedAt, want.ProjectID, want.ProjectName = bound.ID, "bound", c.At(0), storetest.Shop, "Shop"
	require.Equal(t, want, bound)

	all, err := s.ListTokens(t.Context())
	require.NoError(t, err)
	require.Equal(t, []core.Token{bound, free}, all, "most recent first")
	require.Equal(t, []int64{free.ID, bound.ID}, storetest.ReadColumn[int64](t, s,
		`SELECT target_id FROM activity WHERE action = 'token.create' AND target_type = 'token' AND actor_name = 'ADMIN_TOKEN' AND data IS NULL
			ORDER BY at`))
}

func TestTwoTokensCannotHaveOneHash(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	makeToken(t, s, "fixer", 0)
	_, err := s.CreateToken(t.Context(), core.NewBootstrapActor(),
		store.NewToken{Name: "other", Hash: hashOf("fixer"), Scopes: []core.Scope{core.Admin}})
	storetest.RequireCode(t, core.Internal, err)
	require.EqualValues(t, 1, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM activity WHERE action = 'token.create'`),
		"what fails leaves no row")
}

func TestTokensOfAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	all, err := s.ListTokens(t.Context())
	require.NoError(t, err)
	require.Empty(t, all)
}

func TestUseToken(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	token := makeToken(t, s, "fixer", storetest.Shop)
	lastUse := func() core.Time {
		all, err := s.ListTokens(t.Context())
		require.NoError(t, err)
		return all[0].LastUsedAt
	}
	use := func() {
		got, err := s.UseToken(t.Context(), hashOf("fixer"))
		require.NoError(t, err)
		got.LastUsedAt = core.Time{}
		require.Equal(t, store.UsedToken{Token: token}, got)
	}
	require.Equal(t, core.Time{}, lastUse())
	first := c.At(0)
	use()
	require.Equal(t, first, lastUse())
	c.Forward(time.Hour - time.Millisecond)
	use()
	require.Equal(t, first, lastUse(), "it is written at most once an hour")
	c.Forward(time.Millisecond)
	use()
	require.Equal(t, c.At(0), lastUse())
}

func TestUnknownHash(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	makeToken(t, s, "fixer", 0)
	for _, hash := range [][]byte{hashOf("other"), hashOf("fixer")[:31], append(hashOf("fixer"), 0), {}, nil} {
		_, err := s.UseToken(t.Context(), hash)
		storetest.RequireCode(t, core.NotFound, err)
	}
}

func TestRevokeTokenActsAtOnceOnEveryServer(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	token := makeToken(t, pair[0], "fixer", 0)
	for _, s := range pair {
		_, err := s.UseToken(t.Context(), hashOf("fixer"))
		require.NoError(t, err)
	}
	c.Forward(time.Minute)
	require.NoError(t, pair[0].RevokeToken(t.Context(), storetest.MakeActor(9), token.ID))
	for _, s := range pair {
		_, err := s.UseToken(t.Context(), hashOf("fixer"))
		storetest.RequireCode(t, core.NotFound, err)
		storetest.RequireCode(t, core.NotFound, s.RevokeToken(t.Context(), storetest.MakeActor(9), token.ID))
	}
	all, err := pair[1].ListTokens(t.Context())
	require.NoError(t, err)
	require.Equal(t, c.At(0), all[0].RevokedAt, "a revoked token stays in the list")
	require.Equal(t, []string{"agent-9"}, storetest.ReadColumn[string](t, pair[0], `SELECT actor_name FROM activity
		WHERE action = 'token.revoke' AND target_id = $1`, token.ID))
	storetest.RequireCode(t, core.NotFound, pair[0].RevokeToken(t.Context(), storetest.MakeActor(9), 12345))
}

func TestOneOfManyRevokesAToken(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	token := makeToken(t, pair[0], "fixer", 0)
	revoked := 0
	for _, err := range storetest.RunTogether(8,
		func(i int) error { return pair[i%2].RevokeToken(t.Context(), storetest.MakeActor(1), token.ID) }) {
		if err == nil {
			revoked++
			continue
		}
		storetest.RequireCode(t, core.NotFound, err)
	}
	require.Equal(t, 1, revoked)
	require.EqualValues(t, 1, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM activity WHERE action = 'token.revoke'`))
}

// holderOf returns the actor of a token.
func holderOf(token core.Token) core.Actor {
	return core.Actor{Type: core.ActorToken, ID: core.OptInt(token.ID), Name: token.Name, Scopes: token.Scopes}
}

// TestRevokedTokenHoldsNothing checks that the claims of a token end with it, even if the deletion of its project revokes it.
func TestRevokedTokenHoldsNothing(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Office")
	alone, bound, other := holderOf(makeToken(t, s, "alone", 0)), holderOf(makeToken(t, s, "bound", storetest.Shop+1)),
		holderOf(makeToken(t, s, "other", 0))
	claimed := map[int64]core.Actor{}
	for n, holder := range []core.Actor{alone, alone, alone, bound, other} {
		id := storetest.MakeIssue(t, s, fmt.Sprint(n))
		_, err := s.ClaimIssue(t.Context(), holder, id, int64(1+n))
		require.NoError(t, err)
		claimed[id] = holder
	}
	c.Forward(time.Minute) // the first claim has expired
	require.NoError(t, s.RevokeToken(t.Context(), ann, int64(alone.ID)))
	require.NoError(t, storetest.DeleteProject(t.Context(), s, ann, storetest.Shop+1))
	for id, holder := range claimed {
		rows, i := storetest.ReadActivity(t, s, id), storetest.ReadIssue(t, s, id)
		last := rows[len(rows)-1]
		switch {
		case holder.ID == other.ID:
			require.Equal(t, "other", i.Claim.Holder)
			require.Equal(t, core.ActionIssueClaim, last.Action)
		case last.Action == core.ActionIssueClaim:
			require.Nil(t, i.Claim)
			require.JSONEq(t, fmt.Sprintf(`{"minutes": 1, "expires_at": %q}`, storetest.Noon.Add(time.Minute).Format(core.TimeLayout)),
				string(last.Data), "no row for the one that had ended")
		default:
			require.Nil(t, i.Claim)
			require.Equal(t, core.Activity{
				At: c.At(0), ActorType: ann.Type, ActorID: ann.ID, ActorName: ann.Name, Action: core.ActionIssueRelease, TargetType: core.TargetIssue,
				TargetID: id,
			}, last)
		}
	}
	for _, revoked := range []core.Actor{alone, bound} {
		_, err := s.ClaimIssue(t.Context(), revoked, storetest.MakeIssue(t, s, "late"), 10)
		storetest.RequireCode(t, core.Unauthorized, err)
	}
}

// TestTokenIsRevokedWhileItClaims checks that no claim outlives its token.
func TestTokenIsRevokedWhileItClaims(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	s := pair[0]
	var issues []int64
	for n := range 20 {
		issues = append(issues, storetest.MakeIssue(t, s, fmt.Sprint(n)))
	}
	token := makeToken(t, s, "busy", 0)
	storetest.RequireNoErrors(t, storetest.RunTogether(5, func(i int) error {
		if i == 0 {
			return pair[1].RevokeToken(t.Context(), ann, token.ID)
		}
		for n := range issues {
			_, err := pair[i%2].ClaimIssue(t.Context(), holderOf(token), issues[(n+5*i)%len(issues)], 10)
			if err != nil && !core.HasCode(err, core.Unauthorized) {
				return err
			}
		}
		return nil
	}))
	require.Zero(t, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM issues WHERE claim_token_id <> 0`))
}
