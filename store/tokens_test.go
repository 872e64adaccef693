package store_test

import (
	"crypto/sha256"
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
	token, err := s.CreateToken(t.Context(), core.Bootstrap(), store.NewToken{
		Name: name, Hash: hashOf(name), Prefix: "ck_0123456", Scopes: []core.Scope{core.IssuesRead, core.Admin}, ProjectID: project,
	})
	require.NoError(t, err)
	return token
}

func TestCreateToken(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	want := core.Token{
		Name: "fixer", Scopes: core.List[core.Scope]{core.IssuesRead, core.Admin}, Prefix: "ck_0123456", CreatedAt: c.at(0), CreatedBy: "ADMIN_TOKEN",
	}
	free := makeToken(t, s, "fixer", 0)
	require.Positive(t, free.ID)
	want.ID = free.ID
	require.Equal(t, want, free)

	c.forward(time.Second)
	bound := makeToken(t, s, "bound", shop)
	want.ID, want.Name, want.CreatedAt, want.ProjectID, want.ProjectName = bound.ID, "bound", c.at(0), shop, "Shop"
	require.Equal(t, want, bound)

	all, err := s.Tokens(t.Context())
	require.NoError(t, err)
	require.Equal(t, []core.Token{bound, free}, all, "most recent first")
	require.Equal(t, []int64{free.ID, bound.ID}, column[int64](t, s,
		`SELECT target_id FROM activity WHERE action = 'token.create' AND target_type = 'token' AND actor_name = 'ADMIN_TOKEN' AND data IS NULL ORDER BY at`))
}

func TestTwoTokensCannotHaveOneHash(t *testing.T) {
	t.Parallel()
	s, _ := openShop(t)
	makeToken(t, s, "fixer", 0)
	_, err := s.CreateToken(t.Context(), core.Bootstrap(), store.NewToken{Name: "other", Hash: hashOf("fixer"), Scopes: []core.Scope{core.Admin}})
	requireCode(t, core.Internal, err)
	require.EqualValues(t, 1, cell[int64](t, s, `SELECT count(*) FROM activity WHERE action = 'token.create'`), "what fails leaves no row")
}

func TestTokensOfAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	all, err := s.Tokens(t.Context())
	require.NoError(t, err)
	require.Empty(t, all)
}

func TestUseToken(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	token := makeToken(t, s, "fixer", shop)
	lastUse := func() core.Time {
		all, err := s.Tokens(t.Context())
		require.NoError(t, err)
		return all[0].LastUsedAt
	}
	use := func() {
		got, err := s.UseToken(t.Context(), hashOf("fixer"))
		require.NoError(t, err)
		got.LastUsedAt = core.Time{}
		require.Equal(t, token, got)
	}
	require.Equal(t, core.Time{}, lastUse())
	first := c.at(0)
	use()
	require.Equal(t, first, lastUse())
	c.forward(time.Hour - time.Millisecond)
	use()
	require.Equal(t, first, lastUse(), "it is written at most once an hour")
	c.forward(time.Millisecond)
	use()
	require.Equal(t, c.at(0), lastUse())
}

func TestUnknownHash(t *testing.T) {
	t.Parallel()
	s, _ := openShop(t)
	makeToken(t, s, "fixer", 0)
	for _, hash := range [][]byte{hashOf("other"), hashOf("fixer")[:31], append(hashOf("fixer"), 0), {}, nil} {
		_, err := s.UseToken(t.Context(), hash)
		requireCode(t, core.NotFound, err)
	}
}

func TestRevokeTokenActsAtOnceOnEveryServer(t *testing.T) {
	t.Parallel()
	pair, c := openPair(t)
	token := makeToken(t, pair[0], "fixer", 0)
	for _, s := range pair {
		_, err := s.UseToken(t.Context(), hashOf("fixer"))
		require.NoError(t, err)
	}
	c.forward(time.Minute)
	require.NoError(t, pair[0].RevokeToken(t.Context(), person(9), token.ID))
	for _, s := range pair {
		_, err := s.UseToken(t.Context(), hashOf("fixer"))
		requireCode(t, core.NotFound, err)
		requireCode(t, core.NotFound, s.RevokeToken(t.Context(), person(9), token.ID))
	}
	all, err := pair[1].Tokens(t.Context())
	require.NoError(t, err)
	require.Equal(t, c.at(0), all[0].RevokedAt, "a revoked token stays in the list")
	require.Equal(t, []string{"agent-9"}, column[string](t, pair[0], `SELECT actor_name FROM activity WHERE action = 'token.revoke' AND target_id = $1`, token.ID))
	requireCode(t, core.NotFound, pair[0].RevokeToken(t.Context(), person(9), 12345))
}

func TestOneOfManyRevokesAToken(t *testing.T) {
	t.Parallel()
	pair, _ := openPair(t)
	token := makeToken(t, pair[0], "fixer", 0)
	revoked := 0
	for _, err := range together(8, func(i int) error { return pair[i%2].RevokeToken(t.Context(), person(1), token.ID) }) {
		if err == nil {
			revoked++
			continue
		}
		requireCode(t, core.NotFound, err)
	}
	require.Equal(t, 1, revoked)
	require.EqualValues(t, 1, cell[int64](t, pair[0], `SELECT count(*) FROM activity WHERE action = 'token.revoke'`))
}
