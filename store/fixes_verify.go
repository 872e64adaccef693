package store

import (
	"context"
	"fmt"
	"time"

	"errand/core"
	"errand/fixes"
	"errand/store/activity"
	"errand/store/pg"
	"errand/store/watch"
)

// verifyChunk is how many fixes one query reads.
const verifyChunk = 100

// skewOfEvents is how far before its own time an event can arrive: clocks of clients are at most a minute ahead.
const skewOfEvents = 2 * time.Minute

const (
	dueFixes = `
SELECT f.project_id, f.id, f.issue_id, f.verify_after
FROM fixes f
JOIN projects p ON p.id = f.project_id AND p.deleted_at IS NULL
LEFT JOIN project_seen s ON s.project_id = f.project_id
WHERE f.deployed_at IS NOT NULL AND f.outcome IS NULL AND f.closed_at IS NULL
	AND f.verify_after <= @now
	AND (f.verify_by <= @now OR greatest(s.alive_at, s.last_event_at) > f.deployed_at)
	AND (f.verify_after, f.id) > (@after_at, @after_id)
ORDER BY f.verify_after, f.id LIMIT @rows`
	lockFixedIssue = `
SELECT greatest(s.alive_at, s.last_event_at) AS alive_at
FROM issues i
JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
LEFT JOIN project_seen s ON s.project_id = i.project_id
WHERE i.project_id = @project_id AND i.id = @issue_id AND i.fix_id = @id AND i.status = 'fix_pending' FOR UPDATE OF i`
	// The last event of each release and environment is enough: an earlier one is a return only if the last one is.
	eventsSinceDeploy = `
SELECT release, environment, max(occurred_at) AS at FROM events
WHERE project_id = @project_id AND issue_id = @issue_id AND received_at > @received_after AND occurred_at > @deployed_at
GROUP BY release, environment ORDER BY at`
	setFixVerified = `
UPDATE fixes SET outcome = 'verified', outcome_at = @now, verified_at = @now WHERE project_id = @project_id AND id = @id`
	setVerified = `UPDATE issues SET status = 'verified', status_at = @now WHERE project_id = @project_id AND id = @id`
)

// dueFix is a fix whose window has ended.
type dueFix struct {
	ProjectID   int64
	ID          int64
	IssueID     int64
	VerifyAfter core.Time
}

func (f dueFix) String() string {
	return fmt.Sprintf("fix %d of issue %d", f.ID, f.IssueID)
}

// VerifyFixes marks the fixes as verified whose error stayed away for its window, in projects that show a sign of life
// (decisions 6). Each fix is one transaction, so the job can be interrupted anywhere, and several servers may run it at the same time.
func (s *Store) VerifyFixes(ctx context.Context) error {
	last := dueFix{VerifyAfter: core.At(time.Unix(0, 0))}
	return decideEachFix(ctx, func(ctx context.Context) ([]dueFix, error) {
		due, err := pg.QueryMany[dueFix](ctx, s.db.Main, dueFixes, pg.Args{
			"now": s.Now(), "after_at": last.VerifyAfter, "after_id": last.ID, "rows": verifyChunk,
		})
		if len(due) > 0 {
			last = due[len(due)-1]
		}
		return due, err
	}, func(ctx context.Context, fix dueFix) error {
		return s.inTx(ctx, func(t *tx) error { return t.verifyFix(ctx, fix) })
	})
}

// verifyFix decides about a fix once its issue is locked: by now the error may have returned, or the fix may be closed.
func (t *tx) verifyFix(ctx context.Context, due dueFix) error {
	issue, err := pg.QueryOne[struct{ AliveAt core.Time }](ctx, t, lockFixedIssue,
		pg.Args{
			"project_id": due.ProjectID, "issue_id": due.IssueID, "id": due.ID,
		})
	if core.HasCode(err, core.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	fix, err := watch.ReadFix(ctx, t, due.ProjectID, due.ID)
	if err != nil {
		return err
	}
	if !fix.Watch().IsVerified(t.Now.Time, issue.AliveAt.Time) {
		return nil
	}
	returned, err := t.findStoredReturn(ctx, fix)
	if err != nil {
		return err
	}
	if returned != nil {
		return fix.Regress(ctx, t.store.db, t.Tx, core.FixPending, returned.Release)
	}
	return t.setVerified(ctx, fix)
}

// findStoredReturn looks for a return among the stored events; for a verified fix, among the events since. When an event is
// added, it may not be known that its release contains the fix: the deploy is reported later, or the fix is linked later.
func (t *tx) findStoredReturn(ctx context.Context, fix watch.Fix) (*fixes.Event, error) {
	receivedAfter := fix.DeployedAt.Add(-skewOfEvents)
	if fix.VerifiedAt.After(receivedAfter) {
		receivedAfter = fix.VerifiedAt.Time
	}
	rows, err := pg.QueryMany[struct {
		Release     string
		Environment string
		At          core.Time
	}](ctx, t, eventsSinceDeploy, pg.Args{
		"project_id": fix.ProjectID, "issue_id": fix.IssueID, "deployed_at": fix.DeployedAt, "received_after": receivedAfter,
	})
	if err != nil {
		return nil, err
	}
	events := make([]fixes.Event, len(rows))
	for i, r := range rows {
		events[i] = fixes.Event{At: r.At.Time, Release: r.Release, Environment: r.Environment}
	}
	returned, _, err := fix.FindReturn(ctx, t, events)
	return returned, err
}

func (t *tx) setVerified(ctx context.Context, fix watch.Fix) error {
	if _, err := pg.Exec(ctx, t, setFixVerified, pg.Args{"project_id": fix.ProjectID, "id": fix.ID, "now": t.Now}); err != nil {
		return err
	}
	if _, err := pg.Exec(ctx, t, setVerified, pg.Args{"project_id": fix.ProjectID, "id": fix.IssueID, "now": t.Now}); err != nil {
		return err
	}
	if err := activity.AddDeliveries(ctx, t.store.db, t.Tx, fix.ProjectID, fix.IssueID, core.IssueVerified); err != nil {
		return err
	}
	data := verifyData{activity.FromTo{From: core.FixPending, To: core.Verified}, fix.ID}
	return t.recordOfIssue(ctx, core.NewSystemActor("verifier"), fix.ProjectID, fix.IssueID, core.ActionIssueVerify, data)
}

// verifyData is the data of a verified fix in the activity of its issue.
type verifyData struct {
	activity.FromTo
	FixID int64 `json:"fix_id"`
}
