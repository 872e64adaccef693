package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/store"
	"errand/store/intake"
	"errand/triage"
)

// copyRows copies rows into a table: next returns one row after the other, and nil at the end.
func copyRows(ctx context.Context, db *pgx.Conn, table string, columns []string, next func() []any) error {
	_, err := db.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(func() ([]any, error) { return next(), nil }))
	return err
}

// firstActivity is the first id of the loaded activity: the rows of the projects have lower ids.
const firstActivity = 1_000_000

// rowsOfIssues returns the rows of the issues, one issue after the other.
func (d *dataset) rowsOfIssues(rows func(n int, issue *generatedIssue) [][]any) func() []any {
	n := 0
	var ready [][]any
	return func() []any {
		for len(ready) == 0 {
			if n == len(d.issues) {
				return nil
			}
			ready = rows(n, &d.issues[n])
			n++
		}
		row := ready[0]
		ready = ready[1:]
		return row
	}
}

func (d *dataset) copyIssues(ctx context.Context, db *pgx.Conn) error {
	columns := []string{
		"project_id", "id", "fingerprint", "fingerprint_version", "title", "culprit", "type", "level", "platform", "status", "status_at",
		"times_seen", "stored_events", "users_affected", "first_seen", "last_seen", "first_release", "last_release", "crash_site",
		"has_grams", "quiet",
	}
	err := copyRows(ctx, db, "issues", columns, d.rowsOfIssues(func(n int, issue *generatedIssue) [][]any {
		fingerprint := binary.BigEndian.AppendUint64(make([]byte, 24), uint64(n))
		return [][]any{{
			issue.project, int64(n + 1), fingerprint, 1, issue.title, issue.culprit, "Error", "error", "node", issue.status, issue.first,
			int64(max(1, issue.events)), int64(issue.events), issue.users, issue.first, issue.last, "shop@1.0", "shop@1.1", string(triage.App), true,
			issue.last.Before(d.now.Add(-24 * time.Hour)),
		}}
	}))
	setClasses := `UPDATE issues SET notices_class = width_bucket(stored_events, ` + intake.NoticeBounds + `)`
	for _, sql := range []string{setClasses, `VACUUM FULL issues`} {
		if err == nil {
			_, err = db.Exec(ctx, sql)
		}
	}
	return err
}

func (d *dataset) copyGrams(ctx context.Context, db *pgx.Conn) error {
	columns := []string{"project_id", "issue_id", "grams"}
	return copyThenIndex(ctx, db, "issue_grams", "issue_grams_grams", columns, d.rowsOfIssues(func(n int, issue *generatedIssue) [][]any {
		return [][]any{{issue.project, int64(n + 1), store.HashGrams(issue.project, issue.title, issue.culprit)}}
	}))
}

// copyThenIndex is copyRows for a table whose index takes ten times as long to fill row by row: it makes the index afterwards.
func copyThenIndex(ctx context.Context, db *pgx.Conn, table, index string, columns []string, next func() []any) error {
	var definition string
	if err := db.QueryRow(ctx, `SELECT pg_get_indexdef($1::text::regclass)`, index).Scan(&definition); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, `DROP INDEX `+index); err != nil {
		return err
	}
	err := copyRows(ctx, db, table, columns, next)
	if err == nil {
		_, err = db.Exec(ctx, definition)
	}
	return err
}

func (d *dataset) copyHours(ctx context.Context, db *pgx.Conn) error {
	return copyRows(ctx, db, "issue_hours", []string{"project_id", "issue_id", "hour", "events"},
		d.rowsOfIssues(func(n int, issue *generatedIssue) [][]any {
			hours := map[time.Time]int64{}
			for _, at := range d.eventTimes(n) {
				hours[at.Truncate(time.Hour)]++
			}
			var rows [][]any
			for hour, events := range hours {
				rows = append(rows, []any{issue.project, int64(n + 1), hour, events})
			}
			return rows
		}))
}

func (d *dataset) copyEnvironmentsAndReleases(ctx context.Context, db *pgx.Conn) error {
	err := copyRows(ctx, db, "issue_environments", []string{"project_id", "environment", "issue_id"},
		d.rowsOfIssues(func(n int, issue *generatedIssue) [][]any {
			return [][]any{{issue.project, []string{"production", "production", "production", "staging"}[n%4], int64(n + 1)}}
		}))
	if err != nil {
		return err
	}
	return copyRows(ctx, db, "issue_releases", []string{"project_id", "release", "issue_id"},
		d.rowsOfIssues(func(n int, issue *generatedIssue) [][]any {
			return [][]any{{issue.project, fmt.Sprintf("shop@2.%d", n%40), int64(n + 1)}}
		}))
}

func (d *dataset) copyEvents(ctx context.Context, db *pgx.Conn) error {
	const event = `{"platform":"node","message":"cannot read cart","exceptions":[{"type":"TypeError","value":"cannot read cart"}]}`
	payload := intake.PackPlain([]byte(event)).Bytes
	columns := []string{"project_id", "issue_id", "id", "received_at", "occurred_at", "event_id", "level", "release", "environment",
		"dictionary", "payload"}
	id := int64(0)
	return copyRows(ctx, db, "events", columns, d.rowsOfIssues(func(n int, issue *generatedIssue) [][]any {
		var rows [][]any
		for _, at := range d.eventTimes(n) {
			id++
			rows = append(rows, []any{issue.project, int64(n + 1), id, at, at, eventID(id), "error", "shop@1.1", "production", int64(0), payload})
		}
		return rows
	}))
}

func (d *dataset) copyEventIDs(ctx context.Context, db *pgx.Conn) error {
	id := int64(0)
	return copyRows(ctx, db, "event_ids", []string{"project_id", "event_id", "id", "issue_id", "received_at"},
		d.rowsOfIssues(func(n int, issue *generatedIssue) [][]any {
			var rows [][]any
			for _, at := range d.eventTimes(n) {
				id++
				rows = append(rows, []any{issue.project, eventID(id), id, int64(n + 1), at})
			}
			return rows
		}))
}

// eventID makes an id that is as random as an SDK's.
func eventID(id int64) (uuid [16]byte) {
	random := rand.NewPCG(seed, uint64(id))
	binary.BigEndian.PutUint64(uuid[:], random.Uint64())
	binary.BigEndian.PutUint64(uuid[8:], random.Uint64())
	return uuid
}

func (d *dataset) copyActivity(ctx context.Context, db *pgx.Conn) error {
	columns := []string{"project_id", "id", "at", "actor_type", "actor_name", "action", "target_type", "target_id"}
	return copyRows(ctx, db, "activity", columns, d.rowsOfIssues(func(n int, issue *generatedIssue) [][]any {
		return [][]any{{issue.project, int64(firstActivity + n), issue.last, "token", "agent", "issue.resolve", "issue", int64(n + 1)}}
	}))
}
