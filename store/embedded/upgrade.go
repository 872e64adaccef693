package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
)

// UpgradeOptions says how data is brought to a newer major version of Postgres.
type UpgradeOptions struct {
	Options // Binaries may be those of the old or of the new version

	// NewBinaries is the folder of the programs of the new version. Empty means: the newest on this machine.
	NewBinaries string
	// CopyRows copies the database at the one URL to the empty one at the other: where pg_upgrade is missing or fails.
	CopyRows func(ctx context.Context, from, to string) error
	// Step is called when a step begins, with a line for a person.
	Step func(text string)
}

// Upgraded is what Upgrade did.
type Upgraded struct {
	From, To int    // major versions
	OldData  string // the folder of the old data
}

// Upgrade brings the data of a stopped private Postgres to a newer major version: with pg_upgrade where all of its programs are
// there, else row by row. The old data is not changed. It is kept beside the new data, which takes its place only when it is
// complete; an upgrade that was cut off before has changed nothing.
func Upgrade(ctx context.Context, o UpgradeOptions) (Upgraded, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	has, err := HasData(o.Dir)
	if err == nil && !has {
		err = fmt.Errorf("there is no private Postgres in %s", o.Dir)
	}
	if err != nil {
		return Upgraded{}, err
	}
	dir, err := makeDataDir(o.Dir)
	if err != nil {
		return Upgraded{}, err
	}
	lock, err := lockDataDir(dir)
	if err != nil {
		return Upgraded{}, err
	}
	u := &upgrade{UpgradeOptions: o, old: cluster{dir: filepath.Join(dir, clusterDir), log: o.Log}}
	done, err := u.run(ctx)
	return done, errors.Join(err, unlockDataDir(lock))
}

// upgrade is an upgrade on its way. It holds the lock of the data folder.
type upgrade struct {
	UpgradeOptions
	old, next       cluster
	oldBin, nextBin binaries
}

// Names beside the cluster's own: of data that is being made, of the working folder of pg_upgrade beside that, and of data that is
// complete and about to take its place.
const (
	unfinishedSuffix = ".upgrade"
	workSuffix       = ".work"
	completeSuffix   = ".upgraded"
)

func (u *upgrade) run(ctx context.Context) (Upgraded, error) {
	if err := u.findObstacles(ctx); err != nil {
		return Upgraded{}, err
	}
	done := Upgraded{From: u.oldBin.major, To: u.nextBin.major, OldData: u.old.dir + "." + strconv.Itoa(u.oldBin.major)}
	if _, err := os.Lstat(done.OldData); err == nil {
		return done, fmt.Errorf("%s is there from an earlier upgrade: move it away, or run: errand postgres remove-old", done.OldData)
	}
	err := u.makeData(ctx)
	if err == nil {
		u.Step("checking and analysing the new data")
		err = u.withServer(ctx, u.next, u.nextBin, analyzeTables)
	}
	if err == nil {
		err = u.takePlace(done.OldData)
	}
	return done, errors.Join(err, u.old.finishUpgrade(context.WithoutCancel(ctx))) // removes at least the log of the new data
}

// findObstacles finds the programs, and returns an error if the upgrade would fail later.
func (u *upgrade) findObstacles(ctx context.Context) (err error) {
	if err = u.old.finishUpgrade(ctx); err != nil {
		return err
	}
	if err = u.old.inspect(); err != nil {
		return err
	}
	u.next = cluster{dir: u.old.dir + unfinishedSuffix, log: u.Log, account: u.old.account}
	if err = u.findPrograms(ctx); err != nil {
		return err
	}
	size, err := sizeOf(u.old.dir)
	if err != nil {
		return err
	}
	free := int64(freeBytes(filepath.Dir(u.old.dir))) //nolint:gosec // 1<<62 at most
	if free < size+size/10 {
		const mb = 1 << 20
		return fmt.Errorf("the upgrade needs %d MB free at %s for the new data beside the old, and there are %d MB",
			(size+size/10)/mb+1, filepath.Dir(u.old.dir), free/mb)
	}
	return u.old.endLeftovers(ctx)
}

