package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// initdbWait bounds initdb, which takes under a second on an ordinary disk.
const initdbWait = 5 * time.Minute

// cluster is Postgres's data folder, DATA_DIR/postgres, and the user that owns it.
type cluster struct {
	dir     string
	log     *slog.Logger
	account account
	major   int // the version that made the data; 0 when there is none yet
}

// inspect finds out what is in the data folder and which user therefore runs Postgres.
func (c *cluster) inspect() (err error) {
	entries, err := os.ReadDir(c.dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		c.account, err = accountFor(nil)
		return err
	}
	info, statErr := os.Stat(c.dir)
	if statErr != nil {
		return statErr
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	if euid := uint32(os.Geteuid()); euid != 0 && euid != owner {
		return fmt.Errorf("the data in %s belongs to user %q: start Errand as that user, or as root",
			c.dir, userName(owner))
	}
	if err != nil {
		return err
	}
	if c.major, err = readMajor(c.dir); err != nil {
		return err
	}
	if owner == 0 {
		return fmt.Errorf("the data in %[1]s belongs to root, which cannot run Postgres: give it to another user, "+
			"for example by: chown -R postgres %[1]s", c.dir)
	}
	if c.account, err = accountFor(&owner); err != nil {
		return fmt.Errorf("%s: %w", c.dir, err)
	}
	return nil
}

// readMajor returns the major version that made the data in dir.
func readMajor(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("%s has files in it but is not the data folder of a Postgres: move it away", dir)
	}
	if err != nil {
		return 0, err
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s/PG_VERSION: %w", dir, err)
	}
	return major, nil
}

// create makes the cluster when there is none. It is made under another name and renamed when it is
// complete, so a data folder is never half of one.
func (c *cluster) create(ctx context.Context, bin binaries, sync bool) error {
	unfinished := cluster{dir: c.dir + ".initdb", log: c.log, account: c.account}
	if err := unfinished.remove(ctx); err != nil {
		return fmt.Errorf("removing what an interrupted initdb left: %w", err)
	}
	if c.major != 0 {
		return nil
	}
	err := unfinished.initdb(ctx, bin, sync)
	if err == nil {
		err = replaceEmptyDir(unfinished.dir, c.dir)
	}
	if err != nil {
		if removeErr := unfinished.remove(context.WithoutCancel(ctx)); removeErr != nil {
			c.log.Warn("removing an unfinished postgres data folder", "error", removeErr)
		}
		return fmt.Errorf("making the private Postgres in %s: %w", c.dir, err)
	}
	c.major = bin.major
	return nil
}

// remove deletes an unfinished cluster, after the last program that writes into it.
func (c *cluster) remove(ctx context.Context) error {
	if _, err := os.Lstat(c.dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var err error
	for range 10 {
		if err = c.endLeftovers(ctx); err != nil {
			return err
		}
		// Not empty: the last program that initdb started has written into it since.
		if err = os.RemoveAll(c.dir); !errors.Is(err, syscall.ENOTEMPTY) {
			return err
		}
	}
	return err
}

func (c *cluster) initdb(ctx context.Context, bin binaries, sync bool) error {
	if err := os.Mkdir(c.dir, 0o700); err != nil {
		return err
	}
	if err := c.account.giveToAccount(c.dir); err != nil {
		return err
	}
	args := []string{
		"-D", c.dir, "--username=" + superuser, "--encoding=UTF8", "--locale=C", "--data-checksums",
		// Everyone who may enter the socket's folder is let in. The network stays shut even if a setting opened it.
		"--auth-local=trust", "--auth-host=reject",
	}
	if !sync {
		args = append(args, "--no-sync")
	}
	ctx, cancel := context.WithTimeout(ctx, initdbWait)
	defer cancel()
	out, err := runProgram(ctx, c.account.makeCommand(syscall.SIGKILL, bin.path("initdb"), args...))
	if err != nil {
		return fmt.Errorf("initdb of %s as user %q: %w: %s", bin, c.account.name, err, lastLines(out))
	}
	return nil
}

// replaceEmptyDir renames from to to, which is absent or an empty folder, and syncs the change to the disk.
func replaceEmptyDir(from, to string) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	parent, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	return errors.Join(parent.Sync(), parent.Close())
}

// walCompression returns how Postgres compresses whole pages in pg_wal: with lz4 if it was built with
// it. Postgres's own method took a tenth of its time while events came in.
func (c *cluster) walCompression(ctx context.Context, bin binaries) string {
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	cmd := c.account.makeCommand(syscall.SIGKILL, bin.path("postgres"), "-D", c.dir, "-C", "wal_compression", "-c", "wal_compression=lz4")
	if _, err := runProgram(ctx, cmd); err != nil {
		return "on"
	}
	return "lz4"
}
