package backup

import (
	"bytes"
	"context"
	"errors"
	"io"

	"errand/blob"
	"errand/core"
	"errand/store"
	"errand/store/dump"
)

// Source is what is backed up.
type Source struct {
	Store      *store.Store
	Blobs      blob.Store // nil: the source maps stay out
	Keys       Keys
	Passphrase core.Secret // empty: the keys stay out
	Version    string      // of this program
}

// Step tells how far a backup or a restore is: what it works on, and how much is done, of how much; 0 when nobody knows.
type Step func(what string, done, total int64)

// Write writes a backup to w. It holds no writer up, and shows the database as of one moment; source maps that are added later
// are not in it.
func Write(ctx context.Context, w io.Writer, from Source, step Step) (About, End, error) {
	var about About
	var keys []string
	var archive *writer
	end := End{Rows: map[string]int64{}}
	err := from.Store.ReadDump(ctx, func(r *dump.Reader) (err error) {
		if about, err = from.describe(ctx, r); err != nil {
			return err
		}
		archive = newWriter(w, about.MadeAt)
		if err := archive.addJSON(aboutEntry, about); err != nil {
			return err
		}
		if err := archive.addKeys(from); err != nil {
			return err
		}
		var done int64
		for _, table := range r.Tables {
			rows, err := archive.addTable(ctx, r, table, func(n int) {
				done += int64(n)
				step(table.Name, done, max(done, r.Bytes))
			})
			if err != nil {
				return err
			}
			end.Rows[table.Name] = rows
		}
		if from.Blobs != nil {
			keys, err = from.Store.ListDumpedBlobs(ctx, r)
		}
		return err
	})
	if err != nil {
		return about, end, err
	}
	if err := archive.addBlobs(ctx, from.Blobs, keys, &end, step); err != nil {
		return about, end, err
	}
	return about, end, archive.finish(end)
}

func (from Source) describe(ctx context.Context, r *dump.Reader) (About, error) {
	id, err := from.Store.FindDumpedIdentity(ctx, r)
	return About{
		Format: Format, Errand: from.Version, Schema: r.Schema, MadeAt: r.At, Installation: id, Postgres: r.Postgres,
		EventDays: r.EventDays, Tables: r.Tables, HasKeys: from.Passphrase != "", HasBlobs: from.Blobs != nil,
	}, err
}

func (w *writer) addKeys(from Source) error {
	if from.Passphrase == "" {
		return nil
	}
	sealed, err := sealKeys(from.Keys, from.Passphrase)
	if err != nil {
		return err
	}
	return w.add(keysEntry, int64(len(sealed)), bytes.NewReader(sealed))
}

// addBlobs writes the source maps. One that was deleted meanwhile is noted: no server needs it any more.
func (w *writer) addBlobs(ctx context.Context, blobs blob.Store, keys []string, end *End, step Step) error {
	for i, key := range keys {
		step("source maps", int64(i), int64(len(keys)))
		object, err := blobs.Open(ctx, key)
		if errors.Is(err, blob.ErrNotFound) {
			end.MissingBlobs = append(end.MissingBlobs, key)
			continue
		}
		if err != nil {
			return err
		}
		size := object.Size()
		err = w.add(blobsPath+key, size, io.NewSectionReader(object, 0, size))
		if err := errors.Join(err, object.Close()); err != nil {
			return err
		}
		end.Blobs++
		end.BlobBytes += size
	}
	return nil
}
