package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// The programs that pg_upgrade runs, of either version and of the new one alone.
var (
	programsOfBoth = []string{"pg_ctl", "pg_controldata", "pg_resetwal"}
	programsOfNew  = []string{"pg_upgrade", "pg_dump", "pg_dumpall", "pg_restore", "psql", "vacuumdb"}
)

// findMissing returns the first program that pg_upgrade needs and does not find, with its folder; empty if there is none.
func (u *upgrade) findMissing() string {
	for _, of := range []struct {
		binaries
		programs []string
	}{{u.oldBin, programsOfBoth}, {u.nextBin, programsOfNew}, {u.nextBin, programsOfBoth}} {
		for _, program := range of.programs {
			if !isProgram(of.path(program)) {
				return of.path(program)
			}
		}
	}
	return ""
}

// runPgUpgrade makes the new data by pg_upgrade, which copies the files of tables as they are.
func (u *upgrade) runPgUpgrade(ctx context.Context) (err error) {
	if err := u.makeEmpty(ctx); err != nil {
		return err
	}
	// It writes into its working folder, and its servers have their sockets there.
	work := u.next.dir + workSuffix
	if err := remakePrivateDir(work, u.old.account); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	socket, err := makeSocketDir(work, u.old.account)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, socket.remove()) }()
	cmd := u.old.account.makeCommand(syscall.SIGKILL, u.nextBin.path("pg_upgrade"),
		"--old-bindir", u.oldBin.dir, "--new-bindir", u.nextBin.dir, "--old-datadir", u.old.dir, "--new-datadir", u.next.dir,
		"--username", superuser, "--socketdir", socket.path, "--jobs", "2")
	cmd.Dir = work
	if out, err := runProgram(ctx, cmd); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, lastLines(out))
	}
	return nil
}

// analyzeTables collects the statistics of all tables: pg_upgrade brings them along only from version 18 on. After copying row by row
// ANALYZE also shows that the new data can be read.
func analyzeTables(ctx context.Context, s *Server) error {
	conn, err := pgconn.Connect(ctx, s.URL())
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ANALYZE").ReadAll()
	return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
}
