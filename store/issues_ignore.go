package store

import (
	"context"
	"encoding/json"
	"fmt"

	"errand/core"
	"errand/store/activity"
	"errand/store/intake"
	"errand/store/pg"
)

// hasTerm is the SQL condition that an ignored issue has a term.
const hasTerm = `i.status = 'ignored' AND i.ignored_at = i.status_at`

const (
	setIgnored = `
UPDATE issues SET status = 'ignored', status_at = @status_at, ignored_at = CASE WHEN @returns THEN @status_at::timestamptz END,
	ignored_until = @until, ignored_to_events = @events, ignored_to_users = @users
WHERE project_id = @project_id AND id = @id`
	// An issue that is being changed is left for the next run.
	lockIgnoredUntil = `
SELECT i.project_id, i.id FROM issues i
WHERE i.ignored_until <= @now AND /* of some projects: i */ true
ORDER BY i.ignored_until LIMIT @limit FOR UPDATE SKIP LOCKED`
	projectsOfIgnored = `SELECT DISTINCT project_id FROM issues WHERE ignored_until <= @now`
	// dropTerms is for issues of deleted projects, and for issues whose status has changed since they were ignored.
	dropTerms = `
UPDATE issues SET ignored_at = NULL, ignored_until = NULL, ignored_to_events = NULL, ignored_to_users = NULL
WHERE project_id = ANY (@projects) AND id = ANY (@ids) AND ignored_until <= @now`
)

// IgnoreIssue is the action that ignores an issue, for good or for a term.
type IgnoreIssue struct {
	ID   int64
	Term core.IgnoreTerm
}

// Word is ignore.
func (IgnoreIssue) Word() core.HeldAction { return core.HoldIgnore }

func (a IgnoreIssue) newRequest(ctx context.Context, s *Store) (actionRequest, error) {
	project, err := s.findIssueOwner(ctx, a.ID)
	return actionRequest{project: project, issue: a.ID, payload: a.Term}, err
}

func rebuildIgnore(r storedRequest) (HoldableChange, error) {
	a := IgnoreIssue{ID: r.IssueID}
	if err := json.Unmarshal([]byte(r.Payload), &a.Term); err != nil {
		return nil, fmt.Errorf("store: payload of an ignore: %w", err)
	}
	return a, nil
}

func (a IgnoreIssue) listIssues() []int64 { return []int64{a.ID} }

func (a IgnoreIssue) wouldChange(ctx context.Context, t *tx, project int64) (bool, error) {
	issue, err := t.lockIssue(ctx, project, a.ID)
	if err != nil {
		return false, err
	}
	_, err = issue.findIgnoreEnd(a.Term, t.Now)
	return issue.wouldIgnore(a.Term), err
}

func (a IgnoreIssue) runAction(ctx context.Context, t *tx, actor core.Actor, project int64) (core.Issue, error) {
	return t.changeIssue(ctx, actor, project, a.ID, func(c *issueChange) error {
		_, err := c.ignoreIssue(ctx, a.Term)
		return err
	})
}

// wouldIgnore reports whether ignoring the issue changes anything: a new term does, and the end of one.
func (l lockedIssue) wouldIgnore(term core.IgnoreTerm) bool {
	return l.Status != core.Ignored || !term.IsForGood() || l.HasTerm
}

// findIgnoreEnd returns when the issue returns, if it is ignored now for the term.
func (l lockedIssue) findIgnoreEnd(term core.IgnoreTerm, now core.Time) (end core.IgnoreEnd, err error) {
	until, err := term.Until.Time(now.Time)
	switch {
	case err != nil:
		return end, core.RefuseField("until", "%s", err)
	case term.Until != "" && !until.After(now.Time):
		return end, core.RefuseField("until", "must be in the future")
	case l.UsersAffected+term.AfterUsers > intake.MaxUsers:
		return end, core.RefuseField("after_users", "must be at most %d here: the issue has %d users, and counting stops at %d",
			intake.MaxUsers-l.UsersAffected, l.UsersAffected, intake.MaxUsers)
	}
	end.At = core.At(until)
	if term.AfterEvents != 0 {
		end.TimesSeen = core.OptInt(l.TimesSeen + term.AfterEvents)
	}
	if term.AfterUsers != 0 {
		end.UsersAffected = core.OptInt(l.UsersAffected + term.AfterUsers)
	}
	return end, nil
}

// ignoreData is the data of an ignore in the activity. Its end is null without a term.
type ignoreData struct {
	activity.FromTo
	Until         core.Time   `json:"until,omitzero"`
	TimesSeen     core.OptInt `json:"times_seen,omitempty"`
	UsersAffected core.OptInt `json:"users_affected,omitempty"`
}

// ignoreIssue ignores the issue, and reports whether that changed anything.
func (c *issueChange) ignoreIssue(ctx context.Context, term core.IgnoreTerm) (bool, error) {
	end, err := c.before.findIgnoreEnd(term, c.Now)
	if err != nil || !c.before.wouldIgnore(term) {
		return false, err
	}
	if err := c.closeFix(ctx, c.project, c.id); err != nil {
		return false, err
	}
	_, err = pg.Exec(ctx, c, setIgnored, pg.Args{
		"project_id": c.project, "id": c.id, "status_at": c.Now, "returns": !term.IsForGood(), "until": end.At,
		"events": nullIfZero(end.TimesSeen), "users": nullIfZero(end.UsersAffected),
	})
	if err != nil {
		return false, err
	}
	_, err = c.recordChange(ctx, core.ActionIssueIgnore,
		ignoreData{activity.FromTo{From: c.before.Status, To: core.Ignored}, end.At, end.TimesSeen, end.UsersAffected})
	return true, err
}

func nullIfZero(n core.OptInt) *int64 {
	if n == 0 {
		return nil
	}
	return (*int64)(&n)
}

// toIgnoreEnd returns when the issue returns by itself; nil for never.
func (r issueRow) toIgnoreEnd() *core.IgnoreEnd {
	end := core.IgnoreEnd{
		At: r.IgnoredUntil, TimesSeen: convertOptInt(r.IgnoredToEvents), UsersAffected: convertOptInt(r.IgnoredToUsers),
	}
	if end == (core.IgnoreEnd{}) {
		return nil
	}
	return &end
}

// returnedChunk bounds the issues of one transaction.
const returnedChunk = 100

// ReturnIgnored makes ignored issues unresolved when the time of their term has come.
func (s *Store) ReturnIgnored(ctx context.Context) error {
	for {
		seen := 0
		err := s.inTx(ctx, func(t *tx) error {
			due, err := pg.FindProjects(ctx, s.db, t, projectsOfIgnored, pg.Args{"now": t.Now})
			if err != nil {
				return err
			}
			rows, err := pg.QueryEach[struct{ ProjectID, ID int64 }](ctx, s.db, t, lockIgnoredUntil,
				pg.Args{"now": t.Now, "limit": returnedChunk}, due)
			if seen = len(rows); err != nil || seen == 0 {
				return err
			}
			*t.reorders = true
			projects, ids := make([]int64, seen), make([]int64, seen)
			for i, row := range rows {
				projects[i], ids[i] = row.ProjectID, row.ID
			}
			if err := intake.ReturnIgnored(ctx, s.db, t.Tx, ids, due); err != nil {
				return err
			}
			_, err = pg.Exec(ctx, t, dropTerms, pg.Args{"projects": projects, "ids": ids, "now": t.Now})
			return err
		})
		if err != nil || seen < returnedChunk {
			return err
		}
	}
}
