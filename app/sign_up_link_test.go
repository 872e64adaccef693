package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// The link for the first site admin appears in no log: only on a terminal, and in a file that only its owner can read.
func TestWhereTheSignUpLinkStands(t *testing.T) {
	t.Parallel()
	databaseURL, dataDir := storetest.NewURL(t), filepath.Join(t.TempDir(), "data")
	c := peopleConfigOn(databaseURL)
	c.DataDir = dataDir
	s := startServer(t, c)
	file := filepath.Join(dataDir, "sign-up-link")

	onTerminal, elsewhere := strings.Join(s.DescribeReady(true), "\n"), strings.Join(s.DescribeReady(false), "\n")
	require.Contains(t, onTerminal, s.SignUpLink.Reveal())
	require.NotContains(t, elsewhere, "link_")
	require.Contains(t, elsewhere, file)
	asJSON := c
	asJSON.LogFormat = "json"
	inJSON := startServer(t, asJSON)
	require.NotContains(t, strings.Join(inJSON.DescribeReady(true), "\n"), "link_", "a log of JSON on a terminal is a log")
	require.NotContains(t, inJSON.log.String(), "link_")

	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, inJSON.SignUpLink.Reveal()+"\n", string(kept), "the link of the last start, which replaces that before")
	inJSON.newBrowser(t).signUp(inJSON.SignUpLink.Reveal())
	require.NotContains(t, strings.Join(startServer(t, c).DescribeReady(true), "\n"), "no users yet")
	require.NoFileExists(t, file)
}

func TestASignUpLinkThatCannotBeKept(t *testing.T) {
	t.Parallel()
	c := peopleConfigOn(storetest.NewURL(t))
	c.DataDir = filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(c.DataDir, nil, 0o600))
	said := strings.Join(startServer(t, c).DescribeReady(false), "\n")
	require.Contains(t, said, "errand user create --site-admin")
	require.NotContains(t, said, "link_")
}
