package store

import (
	"context"
	"slices"
	"time"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
	"errand/store/watch"
)

// keepChangedPullRequests is how long the time of a pull request's last change is kept. Reports are sent again for a few days.
const keepChangedPullRequests = 90 * 24 * time.Hour

const (
	putChangedPullRequest = `
INSERT INTO changed_pull_requests (project_id, url, changed_at, heard_at) VALUES (@project_id, @url, @changed_at, @now)
ON CONFLICT (project_id, url) DO UPDATE SET
	changed_at = greatest(changed_pull_requests.changed_at, excluded.changed_at), heard_at = excluded.heard_at
RETURNING changed_at > @changed_at AS is_late`
	dropChangedPullRequests = `
DELETE FROM changed_pull_requests WHERE heard_at < @before AND (project_id, url) IN (
	SELECT project_id, url FROM changed_pull_requests WHERE heard_at < @before LIMIT @chunk)`
)

// isLate reports whether the pull request has changed again since the state in the report. News of a merge is never late.
func (c scmChange) isLate(ctx context.Context, d RepositoryChange) (bool, error) {
	if d.PullRequest == "" || d.ChangedAt.IsZero() {
		return false, nil
	}
	row, err := pg.QueryOne[struct{ IsLate bool }](ctx, c, putChangedPullRequest, pg.Args{
		"project_id": c.project, "url": d.PullRequest, "changed_at": d.ChangedAt, "now": c.Now,
	})
	return row.IsLate && len(d.Merges) == 0, err
}

const (
	// The fixes by the pull request, or by commits of its branch. Without merged pull requests: their fixes wait for a deploy, even if
	// they were closed, as happens after a merge by hand.
	waitingForPullRequest = `
SELECT ` + watch.Columns + `, f.linked_by_type = 'system' AND f.linked_by = 'scm' AS is_hooked
FROM fixes f
JOIN issues i ON i.project_id = f.project_id AND i.id = f.issue_id AND i.fix_id = f.id AND i.status = 'fix_pending'
WHERE f.project_id = @project_id AND f.deployed_at IS NULL AND f.closed_at IS NULL
	AND (f.ref = @url OR f.branch <> '' AND f.branch = @branch AND f.merge_commit = '')
	AND NOT EXISTS (SELECT 1 FROM merged_pull_requests m WHERE m.project_id = @project_id AND m.url = @url)
ORDER BY i.id FOR UPDATE OF i`
	// Those of them that another fix has replaced.
	giveReplacedBack = `
UPDATE fixes SET given_back = true
WHERE project_id = @project_id AND (ref = @url OR branch <> '' AND branch = @branch AND merge_commit = '')
	AND linked_by_type = 'system' AND linked_by = 'scm' AND deployed_at IS NULL AND closed_at IS NOT NULL AND outcome IS NULL
	AND NOT EXISTS (SELECT 1 FROM merged_pull_requests m WHERE m.project_id = @project_id AND m.url = @url)`
)

