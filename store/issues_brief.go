package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
	"errand/store/watch"
)

// Bounds of the lists in a brief.
const (
	briefNotes   = 20
	briefHistory = 10
	briefFixes   = 10
	briefDeploys = 5
	briefNames   = 10
)

const (
	selectProjectOfBrief = `
SELECT name, slug, repository FROM projects WHERE id = @project_id`
	selectNotes = `
SELECT ` + activityColumns + ` FROM activity
WHERE project_id = @project_id AND target_type = 'issue' AND target_id = @id AND action = 'issue.note'
ORDER BY at DESC, id DESC LIMIT @rows`
	selectHistory = `
SELECT ` + activityColumns + ` FROM activity
WHERE project_id = @project_id AND target_type = 'issue' AND target_id = @id
	AND action IN ('issue.resolve', 'issue.ignore', 'issue.unresolve', 'issue.regress', 'issue.verify', 'issue.merge', 'issue.split',
		'issue.split_from', 'issue.triage_correction')
ORDER BY at DESC, id DESC LIMIT @rows`
	// Most issues have no fix, and their row shows that.
	selectFixesOfIssue = `
SELECT ` + watch.Columns + `
FROM issues i JOIN fixes f ON f.project_id = i.project_id AND f.issue_id = i.id
WHERE i.project_id = @project_id AND i.id = @id AND i.fix_id IS NOT NULL
ORDER BY f.id = i.fix_id DESC, f.id DESC LIMIT @rows`
	selectHours = `
SELECT hour, events FROM issue_hours
WHERE project_id = @project_id AND issue_id = @id AND hour >= @week_ago
ORDER BY hour`
	deployColumns       = `d.number, d.id, d.release, d.environment, d.commit, d.source, d.deployed_at`
	selectLatestDeploys = `
SELECT ` + deployColumns + ` FROM deploys d
WHERE d.project_id = @project_id
ORDER BY d.number DESC LIMIT @rows`
	// The deploy that brought the first release with the error, and the one before it.
	selectFirstDeploys = `
WITH first AS (
	SELECT d.*
	FROM (SELECT project_id, first_release AS release FROM issues WHERE project_id = @project_id AND id = @id AND first_release <> '') n
	JOIN deploys d ON d.project_id = n.project_id AND /* of its project: d */ true AND d.digest = ` + digestOfRelease + `
	ORDER BY d.number LIMIT 1
)
SELECT ` + deployColumns + ` FROM first d
UNION ALL (
	SELECT ` + deployColumns + ` FROM first f
	JOIN deploys d ON d.project_id = f.project_id AND /* of its project: d */ true
		AND d.number < f.number AND d.environment = f.environment AND d.digest <> f.digest
	ORDER BY d.number DESC LIMIT 1
)
ORDER BY number DESC`
	selectReleasesOfIssue = `
SELECT release AS name FROM issue_releases WHERE project_id = @project_id AND issue_id = @id LIMIT @rows`
	selectEnvironmentsOfIssue = `
SELECT environment AS name FROM issue_environments WHERE project_id = @project_id AND issue_id = @id LIMIT @rows`
)

type deployRow struct {
	Number      int64
	ID          int64
	Release     core.Untrusted
	Environment string
	Commit      string
	Source      core.DeploySource
	DeployedAt  core.Time
}

func (r deployRow) toCore() core.ReleasedDeploy {
	return core.ReleasedDeploy{Release: core.ShowUntrusted(r.Release), Deploy: core.Deploy{
		ID: r.ID, Environment: core.ShowName(r.Environment), Commit: r.Commit, Source: r.Source, DeployedAt: r.DeployedAt,
	}}
}

// nameRow is the name of a release or an environment of an issue.
type nameRow struct{ Name core.Untrusted }

// briefRows are the results of the reads of a brief.
type briefRows struct {
	issues                 []issueRow
	projects               []struct{ Name, Slug, Repository string }
	notes, history         []core.Activity
	fixes                  []watch.Fix
	hours                  []core.HourCount
	latest, first          []deployRow
	releases, environments []nameRow
	events                 []storedEvent
	holders                []holderRow
	waiting                []waitingRow
}

