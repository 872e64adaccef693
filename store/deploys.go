package store

import (
	"cmp"
	"context"
	"slices"

	"errand/core"
	"errand/fixes"
	"errand/store/activity"
	"errand/store/pg"
)

// The series of the ids of releases, deploys and fixes.
const (
	releaseIDs pg.Series = "releases"
	deployIDs  pg.Series = "deploys"
	fixIDs     pg.Series = "fixes"
)

// NewDeploy is a deploy to report. Its release and environment are as reported; its commits and pull requests are in the
// form that the rules of fixes return.
type NewDeploy struct {
	ProjectID    int64
	Release      string
	Environment  string
	Commit       string
	Commits      []string // since the previous deploy; if empty, the commits pushed before Commit count
	PullRequests []string
	Source       core.DeploySource
}

const (
	nextDeploy = `
INSERT INTO deploy_order (project_id, deploys, last_at) VALUES (@project_id, 1, @now)
ON CONFLICT (project_id) DO UPDATE SET
	deploys = deploy_order.deploys + 1,
	last_at = greatest(deploy_order.last_at, excluded.last_at) -- clocks of servers differ, the order does not
RETURNING deploys AS number, last_at AS deployed_at`
	putRelease = `
INSERT INTO releases (project_id, id, version, commit, created_at, deployed_at)
VALUES (@project_id, @id, @version, @commit, @now, @deployed_at)
ON CONFLICT (project_id, version) DO UPDATE SET commit = excluded.commit, deployed_at = excluded.deployed_at
RETURNING id`
	addDeploy = `
INSERT INTO deploys (project_id, number, id, release, environment, commit, source, deployed_at)
VALUES (@project_id, @number, @id, @release, @environment, @commit, @source, @deployed_at)`
	addDeployCommits = `
INSERT INTO deploy_commits (project_id, commit, number, with_pushed)
SELECT @project_id, unnest(@commits::text[]), @number, @with_pushed
ON CONFLICT DO NOTHING`
	addDeployPullRequests = `
INSERT INTO deploy_pull_requests (project_id, url, number) SELECT @project_id, unnest(@urls::text[]), @number`
)

// CreateDeploy records a deploy, makes its release on first use, and finds the fixes that it brings. A deleted project is
// project_not_found.
func (s *Store) CreateDeploy(ctx context.Context, actor core.Actor, d NewDeploy) (core.ReportedDeploy, error) {
	var reported core.ReportedDeploy
	err := s.inTx(ctx, func(t *tx) (err error) {
		reported, err = t.createDeploy(ctx, actor, d)
		return err
	})
	return reported, err
}

func (t *tx) createDeploy(ctx context.Context, actor core.Actor, d NewDeploy) (core.ReportedDeploy, error) {
	if err := t.storeNames(ctx, &d); err != nil {
		return core.ReportedDeploy{}, err
	}
	reported := core.ReportedDeploy{
		ProjectID: d.ProjectID, Release: core.ShowName(d.Release), Environment: core.ShowName(d.Environment), Commit: d.Commit,
	}
	place, err := pg.QueryOne[struct {
		Number     int64
		DeployedAt core.Time
	}](ctx, t, nextDeploy, pg.Args{"project_id": d.ProjectID, "now": t.Now})
	if err != nil {
		return reported, err
	}
	reported.DeployedAt = place.DeployedAt
	if err := t.renameRelease(ctx, d.ProjectID, d.Release); err != nil {
		return reported, err
	}
	withPushed := len(d.Commits) == 0
	if withPushed {
		if d.Commits, err = t.findBrought(ctx, d.ProjectID, place.Number, []string{d.Commit}); err != nil {
			return reported, err
		}
	}
	if reported.ID, err = t.store.db.IDs.TakeOne(ctx, deployIDs); err != nil {
		return reported, err
	}
	release, err := t.putRelease(ctx, d, reported.DeployedAt)
	if err != nil {
		return reported, err
	}
	if err := t.addDeploy(ctx, d, reported, place.Number, withPushed); err != nil {
		return reported, err
	}
	_, err = t.recordActivity(ctx, activity.Entry{
		ProjectID: d.ProjectID, Actor: actor, Action: core.ActionReleaseDeploy, TargetType: core.TargetRelease, TargetID: release,
		Data: deployData{reported.Release, reported.Environment, d.Commit, reported.ID},
	})
	if err != nil {
		return reported, err
	}
	reported.FixesDeployed, err = t.deployFixes(ctx, actor, d.ProjectID, fixes.Deploy{
		Number: place.Number, Release: d.Release, Environment: d.Environment, Commit: d.Commit, At: place.DeployedAt.Time,
		Commits: d.Commits, PullRequests: d.PullRequests,
	})
	if err != nil {
		return reported, err
	}
	reported.FixesWaiting, err = t.listWaitingFixes(ctx, d.ProjectID)
	return reported, err
}

// deployData is the data of a deploy in the activity.
type deployData struct {
	Release     string `json:"release"`
	Environment string `json:"environment"`
	Commit      string `json:"commit"`
	DeployID    int64  `json:"deploy_id"`
}

// putRelease makes the deploy's release on first use and returns its id.
func (t *tx) putRelease(ctx context.Context, d NewDeploy, at core.Time) (int64, error) {
	id, err := t.store.db.IDs.TakeOne(ctx, releaseIDs)
	if err != nil {
		return 0, err
	}
	row, err := pg.QueryOne[struct{ ID int64 }](ctx, t, putRelease, pg.Args{
		"project_id": d.ProjectID, "id": id, "version": d.Release, "commit": d.Commit, "now": t.Now, "deployed_at": at,
	})
	return row.ID, err
}

func (t *tx) addDeploy(ctx context.Context, d NewDeploy, reported core.ReportedDeploy, number int64, withPushed bool) error {
	_, err := pg.Exec(ctx, t, addDeploy, pg.Args{
		"project_id": d.ProjectID, "number": number, "id": reported.ID, "release": d.Release, "environment": d.Environment,
		"commit": d.Commit, "source": string(d.Source), "deployed_at": reported.DeployedAt,
	})
	if err != nil {
		return err
	}
	if err := t.addDeployCommits(ctx, d.ProjectID, number, append(slices.Clone(d.Commits), d.Commit), withPushed); err != nil {
		return err
	}
	urls := sortOnce(slices.Clone(d.PullRequests))
	_, err = pg.Exec(ctx, t, addDeployPullRequests,
		pg.Args{"project_id": d.ProjectID, "urls": urls, "number": number})
	return err
}

// addDeployCommits adds the commits of a deploy. withPushed says that everything pushed before these commits is included.
func (t *tx) addDeployCommits(ctx context.Context, project, number int64, commits []string, withPushed bool) error {
	_, err := pg.Exec(ctx, t, addDeployCommits, pg.Args{
		"project_id": project, "commits": sortOnce(commits), "number": number, "with_pushed": withPushed,
	})
	return err
}

// sortOnce sorts the texts and removes duplicates.
func sortOnce[T cmp.Ordered](values []T) []T {
	slices.Sort(values)
	return slices.Compact(values)
}
