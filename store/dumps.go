package store

import (
	"context"
	"fmt"
	"time"

	"errand/core"
	"errand/store/dump"
	"errand/store/pg"
)

// ReadDump calls fn with a reader of all tables as of one moment.
func (s *Store) ReadDump(ctx context.Context, fn func(*dump.Reader) error) error {
	return dump.Read(ctx, s.db.Main, func() time.Time { return s.Now().Time }, fn)
}

const (
	listDumpedBlobs = `SELECT DISTINCT m.project_id, ` + blobOfSourceMap + ` AS blob FROM source_maps m ORDER BY 1, 2`
	findIdentity    = `SELECT coalesce(max(id), '') AS id FROM install_identity`
)

// ListDumpedBlobs returns the keys of the blobs that the database names, as of the moment of the dump.
func (s *Store) ListDumpedBlobs(ctx context.Context, r *dump.Reader) ([]string, error) {
	rows, err := pg.QueryMany[struct {
		ProjectID int64
		Blob      string
	}](ctx, r.Tx, listDumpedBlobs, pg.Args{})
	keys := make([]string, len(rows))
	for i, row := range rows {
		keys[i] = KeyOfBlob(row.ProjectID, row.Blob)
	}
	return keys, err
}

// FindDumpedIdentity returns the id of the installation; empty when no server has needed it yet.
func (s *Store) FindDumpedIdentity(ctx context.Context, r *dump.Reader) (string, error) {
	row, err := pg.QueryOne[struct{ ID string }](ctx, r.Tx, findIdentity, pg.Args{})
	return row.ID, err
}

// LoadDump calls fn with a loader of the tables, and commits what it loads when fn returns nil. Days are those of
// dump.Reader. A database in use is dump.ErrNotEmpty.
func (s *Store) LoadDump(ctx context.Context, days []string, fn func(*dump.Loader) error) error {
	for _, text := range days {
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return fmt.Errorf("%q is not a day of events", text)
		}
		if err := s.Intake.MakePartition(ctx, day); err != nil {
			return err
		}
	}
	if err := dump.Load(ctx, s.db.Main, fn); err != nil {
		return err
	}
	_, err := s.db.Main.Exec(ctx, "ANALYZE")
	return pg.WrapError(err)
}

// copyReason stands at the deliveries that a copy does not send.
const copyReason = "this database is a restored copy: the original sends what was waiting"

const (
	forgetIdentity    = `DELETE FROM install_identity`
	endPendingInCopy  = `UPDATE deliveries SET status = 'failed', next_attempt_at = NULL, last_error = @reason WHERE status = 'pending'`
	settingByRestorer = "errand restore"
)

// MakeCopy makes the loaded tables those of another installation, which may run beside the original: it gets an id of its
// own, it forgets BASE_URL, and it sends nothing until OUTGOING is unset. What waits to be sent is left to the original.
func (s *Store) MakeCopy(ctx context.Context, l *dump.Loader) error {
	if _, err := pg.Exec(ctx, l.Tx, forgetIdentity, pg.Args{}); err != nil {
		return err
	}
	if _, err := pg.Exec(ctx, l.Tx, endPendingInCopy, pg.Args{"reason": copyReason}); err != nil {
		return err
	}
	off := "off"
	for name, value := range map[string]*string{"BASE_URL": nil, "OUTGOING": &off} {
		_, err := pg.Exec(ctx, l.Tx, saveInstallSetting,
			pg.Args{"name": name, "value": value, "set_by": settingByRestorer, "now": s.Now()})
		if err != nil {
			return err
		}
	}
	return nil
}

// backedUp names the time of the last complete backup.
const backedUp = "backup"

// NoteBackup notes for all servers when a backup was complete.
func (s *Store) NoteBackup(ctx context.Context, at core.Time) error {
	_, err := pg.Exec(ctx, s.db.Main, noteTime, pg.Args{"name": backedUp, "at": at.Time})
	return err
}
