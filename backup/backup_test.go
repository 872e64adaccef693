package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/backup"
	"errand/blob"
	"errand/store"
	"errand/store/dump"
	"errand/store/intake"
	"errand/store/storetest"
)

const passphrase = "correct horse battery"

var keys = backup.Keys{EncryptionKeys: "k1:c2VjcmV0", AdminToken: "a-token-of-an-admin"}

// quiet is for tests that do not look at the progress.
func quiet(string, int64, int64) {}

// fillShop stores some of everything that a backup has to carry.
func fillShop(t *testing.T, s *store.Store) {
	t.Helper()
	var events []intake.NewEvent
	for n := range 300 {
		events = append(events, storetest.MakeShopEvent(fmt.Sprint("group ", n%7), n, s.Now()))
	}
	storetest.AddEvents(t, s, events...)
	_, err := s.EnsureInstallation(t.Context(), "the-original")
	require.NoError(t, err)
	storetest.SaveSettings(t, s, map[string]string{"BASE_URL": "https://errand.example.com", "RETENTION_DAYS": "30"})
}

// writeBackup returns the file of a backup.
func writeBackup(t *testing.T, from backup.Source) []byte {
	t.Helper()
	var file bytes.Buffer
	_, _, err := backup.Write(t.Context(), &file, from, quiet)
	require.NoError(t, err)
	return file.Bytes()
}

// emptyTarget is a database without tables.
func emptyTarget(t *testing.T) (*store.Store, backup.Target) {
	t.Helper()
	s := storetest.Open(t, storetest.NewEmptyURL(t), storetest.NewClock().Tell)
	return s, backup.Target{
		Prepare: func(ctx context.Context, about backup.About) (*store.Store, error) {
			return s, s.MigrateTo(ctx, about.Schema, slog.New(slog.DiscardHandler))
		},
		OpenBlobs:  func(context.Context, backup.About) (blob.Store, error) { return nil, nil },
		Passphrase: passphrase, TakesOver: true,
	}
}

// readTables returns a digest of the rows of each table that is restored.
func readTables(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	digests := map[string]string{}
	require.NoError(t, s.ReadDump(t.Context(), func(r *dump.Reader) error {
		for _, table := range r.Tables {
			var digest string
			sql := `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') FROM ` + table.Name + ` t`
			if err := r.Tx.QueryRow(t.Context(), sql).Scan(&digest); err != nil {
				return err
			}
			digests[table.Name] = digest
		}
		return nil
	}))
	return digests
}

func TestRestoredTablesAreTheSame(t *testing.T) {
	t.Parallel()
	from, _ := storetest.OpenShop(t)
	fillShop(t, from)
	file := writeBackup(t, backup.Source{Store: from, Keys: keys, Passphrase: passphrase, Version: "1.2.3"})
	to, target := emptyTarget(t)

	done, err := backup.Restore(t.Context(), bytes.NewReader(file), target, quiet)

	require.NoError(t, err)
	require.Equal(t, keys, done.Keys)
	require.Equal(t, "1.2.3", done.About.Errand)
	require.Equal(t, "the-original", done.About.Installation)
	require.EqualValues(t, 7, done.End.Rows["issues"])
	require.Equal(t, readTables(t, from), readTables(t, to))
	const indexes = `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`
	require.Equal(t, storetest.ReadColumn[string](t, from, indexes), storetest.ReadColumn[string](t, to, indexes))
	require.NotContains(t, string(file), keys.AdminToken.Reveal())
}

// After a restore the ids go on where they were, and an event that was counted before is a duplicate.
func TestRestoredInstallationGoesOn(t *testing.T) {
	t.Parallel()
	from, _ := storetest.OpenShop(t)
	fillShop(t, from)
	to, target := emptyTarget(t)
	_, err := backup.Restore(t.Context(), bytes.NewReader(writeBackup(t, backup.Source{Store: from})), target, quiet)
	require.NoError(t, err)

	known := storetest.AddEvents(t, to, storetest.MakeShopEvent("group 1", 1, to.Now()))
	added := storetest.AddEvents(t, to, storetest.MakeShopEvent("another", 1, to.Now()))

	require.True(t, known.Duplicate)
	issue, err := to.ReadIssue(t.Context(), added.IssueID)
	require.NoError(t, err)
	require.EqualValues(t, 1, issue.TimesSeen)
	require.Len(t, storetest.ReadColumn[int64](t, to, `SELECT id FROM issues`), 8)
}

