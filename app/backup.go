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
	"errand/core"
)

// Backup is a backup to make, or to check: `errand backup`.
type Backup struct {
	GivenPassphrase `embed:""`

	WithoutBlobs bool   `help:"Leave out the source maps, for a bucket that is backed up by other means."`
	Verify       bool   `help:"Check the file, and make nothing. It needs no database."`
	File         string `arg:"" help:"The file to write, which must not exist yet; - for standard output (with --verify: standard input)."`
}

// toPipe is the name of a file that stands for standard output or input.
const toPipe = "-"

// Run makes the backup and says on notes what is in it; or it checks the backup and says so on out.
func (b Backup) Run(ctx context.Context, c *Config, version string, log *slog.Logger, out, notes *os.File) error {
	passphrase, err := b.readPassphrase()
	if err != nil {
		return err
	}
	if b.Verify {
		return b.verifyFile(passphrase, out)
	}
	return atConsole(ctx, c, log, func(o console) error {
		source := backup.Source{Store: o.db.Store, Passphrase: passphrase, Version: version}
		if source.Keys, err = c.readKeys(); err != nil {
			return err
		}
		if !b.WithoutBlobs {
			if source.Blobs, err = c.openRawBlobs(); err != nil {
				return err
			}
		}
		if source.Blobs != nil {
			defer source.Blobs.Close()
		}
		began, told := time.Now(), newProgress(notes)
		defer told.clearLine()
		var about backup.About
		var end backup.End
		size, err := writeWhole(b.File, func(w io.Writer) error {
			about, end, err = backup.Write(ctx, w, source, func(what string, done, total int64) {
				told.tellLine(func() string { return tellBackup(what, done, total) })
			})
			return err
		})
		if err != nil {
			return fmt.Errorf("the backup was not made: %w", err)
		}
		told.clearLine()
		printBackup(notes, b.File, size, about, end)
		_, _ = fmt.Fprintf(notes, "It took %s.\n", time.Since(began).Round(100*time.Millisecond))
		if source.Blobs == nil && !b.WithoutBlobs {
			_, _ = fmt.Fprintln(notes, "Source maps are not in it, because BLOBS is not set for this command.")
		}
		return o.db.NoteBackup(ctx, core.At(about.MadeAt))
	})
}

func tellBackup(what string, done, total int64) string {
	percent := int64(100)
	if total > 0 {
		percent = done * 100 / total
	}
	return fmt.Sprintf("%3d%%  %s", percent, what)
}

func (b Backup) verifyFile(passphrase core.Secret, out io.Writer) error {
	file, err := openInput(b.File)
	if err != nil {
		return err
	}
	defer file.Close()
	found, err := backup.Verify(file, passphrase)
	if err != nil {
		return fmt.Errorf("%s: %w", b.File, err)
	}
	printBackup(out, b.File, 0, found.About, found.End)
	if found.About.HasKeys && passphrase == "" {
		_, _ = fmt.Fprintln(out, "The keys were not checked: give the passphrase to check them too.")
	}
	_, _ = fmt.Fprintln(out, "It is whole.")
	return nil
}

// printBackup says what is in a backup; a size of 0 is left out.
func printBackup(w io.Writer, file string, size int64, about backup.About, end backup.End) {
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	if size > 0 {
		line("%s: %s", file, core.WriteBytes(size))
	}
	line("Made at %s by Errand %s, schema %d.", about.MadeAt.UTC().Format(time.RFC3339), about.Errand, about.Schema)
	rows := end.Rows
	line("%d projects, %d issues, %d stored events, %d users.", rows["projects"], rows["issues"], rows["events"], rows["users"])
	if about.HasBlobs {
		line("%d source maps, %s.", end.Blobs, core.WriteBytes(end.BlobBytes))
	} else {
		line("Source maps: left out.")
	}
	if len(end.MissingBlobs) > 0 {
		line("%d source maps are named by the database, but were not in the storage; the first: %s.", len(end.MissingBlobs), end.MissingBlobs[0])
	}
	if about.HasKeys {
		line("Keys: encrypted with the passphrase, without which they are lost.")
	} else {
		line("Keys: left out. Without ENCRYPTION_KEYS the secrets of webhooks cannot be read after a restore: keep them apart, or give " +
			"--passphrase-file.")
	}
}

// readKeys returns the keys of the installation, as far as this command can know them.
func (c *Config) readKeys() (keys backup.Keys, err error) {
	if keys.EncryptionKeys, err = c.collectKeys(false); err != nil {
		return keys, err
	}
	keys.AdminToken = c.AdminToken
	if keys.AdminToken != "" || !c.isPrivate() {
		return keys, nil
	}
	text, err := readSecret(filepath.Join(c.DataDir, adminTokenFile))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	keys.AdminToken = core.Secret(text)
	return keys, err
}

// openInput opens a file, or standard input.
func openInput(name string) (io.ReadCloser, error) {
	if name == toPipe {
		return os.Stdin, nil
	}
	return os.Open(name)
}

// writeWhole writes a new file, which appears under its name when it is complete, and returns its size. It also writes to
// standard output.
func writeWhole(name string, write func(io.Writer) error) (size int64, err error) {
	if name == toPipe {
		if isTerminal(os.Stdout) {
			return 0, errors.New("standard output is a terminal: name a file, or write into a pipe")
		}
		return 0, write(os.Stdout)
	}
	if _, err := os.Lstat(name); err == nil {
		return 0, fmt.Errorf("%s exists: name a new file", name)
	}
	temp, err := os.OpenFile(name+".part", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return 0, fmt.Errorf("%s.part exists: another backup is writing it, or was broken off; then delete it", name)
	}
	if err != nil {
		return 0, err
	}
	err = write(temp)
	if err == nil {
		size, err = temp.Seek(0, io.SeekCurrent)
	}
	if err = errors.Join(err, temp.Sync(), temp.Close()); err == nil {
		err = os.Link(temp.Name(), name) // unlike a rename, it replaces nothing
	}
	return size, errors.Join(err, os.Remove(temp.Name()))
}
