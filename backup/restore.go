package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"errand/blob"
	"errand/core"
	"errand/store"
	"errand/store/dump"
)

// Target is where a backup is restored to.
type Target struct {
	// Prepare makes the schema of the given version in an empty database, and returns its store.
	Prepare func(ctx context.Context, about About) (*store.Store, error)
	// OpenBlobs opens the storage of source maps for the installation; nil when there is none.
	OpenBlobs func(ctx context.Context, about About) (blob.Store, error)
	// Passphrase opens the keys; empty: they are left out.
	Passphrase core.Secret
	// TakesOver says that the original is gone: the restored installation is the same one. Otherwise it is another one.
	TakesOver bool
}

// Restored is what was restored.
type Restored struct {
	About About
	End   End
	Keys  Keys // empty when they were left out
}

// Restore restores a backup. The database gets everything or nothing; source maps that were written before an error are of no
// use to anyone, and harmless.
func Restore(ctx context.Context, from io.Reader, to Target, step Step) (Restored, error) {
	var done Restored
	input := &progressReader{Reader: from, what: "keys", step: step}
	r, about, err := openReader(input)
	if err != nil {
		return done, err
	}
	done.About = about
	if done.Keys, err = r.readKeys(about, to.Passphrase); err != nil {
		return done, err
	}
	db, err := to.Prepare(ctx, about)
	if err != nil {
		return done, err
	}
	err = db.LoadDump(ctx, about.EventDays, func(l *dump.Loader) error {
		if err := l.CheckTables(about.Tables); err != nil {
			return fmt.Errorf("the backup does not fit: %w", err)
		}
		rows, err := r.loadTables(ctx, l, about.Tables, input)
		if err != nil {
			return err
		}
		if err := r.restoreBlobs(ctx, about, to, input); err != nil {
			return err
		}
		if done.End, err = r.readEnd(); err != nil {
			return err
		}
		if err := compareRows(rows, done.End.Rows); err != nil || to.TakesOver {
			return err
		}
		return db.MakeCopy(ctx, l)
	})
	return done, err
}

// readKeys opens the keys, if they are in the file and there is a passphrase.
func (r *reader) readKeys(about About, passphrase core.Secret) (keys Keys, err error) {
	if !about.HasKeys {
		return keys, nil
	}
	if r.now.Name != keysEntry {
		return keys, fmt.Errorf("%w: the keys are missing", ErrBroken)
	}
	sealed, err := r.readAll(maxText)
	if err != nil {
		return keys, err
	}
	if passphrase != "" {
		if keys, err = openKeys(sealed, passphrase); err != nil {
			return keys, err
		}
	}
	return keys, r.next()
}

func (r *reader) loadTables(ctx context.Context, l *dump.Loader, tables []dump.Table, input *progressReader) (map[string]int64, error) {
	rows := map[string]int64{}
	for _, table := range tables {
		input.what = table.Name
		err := r.readTable(table, func(data io.Reader) (err error) {
			rows[table.Name], err = l.LoadTable(ctx, table, data)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// progressReader reads a backup, and tells how many of its bytes were read and for what.
type progressReader struct {
	io.Reader
	what string
	done int64
	step Step
}

// Read is that of the backup.
func (r *progressReader) Read(into []byte) (int, error) {
	n, err := r.Reader.Read(into)
	r.done += int64(n)
	r.step(r.what, r.done, 0)
	return n, err
}

// maxBlob bounds a source map. It is more than any upload may have.
const maxBlob = 1 << 40

func (r *reader) restoreBlobs(ctx context.Context, about About, to Target, input *progressReader) error {
	if !about.HasBlobs {
		return nil
	}
	blobs, err := to.OpenBlobs(ctx, about)
	if err != nil {
		return err
	}
	input.what = "source maps"
	return r.eachBlob(func(key string, content io.Reader) error {
		if !strings.HasPrefix(key, store.SourceMapPrefix) {
			return fmt.Errorf("%w: there is an unknown blob %q", ErrBroken, key)
		}
		if blobs == nil {
			_, err := io.Copy(io.Discard, content)
			return err
		}
		_, err := blobs.Put(ctx, key, content, maxBlob)
		return err
	})
}

// eachBlob calls fn with each blob of the file.
func (r *reader) eachBlob(fn func(key string, content io.Reader) error) error {
	for {
		key, isBlob := strings.CutPrefix(r.now.Name, blobsPath)
		if !isBlob {
			return nil
		}
		if err := fn(key, r.content()); err != nil {
			return err
		}
		if err := r.next(); err != nil {
			return err
		}
	}
}

func compareRows(loaded, want map[string]int64) error {
	for table, rows := range want {
		if loaded[table] != rows {
			return fmt.Errorf("%w: of the table %s %d of %d rows are there", ErrBroken, table, loaded[table], rows)
		}
	}
	return nil
}

// Verify reads a backup to its end and checks it, the keys too where there is a passphrase. It needs no database.
func Verify(from io.Reader, passphrase core.Secret) (Restored, error) {
	var found Restored
	r, about, err := openReader(from)
	if err != nil {
		return found, err
	}
	found.About = about
	if found.Keys, err = r.readKeys(about, passphrase); err != nil {
		return found, err
	}
	for _, table := range about.Tables {
		err := r.readTable(table, func(data io.Reader) error {
			_, err := io.Copy(io.Discard, data)
			return err
		})
		if err != nil {
			return found, broken(err)
		}
	}
	err = r.eachBlob(func(_ string, content io.Reader) error {
		_, err := io.Copy(io.Discard, content)
		return err
	})
	if err != nil {
		return found, broken(err)
	}
	found.End, err = r.readEnd()
	return found, err
}

// broken says of any error in the data of a backup that the backup is damaged.
func broken(err error) error {
	if errors.Is(err, ErrBroken) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrBroken, err)
}
