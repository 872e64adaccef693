package store

import (
	"context"
	"encoding/json"
	"slices"

	"errand/core"
	"errand/store/pg"
)

const selectProblems = `
SELECT i.id, i.project_id, i.type, i.title, i.fingerprint, i.status, i.stored_events, i.times_seen, i.first_seen, i.last_seen, i.status_at,
	coalesce((SELECT json_agg(json_build_object('id', t.id, 'name', t.name) ORDER BY t.name)
		FROM issue_tags l JOIN tags t ON t.id = l.tag_id
		WHERE l.project_id = i.project_id AND l.issue_id = i.id AND /* of its project: l */ true), '[]') AS tags
FROM issues i`

// A problem is an issue that is neither merged into another one nor from a test.
const (
	ofProblems    = ` WHERE i.project_id = @project_id AND i.status <> 'merged' AND NOT i.test`
	findProblem   = selectProblems + ofProblems + ` AND i.id = @id`
	listOwnIssues = `SELECT i.id FROM issues i` + ofProblems + ` AND i.id = ANY (@ids) ORDER BY i.id`
)

// Problem is an issue as the management API shows it.
type Problem struct {
	ID           int64
	ProjectID    int64
	Type         string
	Title        string
	Fingerprint  []byte
	Status       core.Status
	StoredEvents int64
	TimesSeen    int64
	FirstSeen    core.Time
	LastSeen     core.Time
	StatusAt     core.Time       // when the status last changed
	Tags         json.RawMessage // a list of {id, name}, sorted by name
}

// IsResolved reports whether the management API shows the problem as resolved.
func (p Problem) IsResolved() bool {
	return slices.Contains([]core.Status{core.Resolved, core.Verified, core.Ignored}, p.Status)
}

// ReadProblem returns one problem of a project, or not_found.
func (s *Store) ReadProblem(ctx context.Context, project, id int64) (Problem, error) {
	return pg.QueryOne[Problem](ctx, s.db.Main, s.db.OfProject(findProblem), pg.Args{"project_id": project, "id": id})
}

// ResolveProblems resolves the issues that are problems of the project, all or none, and returns their number. A
// verified one stays verified: it counts as resolved.
func (s *Store) ResolveProblems(ctx context.Context, actor core.Actor, project int64, ids []int64) (count int64, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		own, err := pg.QueryMany[struct{ ID int64 }](ctx, t, listOwnIssues, pg.Args{"project_id": project, "ids": ids})
		if err != nil {
			return err
		}
		for _, issue := range own {
			if _, err := t.changeIssue(ctx, actor, project, issue.ID, resolveUnlessVerified(ctx)); err != nil {
				return err
			}
		}
		count = int64(len(own))
		return nil
	})
	s.forgetCounts(project)
	return count, err
}

func resolveUnlessVerified(ctx context.Context) func(*issueChange) error {
	return func(c *issueChange) error {
		if c.before.Status == core.Verified {
			return nil
		}
		return c.setStatus(ctx, core.Resolved)
	}
}

// UnresolveProblem reopens an issue that counts as resolved. Any other stays unchanged.
func (s *Store) UnresolveProblem(ctx context.Context, actor core.Actor, id int64) error {
	_, err := s.changeIssue(ctx, actor, id, func(c *issueChange) error {
		if !(Problem{Status: c.before.Status}).IsResolved() {
			return nil
		}
		return c.setStatus(ctx, core.Unresolved)
	})
	return err
}
