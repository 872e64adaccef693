package core_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

func TestReadEmailAddress(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("a", 254-len("@example.com")) + "@example.com"
	for text, want := range map[string]string{
		"ann@example.com":               "ann@example.com",
		" Ann.Lee+Errand@Example.COM\n": "ann.lee+errand@example.com",
		"o'brien@localhost":             "o'brien@localhost",
		longest:                         longest,
	} {
		address, err := core.ReadEmailAddress(text)
		require.NoError(t, err, text)
		require.Equal(t, want, address)
	}
	for _, text := range []string{
		"", " ", "ann", "@example.com", "ann@", "ann@@example.com", "ann@example..com", "ann@-example.com", "ann lee@example.com",
		"ann@example.com, bob@example.com", "Ann <ann@example.com>", "ann@exam\x00ple.com", "ann\n@example.com", "änn@example.com",
		"ann@example.com\nbcc: bob@example.com", "a" + longest,
	} {
		_, err := core.ReadEmailAddress(text)
		require.ErrorIs(t, err, core.ErrNoEmailAddress, text)
	}
}
