package watch

import (
	"context"

	"errand/core"
	"errand/fixes"
	"errand/store/activity"
	"errand/store/pg"
)

// deploysOfName finds the deploys that judge a release by its name: deploys with that name, deploys of the commit that the name
// may be, and other deploys of the commits found by name. The first of equal deploys is enough.
const deploysOfName = `
WITH begins AS (
	SELECT left(commit, @prefix) AS prefix FROM deploys WHERE project_id = @project_id AND digest = @digest
	UNION SELECT left(commit, @prefix) FROM deploys WHERE project_id = @project_id AND commit_digest = @commit_digest
	UNION SELECT unnest(@prefixes::text[])
), found AS (
	SELECT release, environment, commit, number FROM deploys WHERE project_id = @project_id AND digest = @digest
	UNION ALL
	SELECT d.release, d.environment, d.commit, d.number
	FROM begins b JOIN deploys d ON d.project_id = @project_id AND d.commit >= b.prefix AND d.commit < b.prefix || 'g'
)
SELECT release, environment, commit, min(number) AS number FROM found GROUP BY release, environment, commit`

// FindReturn returns the first event which shows that the error is still there despite the fix, or nil. The fix must be
// deployed. harmless are the events before it that prove nothing, and never will until there is another deploy.
func (f Fix) FindReturn(ctx context.Context, q pg.Querier, events []fixes.Event) (
	returned *fixes.Event, harmless []fixes.Event, err error,
) {
	deploysByName := map[string][]fixes.Deploy{}
	for _, e := range events {
		deploys, isRead := deploysByName[e.Release]
		if !isRead && e.Release != "" {
			if deploys, err = ReadDeploysOfName(ctx, q, f.ProjectID, e.Release); err != nil {
				return nil, nil, err
			}
			deploysByName[e.Release] = deploys
		}
		if fixes.IsReturn(e, f.firstDeploy(), deploys) {
			return &e, harmless, nil
		}
		if !fixes.CanReturn(e, f.firstDeploy(), deploys) {
			harmless = append(harmless, e)
		}
	}
	return nil, harmless, nil
}

const countDeploys = `SELECT deploys FROM deploy_order WHERE project_id = @project_id`

// CountDeploys returns how many deploys the fix's project has had. The fix must be deployed.
func (f Fix) CountDeploys(ctx context.Context, q pg.Querier) (int64, error) {
	row, err := pg.QueryOne[struct{ Deploys int64 }](ctx, q, countDeploys, pg.Args{"project_id": f.ProjectID})
	return row.Deploys, err
}

// ReadDeploysOfName returns the deploys of the release that an event names. fixes.IsReleaseWithFix judges the release by them.
func ReadDeploysOfName(ctx context.Context, q pg.Querier, project int64, name string) ([]fixes.Deploy, error) {
	prefixes := []string{}
	if commit, err := fixes.ParseCommit(name); err == nil {
		prefixes = append(prefixes, fixes.CommitPrefix(commit))
	}
	rows, err := pg.QueryMany[struct {
		Release     string
		Environment string
		Commit      string
		Number      int64
	}](ctx, q, deploysOfName, pg.Args{"project_id": project, "digest": core.DigestName(name), "commit_digest": core.CommitDigestOf(name),
		"prefix": fixes.PrefixLength, "prefixes": prefixes})
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
	setIssueRegressed = `UPDATE issues SET status = 'regressed', status_at = @now WHERE project_id = @project_id AND id = @id`
)

// Regress ends the fix because its error returned in a release; release is empty when the event named none. The issue is locked.
func (f Fix) Regress(ctx context.Context, db *pg.DB, t *pg.Tx, from core.Status, release string) error {
	_, err := pg.Exec(ctx, t, setFixRegressed, pg.Args{"project_id": f.ProjectID, "id": f.ID, "release": release, "now": t.Now})
	if err != nil {
		return err
	}
	_, err = pg.Exec(ctx, t, setIssueRegressed, pg.Args{"project_id": f.ProjectID, "id": f.IssueID, "now": t.Now})
	if err != nil {
		return err
	}
	if err := activity.AddDeliveries(ctx, db, t, f.ProjectID, f.IssueID, core.IssueRegressed); err != nil {
		return err
	}
	data := regressData{activity.FromTo{From: from, To: core.Regressed}, f.ID, core.ShowName(release)}
	entry := activity.OfIssue(core.NewSystemActor("ingest"), f.ProjectID, f.IssueID, core.ActionIssueRegress, data)
	_, err = activity.Write(ctx, db, t, entry)
	return err
}

// regressData is the data of a failed fix in the activity of its issue.
type regressData struct {
	activity.FromTo
	FixID   int64  `json:"fix_id"`
	Release string `json:"release,omitempty"` // absent when the event named none
}
