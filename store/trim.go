package store

import (
	"context"
	"sync"

	"errand/core"
)

// trimSlack is how many events an issue may have stored beyond what it keeps before the middle is deleted: deleting in
// portions is cheaper.
const trimSlack = 100

// overfull remembers the issues that have more stored events than they keep.
type overfull struct {
	mu     sync.Mutex
	issues map[int64]int64 // issue -> project
}

func (o *overfull) note(b *batch, keep int64) {
	for i := range b.counts.issues {
		c := &b.counts.issues[i]
		if b.state[c.issue].stored > keep+trimSlack {
			o.mu.Lock()
			if o.issues == nil {
				o.issues = map[int64]int64{}
			}
			o.issues[c.issue] = c.project
			o.mu.Unlock()
		}
	}
}

func (o *overfull) take() map[int64]int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	issues := o.issues
	o.issues = nil
	return issues
}

// TrimIssues deletes stored events of the issues that have more than they keep: the first ones and the newest stay
// (decisions 2). It knows of the issues to which this server added events; the others are trimmed by theirs.
func (s *Store) TrimIssues(ctx context.Context) error {
	for issue, project := range s.overfull.take() {
		if err := s.trimIssue(ctx, project, issue); err != nil {
			return err // the issue is noted again with its next event
		}
	}
	return nil
}

const (
	storedOfIssue = `SELECT stored_events FROM issues WHERE project_id = @project_id AND id = @issue_id FOR UPDATE`
	trimEvents    = `
WITH surplus AS (
	SELECT received_at, id FROM events WHERE project_id = @project_id AND issue_id = @issue_id
	ORDER BY received_at, id OFFSET @first LIMIT @surplus
), gone AS (
	DELETE FROM events e USING surplus s
	WHERE e.project_id = @project_id AND e.issue_id = @issue_id AND e.received_at = s.received_at AND e.id = s.id
	RETURNING e.event_id
), forgotten AS (
	DELETE FROM event_ids i USING gone g WHERE i.project_id = @project_id AND i.event_id = g.event_id
)
UPDATE issues SET stored_events = stored_events - (SELECT count(*) FROM gone) WHERE project_id = @project_id AND id = @issue_id`
)

func (s *Store) trimIssue(ctx context.Context, project, issue int64) error {
	return s.inTx(ctx, func(t *tx) error {
		row, err := one[struct{ StoredEvents int64 }](ctx, t, storedOfIssue, args{"project_id": project, "issue_id": issue})
		if core.HasCode(err, core.NotFound) {
			return nil
		}
		if surplus := row.StoredEvents - s.keep; err == nil && surplus > 0 {
			_, err = exec(ctx, t, trimEvents, args{"project_id": project, "issue_id": issue, "first": keepFirst, "surplus": surplus})
		}
		return err
	})
}