// endLinks gives back the fixes that this webhook linked to a pull request, when it no longer names the issue or was closed without
// being merged. A closed pull request gives back the commits of its branch, too. A fix linked by a call stays, and a note says that
// the pull request was closed (decisions 6).
func (c scmChange) endLinks(ctx context.Context, d RepositoryChange) error {
	if !d.IsClosed && !d.IsEdited {
		return nil
	}
	a := pg.Args{"project_id": c.project, "url": d.PullRequest, "branch": ""}
	if d.IsClosed { // an edit does not change what the commits name
		a["branch"] = d.Branch
		if _, err := pg.Exec(ctx, c, giveReplacedBack, a); err != nil { // first, so that none of them is restored
			return err
		}
	}
	waiting, err := pg.QueryMany[endedFix](ctx, c, waitingForPullRequest, a)
	if err != nil {
		return err
	}
	for _, fix := range waiting {
		switch {
		case d.IsClosed && fix.Kind == core.FixByCommit:
			err = c.giveBack(ctx, fix.Fix, "the pull request of its branch was closed without being merged")
		case fix.IsHooked && d.IsClosed:
			err = c.giveBack(ctx, fix.Fix, "it was closed without being merged")
		case fix.IsHooked && !slices.Contains(d.Named, fix.IssueID):
			err = c.giveBack(ctx, fix.Fix, "it does not name the issue any more")
		case !fix.IsHooked && d.IsClosed:
			err = c.noteEnd(ctx, fix.Fix, "The pull request "+fix.Ref+" was closed without being merged. It is still linked as the fix.")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// endedFix is a fix that waits for a deploy that will not come.
type endedFix struct {
	watch.Fix
	IsHooked bool // this webhook linked it
}

// noteEnd writes a note to an issue that keeps its fix.
func (c scmChange) noteEnd(ctx context.Context, fix watch.Fix, text string) error {
	c.outcome.Noted = append(c.outcome.Noted, fix.IssueID)
	return c.recordOfIssue(ctx, c.actor, c.project, fix.IssueID, core.ActionIssueNote, noteData{text})
}

func (c scmChange) giveBack(ctx context.Context, fix watch.Fix, reason string) error {
	_, err := c.changeIssue(ctx, c.actor, c.project, fix.IssueID, func(change *issueChange) error {
		return change.giveBackFix(ctx, fix, reason)
	})
	c.outcome.GivenBack = append(c.outcome.GivenBack, fix.IssueID)
	return err
}

const (
	setGivenBack = `UPDATE fixes SET given_back = true, closed_at = @now WHERE project_id = @project_id AND id = @id`
	// The status of the issue before the fix; if the fix replaced another that was given back too, the status before that
	// one. A resolved issue with an event since then becomes unresolved, because the event would have reopened it.
	findBefore = `
WITH RECURSIVE before AS (
	SELECT f.id, f.status_before, f.replaced_fix_id, f.linked_at FROM fixes f WHERE f.project_id = @project_id AND f.id = @id
	UNION ALL
	SELECT r.id, r.status_before, r.replaced_fix_id, r.linked_at
	FROM before b JOIN fixes r ON r.project_id = @project_id AND r.id = b.replaced_fix_id AND r.given_back
)
SELECT CASE WHEN b.status_before = 'resolved' AND i.last_seen > b.linked_at THEN 'unresolved' ELSE b.status_before END AS status,
	coalesce(b.replaced_fix_id, 0) AS fix_id
FROM before b JOIN issues i ON i.project_id = @project_id AND i.id = @issue_id
ORDER BY b.id LIMIT 1`
	reopenFix = `
UPDATE fixes f SET closed_at = NULL, merge_commit = coalesce(
	(SELECT m.commit FROM merged_pull_requests m WHERE m.project_id = @project_id AND m.url = f.ref), f.merge_commit)
WHERE f.project_id = @project_id AND f.id = @id`
	setIssueFixBack = `
UPDATE issues i SET fix_id = f.id, fix_deployed_at = f.deployed_at FROM fixes f
WHERE i.project_id = @project_id AND i.id = @issue_id AND f.project_id = i.project_id AND f.id = @id`
)

// giveBackFix closes a fix that the webhook linked, and returns the issue to its state before.
func (c *issueChange) giveBackFix(ctx context.Context, fix watch.Fix, reason string) error {
	a := pg.Args{"project_id": c.project, "id": fix.ID, "now": c.Now}
	if _, err := pg.Exec(ctx, c, setGivenBack, a); err != nil {
		return err
	}
	before, err := pg.QueryOne[struct {
		Status core.Status
		FixID  int64
	}](ctx, c, findBefore, pg.Args{"project_id": c.project, "id": fix.ID, "issue_id": c.id})
	if err != nil {
		return err
	}
	action, isByHand := statusActions[before.Status]
	switch {
	case isByHand:
	case before.FixID == 0: // an older server linked it
		before.Status, action = core.Unresolved, core.ActionIssueUnresolve
	default:
		action = core.ActionIssueFix
	}
	a = pg.Args{"status": string(before.Status), "now": c.Now, "project_id": c.project, "id": c.id}
	if _, err := pg.Exec(ctx, c, setStatus, a); err != nil {
		return err
	}
	data := givenBackData{fix.Kind, fix.Ref, activity.FromTo{From: c.before.Status, To: before.Status}, reason}
	if _, err := c.recordChange(ctx, action, data); err != nil || action != core.ActionIssueFix {
		return err
	}
	return c.restoreFix(ctx, before.FixID, before.Status)
}

// restoreFix makes a replaced fix the fix of the issue again. The issue has the status now. A deploy may have brought the
// fix since it was replaced, and the error may have returned while its events only counted.
func (c *issueChange) restoreFix(ctx context.Context, id int64, status core.Status) error {
	a := pg.Args{"project_id": c.project, "id": id}
	if _, err := pg.Exec(ctx, c, reopenFix, a); err != nil {
		return err
	}
	a["issue_id"] = c.id
	if _, err := pg.Exec(ctx, c, setIssueFixBack, a); err != nil {
		return err
	}
	fix, err := watch.ReadFix(ctx, c, c.project, id)
	if err != nil {
		return err
	}
	if fix.DeployedAt.IsZero() {
		if err := c.deployIfContained(ctx, c.actor, fix); err != nil {
			return err
		}
		if fix, err = watch.ReadFix(ctx, c, c.project, id); err != nil {
			return err
		}
	}
	if fix.DeployedAt.IsZero() || !fix.RegressedAt.IsZero() {
		return nil
	}
	returned, err := c.findStoredReturn(ctx, fix)
	if err != nil || returned == nil {
		return err
	}
	return fix.Regress(ctx, c.store.db, c.Tx, status, returned.Release)
}

// givenBackData is the data of a fix that was given back in the activity of its issue.
type givenBackData struct {
	Kind core.FixKind `json:"kind"`
	Ref  string       `json:"ref"`
	activity.FromTo
	Reason string `json:"reason"`
}
