package store

import (
	"context"
	"sync"

	"errand/core"
	"errand/store/pg"
	"errand/triage"
)

// judgeAtOnce bounds the issues that are judged in one statement.
const judgeAtOnce = 1000

// noiseSweep is how far this server has judged all issues again since its start.
type noiseSweep struct {
	mu          sync.Mutex
	project, id int64
	isOver      bool
}

const (
	noiseColumns = `SELECT i.project_id, i.id, i.title, i.culprit, i.type, i.platform, i.crash_site, i.noise, c.noise AS corrected
FROM issues i
LEFT JOIN triage_corrections c ON c.project_id = i.project_id AND c.issue_id = i.id
`
	// What its events say of an issue without a crash_site is found first.
	selectUnjudged = noiseColumns + `
WHERE i.noise IS NULL
	AND i.crash_site <> ''
ORDER BY i.project_id, i.id
LIMIT @limit`
	selectToJudge = noiseColumns + `
WHERE (i.project_id, i.id) > (@project_id, @id)
ORDER BY i.project_id, i.id
LIMIT @limit`
	// A correction that was made since the issues were read stays. An issue that another transaction is changing is left for the next
	// time, so that no event waits.
	setNoise = `
UPDATE issues i SET noise = coalesce(
	(SELECT c.noise FROM triage_corrections c
		WHERE c.project_id = i.project_id AND c.issue_id = i.id AND /* of some projects: c */ true), q.noise)
FROM (
	SELECT l.project_id, l.id, n.noise
	FROM unnest(@projects::bigint[], @ids::bigint[], @noise::boolean[]) AS n (project_id, id, noise)
	JOIN issues l ON l.project_id = n.project_id AND l.id = n.id AND /* of some projects: l */ true
	FOR UPDATE OF l SKIP LOCKED
) q
WHERE i.project_id = q.project_id
	AND i.id = q.id
	AND /* of some projects: i */ true`
)

// judgedIssue is an issue with all that decides whether it is noise.
type judgedIssue struct {
	ProjectID, ID                  int64
	Title, Culprit, Type, Platform string
	CrashSite                      triage.CrashSite
	Noise                          *bool
	Corrected                      *bool
}

// isNoise judges the issue.
func (i judgedIssue) isNoise() bool {
	if i.Corrected != nil {
		return *i.Corrected
	}
	return triage.IsNoise(&core.Issue{
		Title: core.Untrusted(i.Title), Culprit: core.Untrusted(i.Culprit), Type: core.Untrusted(i.Type), Platform: i.Platform,
	}, triage.Crash{Site: i.CrashSite})
}

// JudgeNoise stores which issues are noise: those that nobody has judged, and once after the start of this server all, since the rules
// of another version may differ, and an older server does not store a correction. Several servers may judge the same ones.
func (s *Store) JudgeNoise(ctx context.Context) error {
	issues, err := pg.QueryMany[judgedIssue](ctx, s.db.Main, selectUnjudged, pg.Args{"limit": judgeAtOnce})
	if err != nil {
		return err
	}
	if _, err := s.storeNoise(ctx, issues); err != nil {
		return err
	}
	return s.sweepNoise(ctx)
}

// sweepNoise judges the issues that this server has not judged since its start. It goes on where the last call stopped.
func (s *Store) sweepNoise(ctx context.Context) error {
	sweep := &s.noiseSweep
	sweep.mu.Lock()
	defer sweep.mu.Unlock()
	for !sweep.isOver {
		issues, err := pg.QueryMany[judgedIssue](ctx, s.db.Main, selectToJudge,
			pg.Args{"project_id": sweep.project, "id": sweep.id, "limit": judgeAtOnce})
		if err != nil {
			return err
		}
		isComplete, err := s.storeNoise(ctx, issues)
		if err != nil || !isComplete {
			return err
		}
		if sweep.isOver = len(issues) < judgeAtOnce; !sweep.isOver {
			last := issues[len(issues)-1]
			sweep.project, sweep.id = last.ProjectID, last.ID
		}
	}
	return nil
}

// storeNoise judges issues and stores where the answer has changed. It reports whether no other transaction was in the way.
func (s *Store) storeNoise(ctx context.Context, issues []judgedIssue) (isComplete bool, err error) {
	var projects, ids []int64
	var noise []bool
	for _, issue := range issues {
		isNoise := issue.isNoise()
		if issue.CrashSite == "" || issue.Noise != nil && *issue.Noise == isNoise {
			continue
		}
		projects, ids, noise = append(projects, issue.ProjectID), append(ids, issue.ID), append(noise, isNoise)
	}
	if len(ids) == 0 {
		return true, nil
	}
	stored, err := pg.ExecEach(ctx, s.db, s.db.Main, setNoise, pg.Args{"projects": projects, "ids": ids, "noise": noise}, projects)
	return stored == int64(len(ids)), err
}
