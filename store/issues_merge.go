package store

import (
	"context"
	"fmt"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

// mergeIssues makes the merge and returns the new state of the target.
func (m *merge) mergeIssues(ctx context.Context, actor core.Actor) (core.Issue, error) {
	if err := m.checkLocked(ctx); err != nil {
		return core.Issue{}, err
	}
	issues, err := m.lockIssues(ctx)
	if err != nil {
		return core.Issue{}, err
	}
	if err := m.tellStandings(ctx, actor, m.project, append([]int64{m.target}, m.sources...)...); err != nil {
		return core.Issue{}, err
	}
	if err := m.moveRows(ctx, issues); err != nil {
		return core.Issue{}, err
	}
	if err := m.recordMerge(ctx, actor, issues); err != nil {
		return core.Issue{}, err
	}
	if err := m.renewClaim(ctx, actor, m.project, m.target); err != nil {
		return core.Issue{}, err
	}
	row, err := readIssue(ctx, m.store.db, m, m.project, m.target, m.Now)
	return row.toIssue(m.Now), err
}

// checkLocked refuses an impossible merge. No other merge or split of the project happens until the transaction ends.
func (m *merge) checkLocked(ctx context.Context) error {
	if err := m.lockGrouping(ctx, m.project); err != nil {
		return err
	}
	return m.checkSources(ctx)
}

// mergeData is the data of a merge in the activity, and the payload of a request for one.
type mergeData struct {
	SourceIDs []int64 `json:"source_ids"`
}

// mergedData is the data of a merge in the activity of a source.
type mergedData struct {
	TargetID int64 `json:"target_id"`
}

// merge is a merge in its transaction.
type merge struct {
	*tx
	project, target int64
	sources         []int64 // sorted, each once
}

const selectIssuesToMerge = `
SELECT i.id, i.project_id, coalesce(i.merged_into, 0) AS merged_into
FROM issues i JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
WHERE i.id = ANY (@ids) AND (@visible::bigint[] IS NULL OR i.project_id = ANY (@visible))`

// checkSources refuses sources that cannot be merged, with a detail for each broken rule.
func (m *merge) checkSources(ctx context.Context) error {
	type place struct{ ID, ProjectID, MergedInto int64 }
	rows, err := pg.QueryMany[place](ctx, m, selectIssuesToMerge,
		pg.Args{"ids": append([]int64{m.target}, m.sources...), "visible": core.ReachOf(ctx).Visible()})
	if err != nil {
		return err
	}
	issues := map[int64]place{}
	for _, r := range rows {
		issues[r.ID] = r
	}
	var self, unknown, foreign, merged, ended []string
	if into := issues[m.target].MergedInto; into != 0 {
		ended = append(ended, fmt.Sprint(into))
	}
	for _, id := range m.sources {
		i, known := issues[id]
		name := fmt.Sprint(id)
		switch {
		case id == m.target:
			self = append(self, name)
		case !known:
			unknown = append(unknown, name)
		case i.ProjectID != m.project:
			foreign = append(foreign, name)
		case i.MergedInto != 0:
			merged = append(merged, fmt.Sprintf("%d (into %d)", id, i.MergedInto))
		}
	}
	return refuseBroken("source_ids",
		brokenRule{"cannot be merged into an issue that is itself merged; the issue that has its events", ended},
		brokenRule{"must not name the target", self},
		brokenRule{"must name issues that exist; unknown", unknown},
		brokenRule{"must name issues of the target's project; of another", foreign},
		brokenRule{"must name issues that are not merged; already merged", merged},
	)
}

// lockMerge locks all issues that the merge writes to, in the order of AddEvents, including those that were merged into a source earlier.
const lockMerge = `
SELECT i.id, i.status, i.times_seen, i.stored_events, i.users_affected,
	i.first_seen, i.last_seen, i.level, i.first_release, i.first_release_at, i.last_release, i.last_release_at, i.claim_expires_at
FROM issues i WHERE i.project_id = @project_id AND (i.id = @to OR i.id = ANY (@from) OR i.merged_into = ANY (@from))
ORDER BY i.project_id, i.id FOR UPDATE OF i`

const (
	mergeFingerprints = `UPDATE issue_fingerprints SET issue_id = @to WHERE project_id = @project_id AND issue_id = ANY (@from)`
	mergeHours        = `
INSERT INTO issue_hours (project_id, issue_id, hour, events, fives)
SELECT project_id, @to, hour, sum(events), CASE WHEN min(fives) = 0 THEN 0 ELSE bit_or(fives) END FROM issue_hours
WHERE project_id = @project_id AND issue_id = ANY (@from)
GROUP BY project_id, hour
ON CONFLICT (project_id, issue_id, hour) DO UPDATE SET
	events = issue_hours.events + excluded.events,
	fives = CASE WHEN 0 IN (issue_hours.fives, excluded.fives) THEN 0 ELSE issue_hours.fives | excluded.fives END`
	// mergeUsers moves the users that the target does not have, up to the limit of counting.
	mergeUsers = `
INSERT INTO issue_users (project_id, issue_id, user_hash)
SELECT DISTINCT m.project_id, @to::bigint, m.user_hash FROM issue_users m
WHERE m.project_id = @project_id AND m.issue_id = ANY (@from) AND NOT EXISTS (
	SELECT 1 FROM issue_users u WHERE u.project_id = @project_id AND u.issue_id = @to AND u.user_hash = m.user_hash)
LIMIT @room`
	mergeEnvironments = `
INSERT INTO issue_environments (project_id, environment, issue_id)
SELECT DISTINCT project_id, environment, @to::bigint FROM issue_environments
WHERE project_id = @project_id AND issue_id = ANY (@from)
ON CONFLICT DO NOTHING`
	mergeReleases = `
INSERT INTO issue_releases (project_id, release, issue_id)
SELECT DISTINCT project_id, release, @to::bigint FROM issue_releases
WHERE project_id = @project_id AND issue_id = ANY (@from)
ON CONFLICT DO NOTHING`

	mergeEvents = `
UPDATE events SET issue_id = @to WHERE project_id = @project_id AND issue_id = ANY (@from) RETURNING event_id`
	flattenMerges = `UPDATE issues SET merged_into = @to WHERE project_id = @project_id AND merged_into = ANY (@from)`
	endSources    = `
UPDATE issues SET status = 'merged', status_at = @now, merged_into = @to, times_seen = 0, stored_events = 0, notices_class = 0,
	users_affected = 0, latest_event_id = NULL, claim_type = '', claim_token_id = 0, claim_holder = '', claim_worker = '',
	claim_minutes = 0, claim_expires_at = NULL
WHERE project_id = @project_id AND id = ANY (@from)`
	fillTarget = `
UPDATE issues SET times_seen = @times_seen, stored_events = @stored_events, users_affected = @users_affected,
	notices_class = width_bucket(@stored_events::bigint, ` + intake.NoticeBounds + `),
	was_split = was_split OR EXISTS (SELECT 1 FROM issues s WHERE s.project_id = @project_id AND s.merged_into = @id AND s.was_split),
	first_seen_lowered_at = @now, latest_event_id = (
		SELECT e.id FROM events e WHERE e.project_id = @project_id AND e.issue_id = @id ORDER BY e.received_at DESC, e.id DESC LIMIT 1),
	first_seen = @first_seen, last_seen = @last_seen, level = @level,
	first_release = @first_release, first_release_at = @first_release_at, last_release = @last_release, last_release_at = @last_release_at
WHERE project_id = @project_id AND id = @id`
)

// issueCounts are the counts of an issue.
type issueCounts struct {
	ID            int64
	Status        core.Status
	TimesSeen     int64
	StoredEvents  int64
	UsersAffected int64
	intake.Span
}

// mergedIssue is the previous state of an issue that a merge writes to.
type mergedIssue struct {
	issueCounts
	ClaimExpiresAt core.Time
}

// lockIssues locks the issues and returns the target and the sources.
func (m *merge) lockIssues(ctx context.Context) (map[int64]mergedIssue, error) {
	rows, err := pg.QueryMany[mergedIssue](ctx, m, lockMerge, m.moveArgs(nil))
	if err != nil {
		return nil, err
	}
	issues := map[int64]mergedIssue{}
	for _, r := range rows {
		if r.ID == m.target || r.Status != core.Merged {
			issues[r.ID] = r
		}
	}
	if _, found := issues[m.target]; !found {
		return nil, core.NewError(core.NotFound)
	}
	return issues, nil
}

// recordMerge records the result of the merge in the activity of each issue. An open source reopens a resolved target, as a
// new event would; an ignored target stays ignored (decisions 5).
func (m *merge) recordMerge(ctx context.Context, actor core.Actor, issues map[int64]mergedIssue) error {
	err := m.recordOfIssue(ctx, actor, m.project, m.target, core.ActionIssueMerge, mergeData{m.sources})
	if err != nil {
		return err
	}
	open := false
	for _, id := range m.sources {
		source := issues[id]
		open = open || source.Status == core.Unresolved || source.Status == core.Regressed
		if source.ClaimExpiresAt.After(m.Now.Time) {
			if err := m.recordOfIssue(ctx, actor, m.project, id, core.ActionIssueRelease, nil); err != nil {
				return err
			}
		}
		if err := m.recordOfIssue(ctx, actor, m.project, id, core.ActionIssueMerge, mergedData{m.target}); err != nil {
			return err
		}
	}
	if open && issues[m.target].Status == core.Resolved {
		return intake.ReopenIssue(ctx, m.store.db, m.Tx, m.project, m.target)
	}
	return nil
}

// sumCounts returns the counts that the target will have, without its users.
func (m *merge) sumCounts(issues map[int64]mergedIssue) issueCounts {
	total := issues[m.target].issueCounts
	for _, id := range m.sources {
		source := issues[id]
		total.TimesSeen += source.TimesSeen
		total.StoredEvents += source.StoredEvents
		total.IncludeSpan(source.Span)
	}
	return total
}

// moveRows moves everything. Once the issues are locked nobody else writes to their rows in other tables.
func (m *merge) moveRows(ctx context.Context, issues map[int64]mergedIssue) error {
	total := m.sumCounts(issues)
	for _, source := range m.sources {
		if err := m.closeFix(ctx, m.project, source); err != nil {
			return err
		}
	}
	for _, sql := range []string{mergeFingerprints, mergeHours, mergeEnvironments, mergeReleases, flattenMerges} {
		if _, err := pg.Exec(ctx, m, sql, m.moveArgs(nil)); err != nil {
			return err
		}
	}
	users, err := pg.Exec(ctx, m, mergeUsers, m.moveArgs(pg.Args{"room": intake.MaxUsers - total.UsersAffected}))
	if err != nil {
		return err
	}
	for _, table := range []string{"issue_hours", "issue_users", "issue_environments", "issue_releases"} { // the target has them now
		sql := fmt.Sprintf(`DELETE FROM %s WHERE project_id = @project_id AND issue_id = ANY (@from)`, table)
		if _, err := pg.Exec(ctx, m, sql, pg.Args{"project_id": m.project, "from": m.sources}); err != nil {
			return err
		}
	}
	// Deleting is cheaper than moving, so surplus events go first.
	trimmed, err := m.store.Intake.TrimEvents(ctx, m.Tx, m.project, append([]int64{m.target}, m.sources...), total.StoredEvents)
	if err != nil {
		return err
	}
	events, err := pg.QueryMany[intake.EventID](ctx, m, mergeEvents, m.moveArgs(nil))
	if err != nil {
		return err
	}
	if err := intake.MoveEventIDs(ctx, m.Tx, m.project, m.target, events); err != nil {
		return err
	}
	if _, err := pg.Exec(ctx, m, endSources, m.moveArgs(pg.Args{"now": m.Now})); err != nil {
		return err
	}
	_, err = pg.Exec(ctx, m, fillTarget, total.Args(pg.Args{
		"project_id": m.project, "id": m.target, "now": m.Now,
		"times_seen": total.TimesSeen, "stored_events": total.StoredEvents - trimmed, "users_affected": total.UsersAffected + users,
	}))
	return err
}

// moveArgs returns the arguments that all statements of a move share, added to more.
func (m *merge) moveArgs(more pg.Args) pg.Args {
	a := pg.Args{"project_id": m.project, "from": m.sources, "to": m.target}
	for name, value := range more {
		a[name] = value
	}
	return a
}