// A copy beside the original is another installation, and leaves what waits to be sent to the original.
func TestCopySendsNothing(t *testing.T) {
	t.Parallel()
	from, _ := storetest.OpenShop(t)
	fillShop(t, from)
	storetest.ChangeRows(t, from, `
INSERT INTO deliveries (project_id, id, webhook_id, created_at, due_at, next_attempt_at, event) VALUES ($1, 7, 1, $2, $2, $2, 'ping')`,
		storetest.Shop, storetest.Noon)
	to, target := emptyTarget(t)
	target.TakesOver = false

	_, err := backup.Restore(t.Context(), bytes.NewReader(writeBackup(t, backup.Source{Store: from})), target, quiet)

	require.NoError(t, err)
	_, err = to.LoadSettings(t.Context())
	require.NoError(t, err)
	require.True(t, to.Settings().HoldsOutgoing)
	require.Empty(t, to.Settings().BaseURL)
	require.Equal(t, 30, to.Settings().RetentionDays)
	require.Equal(t, []string{"failed"}, storetest.ReadColumn[string](t, to, `SELECT status FROM deliveries`))
	found, err := to.EnsureInstallation(t.Context(), "a-copy")
	require.NoError(t, err)
	require.Equal(t, "a-copy", found.ID)
	require.Nil(t, found.RestoredAt)
}

// A backup of an older server is loaded into its own tables, which are then migrated.
func TestOlderSchema(t *testing.T) {
	t.Parallel()
	const older = 43
	log := slog.New(slog.DiscardHandler)
	from := storetest.Open(t, storetest.NewEmptyURL(t), storetest.NewClock().Tell)
	require.NoError(t, from.MigrateTo(t.Context(), older, log))
	storetest.ChangeRows(t, from, `
INSERT INTO users (id, email_address, slug, created_at, updated_at) SELECT n, n || '@example.com', n, $1, $1 FROM generate_series(1, 9) n`,
		storetest.Noon)
	to, target := emptyTarget(t)

	done, err := backup.Restore(t.Context(), bytes.NewReader(writeBackup(t, backup.Source{Store: from})), target, quiet)

	require.NoError(t, err)
	require.EqualValues(t, older, done.About.Schema)
	require.NoError(t, to.Migrate(t.Context(), log))
	require.NoError(t, to.CheckSchema(t.Context()))
	require.Len(t, storetest.ReadColumn[string](t, to, `SELECT slug FROM users`), 9)
}

func TestUsedDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	from, _ := storetest.OpenShop(t)
	_, target := emptyTarget(t)
	used, _ := storetest.OpenShop(t)
	target.Prepare = func(context.Context, backup.About) (*store.Store, error) { return used, nil }
	before := readTables(t, used)

	_, err := backup.Restore(t.Context(), bytes.NewReader(writeBackup(t, backup.Source{Store: from})), target, quiet)

	require.ErrorIs(t, err, dump.ErrNotEmpty)
	require.Equal(t, before, readTables(t, used))
}

func TestWrongPassphrase(t *testing.T) {
	t.Parallel()
	from, _ := storetest.OpenShop(t)
	file := writeBackup(t, backup.Source{Store: from, Keys: keys, Passphrase: passphrase})

	_, err := backup.Verify(bytes.NewReader(file), "another passphrase")
	require.ErrorIs(t, err, backup.ErrPassphrase)

	found, err := backup.Verify(bytes.NewReader(file), "")
	require.NoError(t, err)
	require.Empty(t, found.Keys)
}

// A file that was cut off or changed anywhere is refused by both, and leaves the database empty.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	from, _ := storetest.OpenShop(t)
	fillShop(t, from)
	file := writeBackup(t, backup.Source{Store: from, Keys: keys, Passphrase: passphrase})
	_, target := emptyTarget(t)
	target.Passphrase = "" // opening the keys takes a second
	const tries = 12
	for n := range tries {
		at := len(file) * n / tries
		for at < len(file)-1 && file[at] == 0 { // the zeros that fill an entry up say nothing
			at++
		}
		damaged := map[string][]byte{"cut off": file[:at]}
		if changed := bytes.Clone(file); at > 0 {
			changed[at] ^= 0x10
			damaged["changed"] = changed
		}
		for how, text := range damaged {
			_, err := backup.Verify(bytes.NewReader(text), "")
			require.Error(t, err, "%s at %d", how, at)
			_, err = backup.Restore(t.Context(), bytes.NewReader(text), target, quiet)
			require.Error(t, err, "%s at %d", how, at)
		}
	}

	_, err := backup.Restore(t.Context(), bytes.NewReader(file), target, quiet)
	require.NoError(t, err, "the failed ones left nothing")
}

