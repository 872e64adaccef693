package main

import (
	"context"
	"fmt"

	"errand/bench/load"
)

// copyStatements make n-1 copies of a project's rows, with new ids and keys. The copies represent issues and events that receive
// nothing.
var copyStatements = []string{`
INSERT INTO issues (project_id, id, fingerprint, fingerprint_version, title, culprit, type, level, platform, status, status_at,
	times_seen, stored_events, users_affected, first_seen, last_seen, first_release, last_release, latest_event_id)
SELECT project_id, id + n * 1000000000, sha256(fingerprint || n::text::bytea), fingerprint_version, title, culprit, type, level, platform,
	status, status_at, times_seen, stored_events, users_affected, first_seen, last_seen, first_release, last_release, latest_event_id
FROM issues, generate_series(1, $2::bigint - 1) n WHERE project_id = $1`, `
INSERT INTO issue_fingerprints (project_id, version, fingerprint, issue_id)
SELECT project_id, version, sha256(fingerprint || n::text::bytea), issue_id + n * 1000000000
FROM issue_fingerprints, generate_series(1, $2::bigint - 1) n WHERE project_id = $1`, `
INSERT INTO issue_hours (project_id, issue_id, hour, events)
SELECT project_id, issue_id + n * 1000000000, hour, events FROM issue_hours, generate_series(1, $2::bigint - 1) n WHERE project_id = $1`, `
INSERT INTO issue_users (project_id, issue_id, user_hash)
SELECT project_id, issue_id + n * 1000000000, user_hash FROM issue_users, generate_series(1, $2::bigint - 1) n WHERE project_id = $1`, `
INSERT INTO event_ids (project_id, event_id, id, issue_id, received_at)
SELECT project_id, md5(event_id::text || n)::uuid, id + n * 1000000000, issue_id + n * 1000000000, received_at
FROM event_ids, generate_series(1, $2::bigint - 1) n WHERE project_id = $1`, `
INSERT INTO events (project_id, event_id, id, issue_id, received_at, occurred_at, level, release, environment, dictionary, payload)
SELECT project_id, md5(event_id::text || n)::uuid, id + n * 1000000000, issue_id + n * 1000000000, received_at, occurred_at, level,
	release, environment, dictionary, payload
FROM events, generate_series(1, $2::bigint - 1) n WHERE project_id = $1`}

// growProject makes a project n times as large, and adds a thousand projects to the installation.
func (s *server) growProject(ctx context.Context, project int64, n int) error {
	for _, sql := range copyStatements {
		if _, err := s.DB.Exec(ctx, sql, project, n); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	for i := range 1000 {
		if _, err := s.makeProject(ctx, scenario{name: fmt.Sprint("one of many ", i)}); err != nil {
			return err
		}
	}
	return load.SettleTables(ctx, s.Server)
}
