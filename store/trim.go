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
		if int64(b.state[c.issue].stored) > keep+trimSlack {
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
	storedOfIssue  = `SELECT stored_events FROM issues WHERE project_id = @project_id AND id = @issue_id FOR UPDATE`
	takeOffTrimmed = `UPDATE issues SET stored_events = stored_events - @gone WHERE project_id = @project_id AND id = @issue_id`
)

func (s *Store) trimIssue(ctx context.Context, project, issue int64) error {
	return s.inTx(ctx, func(t *tx) error {
		if _, err := t.Exec(ctx, findByKey); err != nil {
			return err
		}
		row, err := one[struct{ StoredEvents int64 }](ctx, t, storedOfIssue, args{"project_id": project, "issue_id": issue})
		if core.HasCode(err, core.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		gone, err := t.trim(ctx, project, []int64{issue}, row.StoredEvents)
		if err != nil || gone == 0 {
			return err
		}
		_, err = exec(ctx, t, takeOffTrimmed, args{"project_id": project, "issue_id": issue, "gone": gone})
		return err
	})
}

// The surplus is a range in the order of arrival, so that it is deleted by one walk along the index.
const (
	eventAt = `
SELECT received_at, id FROM events WHERE project_id = @project_id AND issue_id = ANY (@issue_ids)
ORDER BY received_at, id OFFSET @position LIMIT 1`
	trimEvents = `
DELETE FROM events WHERE project_id = @project_id AND issue_id = ANY (@issue_ids) AND received_at BETWEEN @first_at AND @last_at
	AND (received_at, id) >= (@first_at, @first_id) AND (received_at, id) <= (@last_at, @last_id)
RETURNING event_id`
)

// trim deletes what locked issues have stored in the middle beyond what one issue keeps, and tells how many events that
// were.
func (t *tx) trim(ctx context.Context, project int64, issues []int64, stored int64) (int64, error) {
	surplus := stored - t.store.keep()
	if surplus <= 0 {
		return 0, nil
	}
	type position struct {
		ReceivedAt core.Time
		ID         int64
	}
	var ends [2]position
	for i, at := range []int64{keepFirst, keepFirst + surplus - 1} {
		var err error
		ends[i], err = one[position](ctx, t, eventAt, args{"project_id": project, "issue_ids": issues, "position": at})
		if core.HasCode(err, core.NotFound) {
			return 0, nil // fewer are stored than were counted
		}
		if err != nil {
			return 0, err
		}
	}
	events, err := many[eventID](ctx, t, trimEvents, args{
		"project_id": project, "issue_ids": issues,
		"first_at": ends[0].ReceivedAt, "first_id": ends[0].ID, "last_at": ends[1].ReceivedAt, "last_id": ends[1].ID,
	})
	if err != nil {
		return 0, err
	}
	return int64(len(events)), t.forgetEventIDs(ctx, project, events)
}
