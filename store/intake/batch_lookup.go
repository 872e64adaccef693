package intake

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"

	"errand/core"
	"errand/fixes"
	"errand/store/activity"
	"errand/store/pg"
	"errand/store/watch"
)

// addThoroughly is the long way of a batch: it looks up what the writer did not remember, does everything beside counting,
// and then counts. Its statements take arrays, and rows are read by position, as in batch_statements.go.
func (w *Writer) addThoroughly(ctx context.Context, t *pg.Tx, b *batch) error {
	b.resetAdded()
	b.mayTellSpikes = true
	if err := w.findDuplicates(ctx, t, b); err != nil {
		return err
	}
	if b.wasCommitted {
		return nil
	}
	b.deferStoring(w) // again: the newest event may have been a duplicate
	found, err := w.findIssues(ctx, t, b.listIssueKeys())
	if err != nil {
		return err
	}
	b.eachCounted(func(e *NewEvent, a *Added) { a.IssueID = found[e.issueKey()] })
	if err := w.planNewIssues(ctx, b); err != nil {
		return err
	}
	if err := w.reopenIssues(ctx, t, b); err != nil {
		return err
	}
	return w.sendStatements(ctx, t, b)
}

const holdGrouping = `SELECT id FROM projects WHERE id = ANY (@ids) ORDER BY id FOR SHARE`

// holdGrouping makes merges and splits wait until the batch is added: otherwise each of them could send the batch back.
func (w *Writer) holdGrouping(ctx context.Context, t *pg.Tx, b *batch) error {
	projects := b.listProjects()
	if !t.IsOnNode() {
		_, err := pg.Exec(ctx, t, holdGrouping, pg.Args{"ids": projects})
		return err
	}
	for _, project := range projects {
		if err := ShareProject(ctx, t, project); err != nil && !core.HasCode(err, core.ProjectNotFound) { // nobody merges its issues
			return err
		}
	}
	return nil
}

// listProjects returns the projects of the batch, each once, sorted.
func (b *batch) listProjects() []int64 {
	projects := map[int64]struct{}{}
	for i := range b.events {
		projects[b.events[i].ProjectID] = struct{}{}
	}
	return sortKeys(projects, cmp.Compare)
}

// resetAdded undoes the conclusions of an earlier attempt.
func (b *batch) resetAdded() {
	b.hasReopened, b.changedOrder = false, false
	b.eachCounted(func(e *NewEvent, a *Added) { *a = Added{ID: e.id} })
}

const findIssuesByFingerprint = `
SELECT f.project_id, f.version, f.fingerprint, f.issue_id FROM issue_fingerprints f
JOIN unnest($1::bigint[], $2::int[], $3::bytea[]) AS n (project_id, version, fingerprint)
	ON f.project_id = n.project_id AND f.version = n.version AND f.fingerprint = n.fingerprint`

// findIssues looks up the issues of fingerprints.
func (w *Writer) findIssues(ctx context.Context, on pg.Reader, groups []issueKey) (map[issueKey]int64, error) {
	project, version, fingerprint := pg.SplitColumns(groups, func(k issueKey) (int64, int32, []byte) {
		return k.project, int32(k.version), k.fingerprint[:]
	})
	rows, err := on.Query(ctx, findIssuesByFingerprint, project, version, fingerprint)
	if err != nil {
		return nil, err
	}
	found := make(map[issueKey]int64, len(groups))
	var key issueKey
	var hash []byte
	var issue int64
	_, err = pgx.ForEachRow(rows, []any{&key.project, &key.version, &hash, &issue}, func() error {
		copy(key.fingerprint[:], hash)
		found[key] = issue
		return nil
	})
	return found, err
}

// listIssueKeys returns the fingerprints of the events that count, each once, in the order of arrival.
func (b *batch) listIssueKeys() []issueKey {
	var list []issueKey
	seen := map[issueKey]bool{}
	b.eachCounted(func(e *NewEvent, _ *Added) {
		if !seen[e.issueKey()] {
			seen[e.issueKey()] = true
			list = append(list, e.issueKey())
		}
	})
	return list
}

