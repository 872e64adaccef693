package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"errand/core"
	"errand/store/embedded"
)

// UpgradePostgres brings the private Postgres to a newer major version: `errand postgres upgrade`.
type UpgradePostgres struct {
	To string `placeholder:"FOLDER" help:"Folder of postgres and initdb of the new version; by default the newest on this machine."`
}

// Run upgrades the data of a stopped server, and says on out what it did. Progress goes to notes.
func (u UpgradePostgres) Run(ctx context.Context, c *Config, log *slog.Logger, out, notes *os.File) error {
	if err := c.findPrivate(ctx, log); err != nil {
		return err
	}
	began, told := time.Now(), newProgress(notes)
	done, err := embedded.Upgrade(ctx, embedded.UpgradeOptions{
		Options:     c.privatePostgres(log),
		NewBinaries: u.To,
		Step: func(text string) {
			told.clearLine()
			_, _ = fmt.Fprintln(notes, text)
		},
		CopyRows: func(ctx context.Context, from, to string) error {
			return copyDatabase(ctx, c, log, from, to, told)
		},
	})
	told.clearLine()
	if errors.Is(err, embedded.ErrRunning) {
		return fmt.Errorf("%w: stop the server first", err)
	}
	if err != nil {
		return fmt.Errorf("the Postgres in DATA_DIR %s was not upgraded, and its data is as before: %w", c.DataDir, err)
	}
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	line("Upgraded from PostgreSQL %d to %d in %s. Start the server with: errand serve", done.From, done.To,
		time.Since(began).Round(100*time.Millisecond))
	line("The old data stays in %s. When all is well, delete it with: errand postgres remove-old", done.OldData)
	return nil
}

// findPrivate finds the installation, and returns an error if it uses an external Postgres.
func (c *Config) findPrivate(ctx context.Context, log *slog.Logger) error {
	if err := c.findInstallation(ctx, log); err != nil {
		return err
	}
	if !c.isPrivate() {
		return errors.New("DATABASE_URL is set, and this command is for the private Postgres in DATA_DIR alone")
	}
	return nil
}

// copyDatabase copies all rows into an empty database.
func copyDatabase(ctx context.Context, c *Config, log *slog.Logger, from, to string, told *progress) error {
	ending := stops{log: log}
	defer func() { ending.runAllLogged(context.WithoutCancel(ctx)) }()
	source, err := openStore(ctx, c, from, &ending)
	if err != nil {
		return err
	}
	target, err := openStore(ctx, c, to, &ending)
	if err != nil {
		return err
	}
	return source.CopyTo(ctx, target.Store, log, func(table string, done, total int64) {
		told.tellLine(func() string { return tellBackup(table, min(done, total), total) })
	})
}

// RemoveOldPostgres deletes the data that upgrades have left: `errand postgres remove-old`.
type RemoveOldPostgres struct{}

// Run deletes the data and says on out how much there was.
func (RemoveOldPostgres) Run(ctx context.Context, c *Config, log *slog.Logger, out io.Writer) error {
	if err := c.findPrivate(ctx, log); err != nil {
		return err
	}
	old, err := embedded.ListOldData(c.DataDir)
	if err != nil {
		return err
	}
	if len(old) == 0 {
		_, err = fmt.Fprintf(out, "There is no old data in %s.\n", c.DataDir)
		return err
	}
	for _, folder := range old {
		if err := os.RemoveAll(folder.Path); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "Deleted %s: %s.\n", folder.Path, core.WriteBytes(folder.Bytes)); err != nil {
			return err
		}
	}
	return nil
}