// ReadIssueFacts returns the content of a brief except the similar issues. An unknown or merged issue is not_found.
func (s *Store) ReadIssueFacts(ctx context.Context, id int64) (core.IssueFacts, error) {
	project, err := s.findIssueOwner(ctx, id)
	if err != nil {
		return core.IssueFacts{}, err
	}
	now := s.Now()
	rows, err := s.readBriefRows(ctx, project, id, now)
	if err != nil {
		return core.IssueFacts{}, err
	}
	if len(rows.issues) == 0 {
		return core.IssueFacts{}, core.NewError(core.NotFound)
	}
	if issue := rows.issues[0]; issue.Status == core.Merged {
		return core.IssueFacts{}, refuseMerged(convertOptInt(issue.MergedInto))
	}
	facts := rows.toFacts(project, now)
	if err := rows.addClaim(&facts); err != nil {
		return core.IssueFacts{}, err
	}
	if len(facts.Fixes) > 0 {
		if err := addUnknownReleases(ctx, s.db, s.db.Main, rows.fixes[0], &facts.Fixes[0]); err != nil {
			return facts, err
		}
	}
	facts.Event, facts.NewerEvents, err = s.chooseEvent(ctx, project, id, rows.events)
	return facts, err
}

func (s *Store) readBriefRows(ctx context.Context, project, id int64, now core.Time) (rows briefRows, err error) {
	var b pg.Batch
	ofIssue := argsOfIssue(project, id, now)
	limited := func(limit int) pg.Args { return pg.Args{"project_id": project, "id": id, "rows": limit} }
	pg.QueueMany(&b, selectIssue, ofIssue, &rows.issues)
	pg.QueueMany(&b, selectProjectOfBrief, pg.Args{"project_id": project}, &rows.projects)
	pg.QueueMany(&b, selectNotes, limited(briefNotes), &rows.notes)
	pg.QueueMany(&b, selectHistory, limited(briefHistory), &rows.history)
	pg.QueueMany(&b, selectFixesOfIssue, limited(briefFixes), &rows.fixes)
	pg.QueueMany(&b, selectHours, pg.Args{"project_id": project, "id": id, "week_ago": ofIssue["week_ago"]}, &rows.hours)
	pg.QueueMany(&b, selectLatestDeploys, pg.Args{"project_id": project, "rows": briefDeploys}, &rows.latest)
	pg.QueueMany(&b, selectFirstDeploys, pg.Args{"project_id": project, "id": id}, &rows.first)
	pg.QueueMany(&b, selectReleasesOfIssue, limited(briefNames), &rows.releases)
	pg.QueueMany(&b, selectEnvironmentsOfIssue, limited(briefNames), &rows.environments)
	pg.QueueMany(&b, selectHolder, pg.Args{"project_id": project, "id": id, "now": now}, &rows.holders)
	waiting := limited(briefApprovals)
	waiting["now"] = now
	pg.QueueMany(&b, selectWaiting, waiting, &rows.waiting)
	pg.QueueMany(&b, selectLatestEvents, eventsAfter(project, id, 0, 1), &rows.events)
	return rows, b.SendEach(ctx, s.db, []int64{project})
}

// toFacts converts the rows to facts, without the event. The issue must exist.
func (r briefRows) toFacts(project int64, now core.Time) core.IssueFacts {
	issue := r.issues[0]
	facts := core.IssueFacts{
		Issue: core.IssueDetail{Issue: issue.toIssue(now), LatestEventID: convertOptInt(issue.LatestEventID), Test: issue.Test},
		Notes: r.notes, History: r.history, Hours: r.hours,
		Fixes: convertAll(r.fixes, showFix), Deploys: convertAll(r.latest, deployRow.toCore),
		Releases: convertAll(r.releases, nameRow.toCore), Environments: convertAll(r.environments, nameRow.toCore),
	}
	if len(r.projects) > 0 {
		p := r.projects[0]
		facts.Project = core.BriefProject{ID: project, Name: p.Name, Slug: p.Slug, Repository: core.Text(p.Repository)}
	}
	if len(facts.Fixes) > 0 {
		facts.Issue.Fix = &facts.Fixes[0]
	}
	for i, d := range convertAll(r.first, deployRow.toCore) {
		if i == 0 {
			facts.FirstDeploy = &d
		} else {
			facts.BeforeFirst = &d
		}
	}
	return facts
}

func (r nameRow) toCore() core.Untrusted { return core.ShowUntrusted(r.Name) }

func convertAll[From, To any](rows []From, convert func(From) To) []To {
	converted := make([]To, len(rows))
	for i, row := range rows {
		converted[i] = convert(row)
	}
	return converted
}
