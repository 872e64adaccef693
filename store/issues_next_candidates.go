package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

// nextCandidate is the part of an issue that next_issue needs from a ranking. Reading the rest would take longer than ranking.
type nextCandidate struct {
	ProjectID int64
	ID        int64
	Score     float64
	Title     core.Untrusted
	Culprit   core.Untrusted
	Type      core.Untrusted
	Level     string
	Platform  string
	IsHeld    bool // an action on it waits for approval
	triageRow

	isNoise, isFixable bool
}

// readCandidates returns the statement that reads the candidates ranked by another statement.
func readCandidates(rank string) string {
	return `SELECT r.project_id, r.id, r.score, i.title, i.culprit, i.type, i.level, i.platform, ` + triageColumns + `,
	EXISTS (SELECT 1 FROM approvals a WHERE ` + isAboutIssue + `) AS is_held
FROM (` + rank + `) r
JOIN issues i ON i.project_id = r.project_id AND i.id = r.id AND /* of some projects: i */ true
LEFT JOIN triage_corrections c ON c.project_id = i.project_id AND c.issue_id = i.id
ORDER BY r.score DESC, r.id DESC`
}

// listCandidates lists the unclaimed issues of a status like ListIssues, in the order of work.
func (s *Store) listCandidates(ctx context.Context, key rankingKey) (core.Page[nextCandidate], error) {
	claimed := false
	f := IssueFilter{ProjectID: key.project, Status: key.status, Claimed: &claimed, Sort: core.ByWork}
	f.WithOverdue = key.status == core.Unresolved
	f.Paging = core.Paging{Limit: nextChunk, Cursor: key.cursor}
	l, rank, err := s.buildRanking(ctx, f, storedNames{}, nil, s.Now())
	if err != nil {
		return core.Page[nextCandidate]{}, err
	}
	delete(l.Args, "day_ago") // only for shown issues
	delete(l.Args, "week_ago")
	page, err := pg.RunPage(ctx, s.db, l, readCandidates(rank), func(c nextCandidate) core.ListPosition {
		return core.ListPosition{Score: c.Score, ID: c.ID}
	})
	for i := range page.Data {
		page.Data[i].judge()
	}
	return page, err
}

// judge lets triage decide the kind of the issue. Counts, trust and status change its severity, but not its kind.
func (c *nextCandidate) judge() {
	judged := c.toTriage(&core.Issue{Title: c.Title, Culprit: c.Culprit, Type: c.Type, Level: c.Level, Platform: c.Platform})
	c.isNoise, c.isFixable = judged.Noise, judged.AgentFixable
}
