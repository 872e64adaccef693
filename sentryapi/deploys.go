package sentryapi

import (
	"cmp"
	"fmt"
	"net/http"

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

// createDeploy reports a deploy. Sentry's names no commit: it is the newest that was set for the release, or the version
// when that is a SHA (decisions 6).
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
	var reported core.ReportedDeploy
	for _, project := range projects {
		if reported, err = s.reportDeploy(r, project, version, in.Environment); err != nil {
			return 0, nil, err
		}
	}
	return http.StatusCreated, deploy{
		ID: fmt.Sprint(reported.ID), Environment: reported.Environment, Name: in.Name, URL: in.URL, DateFinished: reported.DeployedAt,
	}, nil
}

func (s *server) reportDeploy(r *request, project int64, version, environment string) (core.ReportedDeploy, error) {
	commits, err := s.Releases.ReadReleaseCommits(r.Context(), project, version)
	if err != nil {
		return core.ReportedDeploy{}, err
	}
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
		err = core.RefuseField("", "release %q has no commits, and is not a commit itself: run sentry-cli releases set-commits %s --auto first",
			version, version)
	}
	return reported.Data, err
}

func (s *server) listDeploys(r *request) (int, any, error) {
	detail, err := s.readRelease(r)
	deploys := []deploy{}
	for _, d := range detail.Deploys {
		deploys = append(deploys, deploy{ID: fmt.Sprint(d.ID), Environment: d.Environment, DateFinished: d.DeployedAt})
	}
	return http.StatusOK, deploys, err
}
