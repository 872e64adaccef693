package embedded

import (
	"os/user"
	"testing"

	"github.com/stretchr/testify/require"
)

// When root starts Errand, Postgres runs as a user that has nothing else, if such a user exists.
func TestAccountOfItsOwnComesFirst(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"errand", "postgres", "nobody"}, usualAccounts)
	nobody, err := user.Lookup("nobody")
	require.NoError(t, err)
	for _, names := range [][]string{{"nobody", "root"}, {"no-such-user", "nobody"}, {"root", "nobody"}} {
		a, err := firstAccount(names)
		require.NoError(t, err, names)
		require.Equal(t, nobody.Username, a.name, names)
	}
	_, err = firstAccount([]string{"no-such-user", "root"})
	require.ErrorContains(t, err, "no-such-user, root")
}
