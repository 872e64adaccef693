package tools

import (
	"cmp"
	"context"
	"fmt"

	"errand/core"
	"errand/fixes"
	"errand/store"
)

func (t *Tools) createDeploy(ctx context.Context, call core.Call, in core.CreateDeployInput) (core.Data[core.ReportedDeploy], error) {
	deploy, err := t.readDeploy(in)
	if err != nil {
		return wrapData(core.ReportedDeploy{}, err)
	}
	deploy.Source = cmp.Or(call.DeployedBy, core.DeployedByAPI)
	if deploy.ProjectID, err = t.store.FindProjectExactly(ctx, in.Project); err != nil {
		return wrapData(core.ReportedDeploy{}, err)
	}
	if err := call.Actor.CheckProject(deploy.ProjectID); err != nil {
		return wrapData(core.ReportedDeploy{}, err)
	}
	return wrapData(t.store.CreateDeploy(ctx, call.Actor, deploy))
}

// readDeploy checks commits and pull requests, and names every faulty one.
func (t *Tools) readDeploy(in core.CreateDeployInput) (store.NewDeploy, error) {
	var wrong []core.Detail
	refuse := func(path string, err error) {
		if err != nil {
			wrong = append(wrong, core.Detail{Path: path, Message: err.Error()})
		}
	}
	deploy := store.NewDeploy{Environment: in.Environment}
	var err error
	deploy.Commit, err = fixes.ParseCommit(in.Commit)
	refuse("commit", err)
	for i, text := range in.Commits {
		commit, err := fixes.ParseCommit(text)
		refuse(fmt.Sprintf("commits.%d", i), err)
		deploy.Commits = append(deploy.Commits, commit)
	}
	for i, text := range in.PullRequests {
		url, err := t.scmHosts.ParsePullRequest(text, "")
		refuse(fmt.Sprintf("pull_requests.%d", i), err)
		deploy.PullRequests = append(deploy.PullRequests, url)
	}
	if len(wrong) > 0 {
		return deploy, &core.Error{Code: core.InvalidRequest, Details: wrong}
	}
	deploy.Release = cmp.Or(in.Release, deploy.Commit)
	return deploy, nil
}
