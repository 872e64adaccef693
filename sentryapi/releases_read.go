package sentryapi

import (
	"fmt"
	"net/http"

	"errand/core"
)

// listedReleases is how many releases are listed, newest first.
const listedReleases = 100

// findReleaseProjects finds the projects of the release in the path.
func (s *server) findReleaseProjects(r *request) ([]int64, error) {
	var named []string
	if slug := r.pathPart("project"); slug != "" {
		named = []string{slug}
	}
	return s.findProjects(r, r.pathPart("version"), named)
}

// listReleases lists the releases of a project, or of all. A release of several projects is listed once.
func (s *server) listReleases(r *request) (int, any, error) {
	args := map[string]any{"limit": listedReleases}
	if named := r.pathPart("project"); named != "" || r.call.Actor.ProjectID != 0 {
		var refs []string
		if named != "" {
			refs = []string{named}
		}
		projects, err := s.findProjects(r, "", refs)
		if err != nil {
			return 0, nil, err
		}
		args["project"] = fmt.Sprint(projects[0])
	}
	page, err := callOperation[core.Page[core.Release]](s, r, core.ListReleases.Operation, args)
	if err != nil {
		return 0, nil, err
	}
	shown, err := s.showReleases(r, page.Data)
	return http.StatusOK, shown, err
}

// showReleases returns releases in Sentry's words, with releases of the same name merged into one.
func (s *server) showReleases(r *request, listed []core.Release) ([]*release, error) {
	finalized, err := s.Releases.ReadReleasedAt(r.Context(), listed)
	if err != nil {
		return nil, err
	}
	projects, err := s.readProjects(r)
	if err != nil {
		return nil, err
	}
	shown, byVersion := []*release{}, map[string]*release{}
	for _, one := range listed {
		in := byVersion[one.Version]
		if in == nil {
			in = &release{Version: one.Version, ShortVersion: one.Version, DateCreated: one.CreatedAt, Projects: []releaseProject{}}
			byVersion[one.Version] = in
			shown = append(shown, in)
		}
		in.addProject(one, finalized[core.ReleaseKey{ProjectID: one.ProjectID, Version: one.Version}])
		if p, isKnown := projects[one.ProjectID]; isKnown {
			in.Projects = append(in.Projects, releaseProject{p.Slug, p.Name})
		}
	}
	return shown, nil
}

// addProject adds a release's state in one project. It counts as released when it was finalized or first deployed, whichever came first.
func (in *release) addProject(one core.Release, finalized core.Time) {
	in.noteReleased(finalized)
	if len(one.Deploys) > 0 {
		in.noteReleased(one.Deploys[len(one.Deploys)-1].DeployedAt)
	}
}

func (in *release) noteReleased(at core.Time) {
	if !at.IsZero() && (in.DateReleased.IsZero() || at.Before(in.DateReleased.Time)) {
		in.DateReleased = at
	}
}

// readProjects returns the projects that the caller sees, by id.
func (s *server) readProjects(r *request) (map[int64]core.Project, error) {
	listed, err := callOperation[core.Data[[]core.Project]](s, r, core.ListProjects.Operation, nil)
	projects := make(map[int64]core.Project, len(listed.Data))
	for _, p := range listed.Data {
		projects[p.ID] = p
	}
	return projects, err
}

// readRelease reads a release through its operation, in each of its projects.
func (s *server) readRelease(r *request) ([]core.ReleaseDetail, error) {
	projects, err := s.findReleaseProjects(r)
	if err != nil {
		return nil, err
	}
	details := make([]core.ReleaseDetail, len(projects))
	for i, project := range projects {
		detail, err := callOperation[core.Data[core.ReleaseDetail]](s, r, core.GetRelease.Operation,
			map[string]any{"project": fmt.Sprint(project), "version": r.pathPart("version")})
		if core.HasCode(err, core.NotFound) {
			err = noRelease(r.pathPart("version"))
		}
		if err != nil {
			return nil, err
		}
		details[i] = detail.Data
	}
	return details, nil
}

func (s *server) showRelease(r *request) (int, any, error) {
	details, err := s.readRelease(r)
	if err != nil {
		return 0, nil, err
	}
	releases, newIssues := make([]core.Release, len(details)), 0
	for i, detail := range details {
		releases[i] = detail.Release
		newIssues += len(detail.NewIssueIDs)
	}
	shown, err := s.showReleases(r, releases)
	if err != nil {
		return 0, nil, err
	}
	shown[0].NewGroups = newIssues
	return http.StatusOK, shown[0], nil
}

// refuseDeletion answers releases delete. sentry-cli shows only the text of a 400; a 404 it takes for a missing release.
func (s *server) refuseDeletion(r *request) (int, any, error) {
	return 0, nil, core.RefuseField("", "releases are not deleted here: events, deploys and fixes refer to release %q", r.pathPart("version"))
}

// showCommitsBefore answers where sentry-cli stops listing commits: at the last commit of the release before. Without
// one, or when its projects differ, sentry-cli takes the last 20.
func (s *server) showCommitsBefore(r *request) (int, any, error) {
	projects, err := s.findReleaseProjects(r)
	if err != nil {
		return 0, nil, err
	}
	shown := release{DateCreated: core.At(s.Clock()), Projects: []releaseProject{}}
	for _, project := range projects {
		before, commit, err := s.Releases.FindCommitsBefore(r.Context(), project, r.pathPart("version"))
		isNone := core.HasCode(err, core.NotFound)
		if err != nil && !isNone {
			return 0, nil, err
		}
		if isNone || shown.LastCommit != nil && shown.LastCommit.ID != commit {
			return http.StatusOK, struct{}{}, nil
		}
		shown.Version, shown.ShortVersion, shown.LastCommit = before, before, &releaseCommit{ID: commit}
	}
	return http.StatusOK, shown, nil
}
