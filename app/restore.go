package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"errand/backup"
	"errand/blob"
	"errand/core"
	"errand/store"
	"errand/store/dump"
)

// Restore is a backup to restore: `errand restore`.
type Restore struct {
	GivenPassphrase `embed:""`

	TakeOver bool   `help:"${help_take_over}"`
	KeysFile string `placeholder:"FILE" help:"With DATABASE_URL: a new file for the keys, as variables of the environment."`
	File     string `arg:"" help:"The backup; - for standard input."`
}

// Run restores the backup into an empty data folder or database, and says on out what to do next. Progress goes to notes.
func (r Restore) Run(ctx context.Context, c *Config, log *slog.Logger, out, notes *os.File) error {
	passphrase, err := r.readPassphrase()
	if err != nil {
		return err
	}
	if err := c.FillDefaults(); err != nil {
		return err
	}
	if r.KeysFile != "" && passphrase == "" {
		return errors.New("--keys-file needs the passphrase: give --passphrase-file or BACKUP_PASSPHRASE")
	}
	file, err := openInput(r.File)
	if err != nil {
		return err
	}
	defer file.Close()
	ending := stops{log: log}
	defer func() { ending.runAllLogged(context.WithoutCancel(ctx)) }()
	work := &restoring{config: c, log: log, ending: &ending}
	began, told := time.Now(), newProgress(notes)
	defer told.clearLine()
	done, err := backup.Restore(ctx, file, backup.Target{
		Prepare: work.prepareTables, OpenBlobs: work.openBlobs(r.TakeOver), Passphrase: passphrase, TakesOver: r.TakeOver,
	}, func(what string, read, _ int64) {
		told.tellLine(func() string { return fmt.Sprintf("%s of the backup read  %s", core.WriteBytes(read), what) })
	})
	told.clearLine()
	if errors.Is(err, dump.ErrNotEmpty) {
		err = fmt.Errorf("%w: restore into %s", err, work.newPlace())
	}
	if err == nil {
		err = work.migrateTables(ctx)
	}
	if err == nil {
		err = work.keepKeys(done.Keys, r.KeysFile)
	}
	if err != nil {
		return fmt.Errorf("%s was not restored: %w", r.File, err)
	}
	r.printRestored(out, c, done, time.Since(began))
	return nil
}

// restoring is a restore on its way.
type restoring struct {
	config *Config
	log    *slog.Logger
	ending *stops
	db     *database
}

// prepareTables makes the tables, as they were in the server of the backup.
func (w *restoring) prepareTables(ctx context.Context, about backup.About) (*store.Store, error) {
	var err error
	if w.db, err = openDatabase(ctx, w.config, w.log, w.ending); err != nil {
		return nil, err
	}
	err = w.config.waitForDatabase(ctx, w.log, func(ctx context.Context) error { return w.db.checkDatabase(ctx, w.config) })
	if err != nil {
		return nil, err
	}
	if err := w.db.MigrateTo(ctx, about.Schema, w.log); err != nil {
		return nil, err
	}
	schema, known, err := w.db.ReadSchemaVersion(ctx)
	switch {
	case err != nil:
		return nil, err
	case about.Schema > known:
		return nil, fmt.Errorf("the backup was made by Errand %s with schema %d, and this Errand knows only %d: use a newer one",
			about.Errand, about.Schema, known)
	case schema > about.Schema:
		return nil, fmt.Errorf("%w: it has the schema %d, and the backup has %d; restore into %s", dump.ErrNotEmpty, schema, about.Schema,
			w.newPlace())
	}
	w.db.prepareRole(ctx, w.log)
	return w.db.Store, nil
}

// newPlace says where there is room for a restore.
func (w *restoring) newPlace() string {
	if w.config.isPrivate() {
		return "a new folder: set DATA_DIR"
	}
	return "a new database: set DATABASE_URL"
}

// openBlobs returns what opens the storage of BLOBS. Nobody else may use it, except the original when the restored
// installation takes its place.
func (w *restoring) openBlobs(takesOver bool) func(context.Context, backup.About) (blob.Store, error) {
	return func(ctx context.Context, about backup.About) (blob.Store, error) {
		opened, err := w.config.openRawBlobs()
		if err != nil || opened == nil {
			return nil, err
		}
		w.ending.add("the storage of BLOBS", func(context.Context) error { return opened.Close() })
		owner := ""
		if takesOver {
			owner = about.Installation
		}
		if err := blob.CheckOwner(ctx, opened, owner); err != nil {
			return nil, fmt.Errorf("BLOBS: %w: give what is restored a folder or prefix of its own", err)
		}
		return opened, nil
	}
}

// migrateTables brings the tables up to this version.
func (w *restoring) migrateTables(ctx context.Context) error { return w.db.Migrate(ctx, w.log) }

// keepKeys writes the keys to where a server looks for them.
func (w *restoring) keepKeys(keys backup.Keys, keysFile string) error {
	named := map[string]core.Secret{"ENCRYPTION_KEYS": keys.EncryptionKeys, "ADMIN_TOKEN": keys.AdminToken}
	if keysFile != "" {
		_, err := writeWhole(keysFile, func(file io.Writer) error {
			for _, name := range []string{"ENCRYPTION_KEYS", "ADMIN_TOKEN"} {
				if _, err := fmt.Fprintf(file, "%s=%s\n", name, named[name].Reveal()); err != nil {
					return err
				}
			}
			return nil
		})
		return err
	}
	if !w.config.isPrivate() {
		return nil
	}
	for name, file := range map[string]string{"ENCRYPTION_KEYS": encryptionKeysFile, "ADMIN_TOKEN": adminTokenFile} {
		if named[name] == "" {
			continue
		}
		if err := writeSecret(filepath.Join(w.config.DataDir, file), named[name]); err != nil {
			return err
		}
	}
	return nil
}

// printRestored says what was restored, and what to do next.
func (r Restore) printRestored(w io.Writer, c *Config, done backup.Restored, took time.Duration) {
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	rows := done.End.Rows
	line("Restored in %s: %d projects, %d issues, %d stored events, %d users, %d source maps, as of %s.", took.Round(100*time.Millisecond),
		rows["projects"], rows["issues"], rows["events"], rows["users"], done.End.Blobs, done.About.MadeAt.UTC().Format(time.RFC3339))
	switch {
	case !done.About.HasKeys:
		line("The keys are not in the backup: put ENCRYPTION_KEYS of the original back, or the secrets of webhooks cannot be read.")
	case done.Keys == backup.Keys{}:
		line("The keys were left out, since no passphrase was given. Restore again with it, or set ENCRYPTION_KEYS of the original.")
	case !c.isPrivate() && r.KeysFile == "":
		line("The keys are in the backup; --keys-file writes them. Start the server with ENCRYPTION_KEYS and ADMIN_TOKEN of the original.")
	}
	if !done.About.HasBlobs {
		line("Source maps are not in the backup: with --take-over, set BLOBS to the storage of the original.")
	}
	if r.TakeOver {
		line("It takes the place of the original, which must not run again. Start it with: errand serve")
		return
	}
	line("It is an installation of its own, beside the original: BASE_URL is unset, and it calls no webhook and sends no mail until " +
		"you say: errand settings unset OUTGOING")
	line("Start it with: errand serve")
}
