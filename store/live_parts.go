package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/pg"
)

// A live part of a page depends on who looks, on rows, and on times that pass by themselves. The versions of rows are xmin: the
// transaction that wrote them. What time changes in another way, such as a rate in the triage, waits for the next half hour at most.
const (
	livePerson = `
	concat_ws(' ', u.id, u.xmin, date_bin('30 minutes', @now, 'epoch'), (
		SELECT string_agg(concat(m.team_id, m.role, a.project_id), ',' ORDER BY m.team_id, a.project_id)
		FROM team_members m LEFT JOIN team_projects a ON a.team_id = m.team_id WHERE m.user_id = u.id
	)) AS person`
	fromLivePerson = `
FROM sessions s JOIN users u ON u.id = s.user_id AND u.session_generation = s.generation AND u.disabled_at IS NULL
WHERE s.hash = @hash AND s.expires_at > @until`

	// findLiveIssue is the version of an issue, its fix and its activity. An issue that is unknown has none.
	findLiveIssue = `
SELECT` + livePerson + `, (
	SELECT concat_ws(' ', i.xmin, p.xmin, c.xmin, f.xmin, i.claim_expires_at > @now, s.client_seen_at > @client_since, (
		SELECT count(*) FROM activity
		WHERE project_id = i.project_id AND target_type = 'issue' AND target_id = i.id
	), (
		SELECT string_agg(concat(id, status, expires_at > @now), ',' ORDER BY id) FROM approvals
		WHERE project_id = i.project_id AND issue_id = i.id
	))
	FROM issues i
	JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
	LEFT JOIN project_seen s ON s.project_id = i.project_id
	LEFT JOIN triage_corrections c ON c.project_id = i.project_id AND c.issue_id = i.id
	LEFT JOIN fixes f ON f.project_id = i.project_id AND f.id = i.fix_id
	WHERE i.id = @issue_id
) AS content` + fromLivePerson

	// findLiveIssues is the version of all issues: of the latest change, and of what says that events came in.
	findLiveIssues = `
SELECT` + livePerson + `, (
	SELECT concat_ws(' ', date_trunc('hour', @now::timestamptz AT TIME ZONE 'UTC'), (
		SELECT sum(hashtextextended(s.xmin::text, s.project_id)) FROM project_seen s
	), (
		SELECT sum(hashtextextended(p.xmin::text, p.id)) FROM projects p
	), (
		SELECT max(last_event_at) > @idle_since FROM project_seen
	), (
		SELECT at > @degraded_since FROM install_times WHERE name = @refused
	), (
		SELECT concat(at, id) FROM activity ORDER BY at DESC, id DESC LIMIT 1
	))
) AS content` + fromLivePerson
)

// FindLiveVersion returns a text that is another one after each change that a live part of a page can show to whom a session signs in:
// a part of an issue, or (0) of the list of issues. It is empty when nothing can be said: the session is unknown, begun by an older
// server, or ends before the time until, or the issue is unknown. It is one statement, because open pages ask all the time.
func (s *Store) FindLiveVersion(ctx context.Context, hash []byte, until time.Time, issue int64) (string, error) {
	now := s.Now()
	sql, args := findLiveIssue, pg.Args{"hash": hash, "now": now, "until": until, "issue_id": issue, "client_since": core.ClientSince(now)}
	if issue == 0 {
		sql = findLiveIssues
		args = pg.Args{
			"hash": hash, "now": now, "until": until, "refused": ingestRefused,
			"idle_since": now.Add(-idleAfter), "degraded_since": now.Add(-degradedFor),
		}
	}
	row, err := pg.QueryOne[struct {
		Person  string
		Content *string
	}](ctx, s.db.Main, sql, args)
	if core.HasCode(err, core.NotFound) || err == nil && row.Content == nil {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return row.Person + " " + *row.Content, nil
}