const lockIssues = `
SELECT i.project_id, i.id, i.status, i.fix_id, i.reopens_after FROM issues i JOIN unnest(@ids::bigint[]) AS n (id) ON i.id = n.id
ORDER BY i.project_id, i.id FOR UPDATE OF i`

const reopenIssue = `UPDATE issues SET status = 'unresolved', status_at = @now WHERE project_id = @project_id AND id = @id`

// countedIssue is an issue that a batch counts on.
type countedIssue struct {
	ProjectID    int64
	ID           int64
	Status       core.Status
	FixID        *int64
	ReopensAfter core.Time
}

// reopenIssues locks the batch's issues. A resolved issue with an event newer than the resolve becomes unresolved, and an
// issue whose error returned despite a fix becomes regressed (primary API, States). A merged issue sends the batch back:
// its fingerprints now point elsewhere.
func (w *Writer) reopenIssues(ctx context.Context, t *pg.Tx, b *batch) error {
	b.countEvents(w.memory)
	latest := map[int64]core.Time{}
	ids := make([]int64, len(b.counts.issues))
	for i, c := range b.counts.issues {
		ids[i], latest[c.issue] = c.issue, c.LastSeen
	}
	issues, err := pg.QueryMany[countedIssue](ctx, t, lockIssues, pg.Args{"ids": ids})
	if err != nil {
		return err
	}
	if len(issues) < len(ids) {
		return errStale // one was deleted
	}
	for _, i := range issues {
		switch {
		case i.Status == core.Merged:
			return errStale
		case i.ReopensAfter.IsZero() || !latest[i.ID].After(i.ReopensAfter.Time):
			continue
		case i.Status == core.Resolved:
			err = ReopenIssue(ctx, w.db, t, i.ProjectID, i.ID)
		default:
			err = w.regressReturned(ctx, t, b, i)
		}
		if err != nil {
			return err
		}
		b.changedOrder = true
	}
	b.hasReopened = true
	return nil
}

// regressReturned makes an issue regressed when an event of the batch shows that its deployed fix does not hold.
func (w *Writer) regressReturned(ctx context.Context, t *pg.Tx, b *batch, issue countedIssue) error {
	fix, err := watch.ReadFix(ctx, t, issue.ProjectID, *issue.FixID)
	if err != nil {
		return err
	}
	var events []fixes.Event
	b.eachCounted(func(e *NewEvent, a *Added) {
		if a.IssueID == issue.ID {
			events = append(events, fixes.Event{At: e.OccurredAt.Time, Release: e.Release, Environment: e.Environment})
		}
	})
	deploys, err := fix.CountDeploys(ctx, t) // before they are read, so that a deploy in between is not missed
	if err != nil {
		return err
	}
	returned, harmless, err := fix.FindReturn(ctx, t, events)
	if err != nil {
		return err
	}
	if returned == nil {
		w.memory.rememberHarmless(issue.ID, watchedFix{fix.ID, deploys}, harmless)
		return nil
	}
	return fix.Regress(ctx, w.db, t, issue.Status, returned.Release)
}

// ReopenIssue makes a resolved issue unresolved, because its error is still there, and records that in its activity.
func ReopenIssue(ctx context.Context, db *pg.DB, t *pg.Tx, project, issue int64) error {
	if _, err := pg.Exec(ctx, t, reopenIssue, pg.Args{"now": t.Now, "project_id": project, "id": issue}); err != nil {
		return err
	}
	if err := activity.AddDeliveries(ctx, db, t, project, issue, core.IssueRegressed); err != nil {
		return err
	}
	change := activity.FromTo{From: core.Resolved, To: core.Unresolved}
	_, err := activity.Write(ctx, db, t, activity.OfIssue(core.NewSystemActor("ingest"), project, issue, core.ActionIssueRegress, change))
	return err
}
