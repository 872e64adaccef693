package store

import (
	"context"
	"fmt"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

// expireAtOnce bounds the issues of one deletion, so that no transaction is long: an issue has up to 1,000 users and an hour
// of its chart for each of its days.
const expireAtOnce = 200

// lockExpired finds issues in the order of their last event. stored_events is exact, but a mistake would make events unreadable,
// so the statement also looks for the events themselves. The target of a merge waits until its sources are deleted. The
// subqueries have limits, so that Postgres runs them for one issue after the other: as joins they could read whole tables.
const lockExpired = `
SELECT i.id, i.listed_from FROM issues i
WHERE i.project_id = @project_id AND i.listed_from < @before
	AND (i.listed_from, i.id) > (coalesce(@after::timestamptz, '-infinity'), @after_id)
	AND i.last_seen < @before AND i.status_at < @before AND i.stored_events = 0
	AND i.status <> 'fix_pending' AND (i.claim_expires_at IS NULL OR i.claim_expires_at < @now)
	AND (SELECT true FROM issues m WHERE m.project_id = @project_id AND m.merged_into = i.id LIMIT 1) IS NULL
	AND (SELECT true FROM approvals p WHERE p.project_id = @project_id AND p.issue_id = i.id AND p.status = 'pending' LIMIT 1) IS NULL
	AND (SELECT true FROM activity a WHERE a.project_id = @project_id AND a.target_type = 'issue' AND a.target_id = i.id AND a.at >= @before
		LIMIT 1) IS NULL
	AND (SELECT true FROM events e WHERE e.project_id = @project_id AND e.issue_id = i.id LIMIT 1) IS NULL
ORDER BY i.listed_from, i.id LIMIT @limit FOR UPDATE OF i SKIP LOCKED`

// issueTables are the tables whose rows end with their issue. The fingerprints are first: without them the next event of the
// same error makes a new issue.
var issueTables = []string{
	"issue_fingerprints", "issue_features", "issue_grams", "issue_hours", "issue_users", "issue_environments", "issue_releases",
	"issue_tags", "triage_corrections", "fixes", "scm_issues",
}

const (
	deleteIssueActivity = `DELETE FROM activity WHERE project_id = @project_id AND target_type = 'issue' AND target_id = ANY (@ids)`
	deleteIssues        = `DELETE FROM issues WHERE project_id = @project_id AND id = ANY (@ids)`
)

// DropIssues deletes issues without stored events whose last event, change and note are older than the given number of days,
// with all that belongs to them. Claimed issues, and those that wait for a fix or for an approval, stay. It returns how many it
// deleted, even together with an error. 0 days means never.
func (s *Store) DropIssues(ctx context.Context, days int) (dropped int, err error) {
	if days == 0 {
		return 0, nil
	}
	before := core.At(s.Now().AddDate(0, 0, -days))
	err = s.Intake.EachProject(ctx, func(ctx context.Context, project int64) error {
		n, err := s.dropIssuesOf(ctx, project, before)
		dropped += n
		return err
	})
	return dropped, err
}

// expiredIssue is an issue to delete, with its place in the order of deletion.
type expiredIssue struct {
	ID         int64
	ListedFrom core.Time
}

func (s *Store) dropIssuesOf(ctx context.Context, project int64, before core.Time) (dropped int, err error) {
	var last expiredIssue
	for {
		var expired []expiredIssue
		err := s.inTx(ctx, func(t *tx) (err error) {
			if err := intake.ShareProject(ctx, t.Tx, project); err != nil { // no merge or split meanwhile
				return err
			}
			expired, err = pg.QueryMany[expiredIssue](ctx, t, lockExpired, pg.Args{
				"project_id": project, "before": before, "after": last.ListedFrom, "after_id": last.ID, "now": t.Now, "limit": expireAtOnce,
			})
			if err != nil || len(expired) == 0 {
				return err
			}
			return t.deleteIssues(ctx, project, expired)
		})
		if core.HasCode(err, core.ProjectNotFound) { // deleted meanwhile
			return dropped, nil
		}
		if err != nil || len(expired) == 0 {
			return dropped, err
		}
		dropped += len(expired)
		last = expired[len(expired)-1]
	}
}

func (t *tx) deleteIssues(ctx context.Context, project int64, issues []expiredIssue) error {
	ids := make([]int64, len(issues))
	for i, issue := range issues {
		ids[i] = issue.ID
	}
	of := pg.Args{"project_id": project, "ids": ids}
	for _, table := range issueTables {
		sql := fmt.Sprintf(`DELETE FROM %s WHERE project_id = @project_id AND issue_id = ANY (@ids)`, table)
		if _, err := pg.Exec(ctx, t, sql, of); err != nil {
			return err
		}
	}
	if _, err := pg.Exec(ctx, t, deleteIssueActivity, of); err != nil {
		return err
	}
	_, err := pg.Exec(ctx, t, deleteIssues, of)
	*t.reorders = true
	return err
}
