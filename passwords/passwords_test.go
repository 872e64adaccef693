package passwords_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/passwords"
)

// cheap keeps the tests fast.
var cheap = passwords.Params{Memory: 64, Passes: 1, Threads: 1}

func TestHashMatchesItsPasswordOnly(t *testing.T) {
	t.Parallel()
	h := passwords.New(cheap)
	for _, password := range []string{"correct horse", "", " ", "Grüße", strings.Repeat("x", passwords.MaxBytes), "a\x00b"} {
		hash, err := h.Hash(t.Context(), password)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(hash, "$argon2id$v=19$m=64,t=1,p=1$"), hash)

		found, err := h.Check(t.Context(), hash, password)
		require.NoError(t, err)
		require.Equal(t, passwords.Result{Matches: true}, found)

		for _, other := range []string{password + "x", strings.ToUpper(password) + " ", password + "\x00"} {
			found, err = h.Check(t.Context(), hash, other)
			require.NoError(t, err)
			require.False(t, found.Matches, "%q", other)
		}
	}
	first, err := h.Hash(t.Context(), "same")
	require.NoError(t, err)
	second, err := h.Hash(t.Context(), "same")
	require.NoError(t, err)
	require.NotEqual(t, first, second, "each hash has a salt of its own")
}

func TestHashOfOtherParametersIsOutdated(t *testing.T) {
	t.Parallel()
	hash, err := passwords.New(cheap).Hash(t.Context(), "secret")
	require.NoError(t, err)
	found, err := passwords.New(passwords.Params{Memory: 128, Passes: 2, Threads: 1}).Check(t.Context(), hash, "secret")
	require.NoError(t, err)
	require.Equal(t, passwords.Result{Matches: true, Outdated: true}, found)
}

func TestNobodyMatchesNothing(t *testing.T) {
	t.Parallel()
	h := passwords.New(cheap)
	for _, password := range []string{"", "password"} {
		found, err := h.Check(t.Context(), "", password)
		require.NoError(t, err)
		require.Equal(t, passwords.Result{}, found)
	}
}

func TestBadHashesAreRefused(t *testing.T) {
	t.Parallel()
	h := passwords.New(cheap)
	good, err := h.Hash(t.Context(), "secret")
	require.NoError(t, err)
	for _, bad := range []string{
		"secret", "$", strings.Replace(good, "argon2id", "argon2i", 1), strings.Replace(good, "v=19", "v=16", 1),
		strings.Replace(good, "m=64", "m=64000000", 1), strings.Replace(good, "t=1", "t=0", 1), strings.Replace(good, "p=1", "p=0", 1),
		strings.Replace(good, "m=64", "m=x", 1), good[:len(good)-4], good + "$", good + "=",
	} {
		_, err = h.Check(t.Context(), bad, "secret")
		require.ErrorIs(t, err, passwords.ErrBadHash, "%s", bad)
	}
}

func TestWhoDoesNotWaitIsRefused(t *testing.T) {
	t.Parallel()
	h := passwords.New(cheap)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := h.Hash(ctx, "late")
	require.ErrorIs(t, err, context.Canceled)
	_, err = h.Check(ctx, "", "late")
	require.ErrorIs(t, err, context.Canceled)
}

func BenchmarkHash(b *testing.B) {
	h := passwords.New(passwords.Recommended)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Hash(b.Context(), "correct horse battery staple"); err != nil {
			b.Fatal(err)
		}
	}
}
