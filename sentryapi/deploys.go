package sentryapi

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"errand/core"
)

// deploy is a deploy in Sentry's words.
type deploy struct {
	ID           string    `json:"id"`
	Environment  string    `json:"environment"`
	Name         core.Text `json:"name"`
	URL          core.Text `json:"url"`
	DateStarted  core.Time `json:"dateStarted"`
	DateFinished core.Time `json:"dateFinished"`
}

// createDeploy reports a deploy. Sentry's deploys name no commit, so it is the newest commit of the release, or the
// version when that is a SHA (decisions 6).
func (s *server) createDeploy(r *request) (int, any, error) {
	var in struct {
		Environment string    `json:"environment"`
		Name        core.Text `json:"name"`
		URL         core.Text `json:"url"`
		Projects    []string  `json:"projects"`
	}
	if err := r.readBody(&in); err != nil {
		return 0, nil, err
	}
	version := r.pathPart("version")
	projects, err := s.findProjects(r, version, in.Projects)
	if err != nil {
		return 0, nil, err
	}
	commits, err := s.readCommits(r, projects, version)
	if err != nil {
		return 0, nil, err
	}
	var reported core.ReportedDeploy
	for i, project := range projects {
		if reported, err = s.reportDeploy(r, project, version, in.Environment, commits[i]); err != nil {
			return 0, nil, err
		}
	}
	return http.StatusCreated, deploy{
		ID: fmt.Sprint(reported.ID), Environment: reported.Environment, Name: in.Name, URL: in.URL, DateFinished: reported.DeployedAt,
	}, nil
}

// readCommits reads the commits of a release in each of its projects. A project without commits takes another
// project's: they were set for the release before this project joined it.
func (s *server) readCommits(r *request, projects []int64, version string) ([][]string, error) {
	all, some := make([][]string, len(projects)), []string(nil)
	for i, project := range projects {
		var err error
		if all[i], err = s.Releases.ReadReleaseCommits(r.Context(), project, version); err != nil {
			return nil, err
		}
		if len(all[i]) > 0 {
			some = all[i]
		}
	}
	for i := range all {
		if len(all[i]) == 0 {
			all[i] = some
		}
	}
	return all, nil
}

func (s *server) reportDeploy(r *request, project int64, version, environment string, commits []string) (core.ReportedDeploy, error) {
	commit, others := version, []any{}
	for _, c := range commits {
		others = append(others, c)
	}
	if len(commits) > 0 {
		commit = commits[0]
	}
	reported, err := callOperation[core.Data[core.ReportedDeploy]](s, r, core.CreateDeploy.Operation, map[string]any{
		"project": fmt.Sprint(project), "release": version, "commit": commit, "commits": others,
		"environment": cmp.Or(environment, "production"),
	})
	if core.HasCode(err, core.InvalidRequest) && len(commits) == 0 && core.AsError(err).Details[0].Path == "commit" {
		err = core.RefuseField("", "release %[1]q has no commits, and is not a commit itself: run sentry-cli releases set-commits %[1]s --auto "+
			"first; if that finds none, the release before has them already: errand deploy --release %[1]s --commit <commit>", version)
	}
	return reported.Data, err
}

// listDeploys lists the deploys of a release in all of its projects. If there are several projects, each deploy is named by its project.
func (s *server) listDeploys(r *request) (int, any, error) {
	details, err := s.readRelease(r)
	if err != nil {
		return 0, nil, err
	}
	var projects map[int64]core.Project
	if len(details) > 1 {
		if projects, err = s.readProjects(r); err != nil {
			return 0, nil, err
		}
	}
	deploys := []deploy{}
	for _, detail := range details {
		for _, d := range detail.Deploys {
			name := core.Text(projects[detail.ProjectID].Slug)
			deploys = append(deploys, deploy{ID: fmt.Sprint(d.ID), Environment: d.Environment, Name: name, DateFinished: d.DeployedAt})
		}
	}
	slices.SortStableFunc(deploys, func(a, b deploy) int { return b.DateFinished.Compare(a.DateFinished.Time) })
	return http.StatusOK, deploys, nil
}
