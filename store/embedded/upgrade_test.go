package embedded

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// upgradeFails returns the error of an upgrade that changes nothing.
func upgradeFails(t *testing.T, o UpgradeOptions) string {
	t.Helper()
	if o.Step == nil {
		o.Step = func(text string) { t.Log(text) }
	}
	_, err := Upgrade(t.Context(), o)
	require.Error(t, err)
	return err.Error()
}

func TestUpgradeIsRefused(t *testing.T) {
	t.Parallel()
	empty := newDir(t)
	require.Contains(t, upgradeFails(t, UpgradeOptions{Options: Options{Dir: empty}}), "no private Postgres in "+empty)
	require.NoFileExists(t, filepath.Join(empty, "errand.lock"))

	dir := newDirWithData(t)
	major := strings.TrimSpace(readFile(t, filepath.Join(dir, "postgres", "PG_VERSION")))
	require.Contains(t, upgradeFails(t, UpgradeOptions{Options: Options{Dir: dir}}), "PostgreSQL "+major+" already")
	require.Contains(t, upgradeFails(t, UpgradeOptions{Options: Options{Dir: dir}, NewBinaries: empty}), "--to: "+empty)

	s := startServer(t, dir)
	_, err := Upgrade(t.Context(), UpgradeOptions{Options: Options{Dir: dir}})
	require.ErrorIs(t, err, ErrRunning)
	require.NoError(t, s.Stop(t.Context()))
}

// TestUpgradeThatWasCutOffAtTheEnd leaves the folders as each step of takePlace does.
func TestUpgradeThatWasCutOffAtTheEnd(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	data := filepath.Join(dir, "postgres")

	require.NoError(t, os.Rename(data, data+completeSuffix)) // and the old data has its new name already
	s := startServer(t, dir)
	require.NoError(t, s.Stop(t.Context()))
	require.NoDirExists(t, data+completeSuffix)
	require.FileExists(t, filepath.Join(data, "PG_VERSION"))

	require.NoError(t, os.Mkdir(data+completeSuffix, 0o700)) // the old data still counts
	s = startServer(t, dir)
	require.NoError(t, s.Stop(t.Context()))
	require.NoDirExists(t, data+completeSuffix)
}

// TestFailedUpgradeChangesNothing has the same programs in the place of newer ones, and a copying that fails.
func TestFailedUpgradeChangesNothing(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	c := cluster{dir: filepath.Join(dir, "postgres"), log: slog.New(slog.DiscardHandler)}
	require.NoError(t, c.inspect())
	bin, err := finder{account: c.account, folders: usualFolders()}.findBinaries(t.Context(), c.major)
	require.NoError(t, err)
	newer := bin
	newer.major++
	failure := errors.New("no more")
	u := &upgrade{old: c, oldBin: bin, nextBin: newer, UpgradeOptions: UpgradeOptions{
		Options:  Options{Dir: dir, Log: slog.New(slog.DiscardHandler), Settings: noSync},
		Step:     func(string) {},
		CopyRows: func(context.Context, string, string) error { return failure },
	}}
	u.next = cluster{dir: c.dir + unfinishedSuffix, log: slog.New(slog.DiscardHandler), account: c.account}

	require.ErrorIs(t, u.copyRows(t.Context()), failure)
	require.DirExists(t, u.next.dir)
	require.NoError(t, u.next.remove(t.Context()))

	s := startServer(t, dir)
	require.NoError(t, s.Stop(t.Context()))
}

func TestOldDataIsListed(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	data := filepath.Join(dir, "postgres")
	major := strings.TrimSpace(readFile(t, filepath.Join(data, "PG_VERSION")))
	old, err := ListOldData(dir)
	require.NoError(t, err)
	require.Empty(t, old)

	require.NoError(t, os.Rename(data, data+"."+major))
	require.NoError(t, os.Mkdir(data+".99", 0o700)) // not the data of a Postgres
	old, err = ListOldData(dir)
	require.NoError(t, err)
	require.Len(t, old, 1)
	require.Equal(t, data+"."+major, old[0].Path)
	require.Greater(t, old[0].Bytes, int64(1<<20))
}
