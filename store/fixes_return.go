package store

import (
	"context"

	"errand/core"
	"errand/fixes"
)

// deploysOfName are the deploys by which a release of that name is judged: those of the name, those of the commit that it
// is, and those of the commits of the former. Of equal ones the first is enough.
const deploysOfName = `
WITH begins AS (
	SELECT left(commit, @prefix) AS prefix FROM deploys WHERE project_id = @project_id AND release = @name
	UNION SELECT unnest(@prefixes::text[])
), found AS (
	SELECT release, environment, commit, number FROM deploys WHERE project_id = @project_id AND release = @name
	UNION ALL
	SELECT d.release, d.environment, d.commit, d.number
	FROM begins b JOIN deploys d ON d.project_id = @project_id AND d.commit >= b.prefix AND d.commit < b.prefix || 'g'
)
SELECT release, environment, commit, min(number) AS number FROM found GROUP BY release, environment, commit`

// findReturn returns the first of the events that shows that the error is still there in spite of a deployed fix, or nil.
func (t *tx) findReturn(ctx context.Context, project int64, fix fixRow, events []fixes.Event) (*fixes.Event, error) {
	known := map[string][]fixes.Deploy{}
	first := fix.firstDeploy()
	for _, e := range events {
		deploys, asked := known[e.Release]
		if !asked && e.Release != "" {
			var err error
			if deploys, err = t.deploysOfName(ctx, project, e.Release); err != nil {
				return nil, err
			}
			known[e.Release] = deploys
		}
		if fixes.IsReturn(e, first, deploys) {
			return &e, nil
		}
	}
	return nil, nil
}

func (t *tx) deploysOfName(ctx context.Context, project int64, name string) ([]fixes.Deploy, error) {
	prefixes := []string{}
	if commit, err := fixes.ParseCommit(name); err == nil {
		prefixes = append(prefixes, fixes.CommitPrefix(commit))
	}
	rows, err := many[struct {
		Release     string
		Environment string
		Commit      string
		Number      int64
	}](ctx, t, deploysOfName, args{"project_id": project, "name": name, "prefix": fixes.PrefixLength, "prefixes": prefixes})
	deploys := make([]fixes.Deploy, len(rows))
	for i, r := range rows {
		deploys[i] = fixes.Deploy{Number: r.Number, Release: r.Release, Environment: r.Environment, Commit: r.Commit}
	}
	return deploys, err
}

const (
	setFixRegressed = `
UPDATE fixes SET outcome = 'regressed', outcome_at = @now, regressed_at = @now, regressed_in = @release
WHERE project_id = @project_id AND id = @id`
	setRegressed = `UPDATE issues SET status = 'regressed', status_at = @now WHERE project_id = @project_id AND id = @id`
)

// regress ends a fix because its error returned. Its issue is locked.
func (t *tx) regress(ctx context.Context, project int64, from core.Status, fix fixRow, release string) error {
	_, err := exec(ctx, t, setFixRegressed, args{"project_id": project, "id": fix.ID, "release": release, "now": t.now})
	if err != nil {
		return err
	}
	if _, err := exec(ctx, t, setRegressed, args{"project_id": project, "id": fix.IssueID, "now": t.now}); err != nil {
		return err
	}
	if err := t.addAlert(ctx, project, fix.IssueID, alertRegressed); err != nil {
		return err
	}
	data := regressData{fromTo{from, core.Regressed}, fix.ID, release}
	return t.recordOfIssue(ctx, core.System("ingest"), project, fix.IssueID, core.ActionIssueRegress, data)
}

// regressData is the data of a fix that did not hold in the activity of its issue.
type regressData struct {
	fromTo
	FixID   int64  `json:"fix_id"`
	Release string `json:"release,omitempty"` // absent when the event named none
}