func TestForeignFiles(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"empty": "", "text": "hello", "long text": strings.Repeat("hello ", 1000),
		"another archive": makeTar(t, "readme.txt", "hello"),
		"of the future":   makeTar(t, "errand-backup.json", `{"format": 99, "errand": "9.0"}`),
		"no JSON":         makeTar(t, "errand-backup.json", `{"format": `),
		"no end":          makeTar(t, "errand-backup.json", `{"format": 1}`),
		"unknown entry":   makeTar(t, "errand-backup.json", `{"format": 1}`, "../../etc/passwd", "root"),
		"huge head":       makeTar(t, "errand-backup.json", strings.Repeat(" ", 5<<20)),
	} {
		_, err := backup.Verify(strings.NewReader(file), "")
		require.Error(t, err, name)
		if name != "of the future" {
			require.True(t, errors.Is(err, backup.ErrNoBackup) || errors.Is(err, backup.ErrBroken), "%s: %v", name, err)
		}
	}
}

func makeTar(t *testing.T, namesAndTexts ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(namesAndTexts); i += 2 {
		text := namesAndTexts[i+1]
		require.NoError(t, w.WriteHeader(&tar.Header{Name: namesAndTexts[i], Size: int64(len(text)), Mode: 0o600}))
		_, err := io.WriteString(w, text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String()
}

// Source maps go with the database that names them. One that is gone is said.
func TestSourceMapsAreCarried(t *testing.T) {
	t.Parallel()
	from, _ := storetest.OpenShop(t)
	there, gone := store.NameBlob(strings.Repeat("a", 64), 1), store.NameBlob(strings.Repeat("b", 64), 2)
	for id, name := range []string{there, gone} {
		storetest.ChangeRows(t, from, insertSourceMap, storetest.Shop, id, fmt.Sprint("~/", id, ".js"), name, storetest.Noon)
	}
	source, copied := openBlobs(t), openBlobs(t)
	_, err := source.Put(t.Context(), store.KeyOfBlob(storetest.Shop, there), strings.NewReader("an index"), 100)
	require.NoError(t, err)
	_, target := emptyTarget(t)
	target.OpenBlobs = func(context.Context, backup.About) (blob.Store, error) { return copied, nil }

	done, err := backup.Restore(t.Context(), bytes.NewReader(writeBackup(t, backup.Source{Store: from, Blobs: source})), target, quiet)

	require.NoError(t, err)
	require.Equal(t, []string{store.KeyOfBlob(storetest.Shop, gone)}, done.End.MissingBlobs)
	object, err := copied.Open(t.Context(), store.KeyOfBlob(storetest.Shop, there))
	require.NoError(t, err)
	defer object.Close()
	text, err := io.ReadAll(io.NewSectionReader(object, 0, object.Size()))
	require.NoError(t, err)
	require.Equal(t, "an index", string(text))
}

const insertSourceMap = `
INSERT INTO source_maps (project_id, id, name, path, blob, size, uploaded_at, sources, release, debug_id, uploaded_by)
VALUES ($1, $2, $3, $3, $4, 8, $5, 1, '1.0', '', 'a test')`

func openBlobs(t *testing.T) blob.Store {
	t.Helper()
	s, err := blob.OpenStore("file://"+t.TempDir(), func(string) string { return "" })
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// A backup shows one moment, whatever is written while it is made, and no writer waits for it.
func TestOneMoment(t *testing.T) {
	t.Parallel()
	from, _ := storetest.OpenShop(t)
	fillShop(t, from)
	want := readTables(t, from)
	var file bytes.Buffer
	var added bool

	_, _, err := backup.Write(t.Context(), &file, backup.Source{Store: from}, func(string, int64, int64) {
		if !added {
			added = true
			storetest.AddEvents(t, from, storetest.MakeShopEvent("meanwhile", 1, from.Now()))
		}
	})

	require.NoError(t, err)
	to, target := emptyTarget(t)
	_, err = backup.Restore(t.Context(), &file, target, quiet)
	require.NoError(t, err)
	require.True(t, added)
	require.Equal(t, want["issues"], readTables(t, to)["issues"])
	require.Equal(t, want["events"], readTables(t, to)["events"])
}