// findPrograms finds those that run the old data, and newer ones.
func (u *upgrade) findPrograms(ctx context.Context) (err error) {
	f := finder{account: u.old.account, folders: usualFolders()}
	if u.Binaries != "" {
		f.folders = append([]string{u.Binaries}, f.folders...)
	}
	if u.oldBin, err = f.findBinaries(ctx, u.old.major); err != nil {
		return fmt.Errorf("%s: %w", u.old.dir, err)
	}
	f = finder{account: u.old.account, folders: f.folders, override: u.NewBinaries, overrideName: "--to"}
	if u.nextBin, err = f.findBinaries(ctx, 0); err != nil {
		return err
	}
	if u.nextBin.major <= u.oldBin.major {
		return fmt.Errorf("the data is of PostgreSQL %d already, and the newest programs found are %s: install a newer version, or name its "+
			"folder with --to", u.oldBin.major, u.nextBin)
	}
	return nil
}

// makeData makes the new data.
func (u *upgrade) makeData(ctx context.Context) error {
	u.Step("checking the old data")
	nothing := func(context.Context, *Server) error { return nil }
	if err := u.withServer(ctx, u.old, u.oldBin, nothing); err != nil { // also recovers it, if it was killed
		return fmt.Errorf("the old data: %w", err)
	}
	if missing := u.findMissing(); missing != "" {
		u.Step("copying row by row, since there is no " + missing)
		return u.copyRows(ctx)
	}
	u.Step("upgrading with pg_upgrade")
	err := u.runPgUpgrade(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	u.Log.Warn("pg_upgrade failed", "error", err)
	u.Step("copying row by row, since pg_upgrade failed")
	return u.copyRows(ctx)
}

// copyRows makes the new data by CopyRows.
func (u *upgrade) copyRows(ctx context.Context) error {
	if err := u.makeEmpty(ctx); err != nil {
		return err
	}
	return u.withServer(ctx, u.old, u.oldBin, func(ctx context.Context, old *Server) error {
		return u.withServer(ctx, u.next, u.nextBin, func(ctx context.Context, next *Server) error {
			return u.CopyRows(ctx, old.URL(), next.URL())
		})
	})
}

// makeEmpty makes an empty new cluster.
func (u *upgrade) makeEmpty(ctx context.Context) error {
	if err := u.next.remove(ctx); err != nil {
		return err
	}
	return u.next.initdb(ctx, u.nextBin, true)
}

// withServer runs a cluster while fn works with it.
func (u *upgrade) withServer(ctx context.Context, c cluster, bin binaries, fn func(context.Context, *Server) error) error {
	s, err := newServer(ctx, c, bin, u.Options)
	if err != nil {
		return err
	}
	if err := s.startPostgres(ctx); err != nil {
		return err
	}
	err = fn(ctx, s)
	return errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
}

// takePlace gives the new data the place of the old. Wherever it is cut off, finishUpgrade or the next upgrade sets it right.
func (u *upgrade) takePlace(oldData string) error {
	complete := u.old.dir + completeSuffix
	for _, step := range []struct{ from, to string }{{u.next.dir, complete}, {u.old.dir, oldData}, {complete, u.old.dir}} {
		if err := replaceEmptyDir(step.from, step.to); err != nil {
			return err
		}
	}
	return nil
}

// finishUpgrade ends an upgrade that was cut off: while its data took the place of the old, by doing the rest, and before, by removing
// what it has made. As long as the old data has its name, it counts.
func (c *cluster) finishUpgrade(ctx context.Context) error {
	unfinished := cluster{dir: c.dir + unfinishedSuffix, log: c.log}
	if err := unfinished.remove(ctx); err != nil {
		return fmt.Errorf("removing what an interrupted upgrade left: %w", err)
	}
	for _, suffix := range []string{workSuffix, ".log", ".log.1"} {
		if err := os.RemoveAll(unfinished.dir + suffix); err != nil {
			return err
		}
	}
	complete := c.dir + completeSuffix
	if _, err := os.Lstat(complete); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if _, err := os.Lstat(c.dir); err == nil {
		return os.RemoveAll(complete)
	}
	return replaceEmptyDir(complete, c.dir)
}

// OldFolder is a folder of data that an upgrade has kept.
type OldFolder struct {
	Path  string
	Bytes int64
}

// ListOldData lists the folders of data that upgrades have kept, in the order of their versions.
func ListOldData(dir string) (list []OldFolder, err error) {
	folders, err := filepath.Glob(filepath.Join(dir, clusterDir+".[1-9][0-9]"))
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if _, err := readMajor(folder); err != nil {
			continue // not one of ours
		}
		size, err := sizeOf(folder)
		if err != nil {
			return nil, err
		}
		list = append(list, OldFolder{folder, size})
	}
	return list, nil
}

// sizeOf returns the size of the files in a folder, in bytes.
func sizeOf(folder string) (size int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
