package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/migrations"
	"errand/store"
	"errand/store/embedded"
)

// NewDataDir returns a data folder with a private Postgres whose schema is up to date, like that of a server that was stopped.
func NewDataDir(t testing.TB) string {
	t.Helper()
	dir, err := makeFolder()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, unpackInstallation(t.Context(), dir))
	return dir
}

// makeFolder makes a folder that the user who runs Postgres may enter.
func makeFolder() (string, error) {
	dir, err := os.MkdirTemp("", "errand-test-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// unpackInstallation puts the data of a Postgres with a migrated database into the folder. Making it takes a second of CPU, and
// some twenty packages need it, so the first process of the day makes it and stores it in the user's cache, for the others.
func unpackInstallation(ctx context.Context, dir string) error {
	archive, err := nameArchive(ctx)
	if err != nil {
		return err
	}
	unlock, err := lockFile(filepath.Join(filepath.Dir(archive), "lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(archive); errors.Is(err, os.ErrNotExist) {
		if err := makeArchive(ctx, archive); err != nil {
			return fmt.Errorf("storetest: %w", err)
		}
	}
	return runTar("-xpf", archive, "-C", dir)
}

// nameArchive returns the path of the stored installation. Its name changes with the migrations and the version of Postgres, and
// every day: the newest partitions are tomorrow's, and nothing that the name forgets lasts for long.
func nameArchive(ctx context.Context) (string, error) {
	major, err := embedded.FindVersion(ctx, os.Getenv("POSTGRES_BIN"))
	if err != nil {
		return "", fmt.Errorf("storetest: %w", err)
	}
	key := sha256.New()
	fmt.Fprintln(key, major)
	err = fs.WalkDir(migrations.FS, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := migrations.FS.ReadFile(path)
		fmt.Fprintf(key, "%s %d\n%s", path, len(text), text)
		return err
	})
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "errand-tests")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.Join(dir, fmt.Sprintf("%s-%x.tar", time.Now().UTC().Format(time.DateOnly), key.Sum(nil)[:8])), nil
}

// lockFile waits until no other process has the lock, and returns what gives it back.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _, _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close() }, nil
}

// makeArchive makes an installation, stores it, and removes those of other days.
func makeArchive(ctx context.Context, archive string) error {
	dir, err := makeFolder()
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	pg, err := startPostgres(ctx, dir)
	if err != nil {
		return err
	}
	if err := errors.Join(prepareInstallation(ctx, pg.URL()), pg.Stop(ctx)); err != nil {
		return err
	}
	if err := runTar("-cf", archive+".new", "-C", dir, "postgres"); err != nil {
		return err
	}
	stored, err := filepath.Glob(filepath.Join(filepath.Dir(archive), "*.tar"))
	if err != nil {
		return err
	}
	day := filepath.Base(archive)[:len(time.DateOnly)]
	for _, path := range stored {
		if !strings.HasPrefix(filepath.Base(path), day) {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return os.Rename(archive+".new", archive)
}

func runTar(args ...string) error {
	out, err := exec.Command("tar", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("storetest: tar: %w: %s", err, out)
	}
	return nil
}

// startPostgres starts a private Postgres on the folder that need not survive a crash of the machine.
func startPostgres(ctx context.Context, dir string) (*embedded.Server, error) {
	pg, err := embedded.Start(ctx, embedded.Options{
		Dir: dir, Log: slog.New(slog.DiscardHandler), Binaries: os.Getenv("POSTGRES_BIN"), Memory: 64,
		Settings: map[string]string{
			"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "400",
			// Neither UTC nor a whole hour away from it, to expose mistakes with time zones.
			"timezone":        "Asia/Kathmandu",
			"log_line_prefix": logPrefix,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("storetest: %w", err)
	}
	return pg, nil
}

// prepareInstallation brings the schema of a database up to date, with the partitions of today.
func prepareInstallation(ctx context.Context, url string) error {
	db, err := store.Open(ctx, store.Options{URL: url, Clock: time.Now})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Migrate(ctx, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	return db.Intake.MakePartitions(ctx)
}
