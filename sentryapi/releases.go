package sentryapi

import (
	"cmp"
	"fmt"
	"net/http"

	"errand/core"
)

// release is a release in Sentry's words.
type release struct {
	Version      string           `json:"version"`
	ShortVersion string           `json:"shortVersion"`
	URL          *string          `json:"url"`
	DateCreated  core.Time        `json:"dateCreated"`
	DateReleased core.Time        `json:"dateReleased"`
	LastEvent    core.Time        `json:"lastEvent"`
	NewGroups    int              `json:"newGroups"`
	Projects     []releaseProject `json:"projects"`
	LastCommit   *releaseCommit   `json:"lastCommit,omitempty"`
}

// releaseCommit is a commit of a release.
type releaseCommit struct {
	ID string `json:"id"`
}

// releaseProject is one of the projects of a release.
type releaseProject struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// releaseInput is the body that makes or changes a release.
type releaseInput struct {
	Version      string    `json:"version"`
	Projects     []string  `json:"projects"`
	Status       string    `json:"status"`
	DateReleased core.Text `json:"dateReleased"`
	Commits      []struct {
		ID string `json:"id"`
	} `json:"commits"`
	Refs []struct {
		Commit string `json:"commit"`
	} `json:"refs"`
}

// readReleaseBody reads the body. Errand's releases are neither archived nor reopened.
func (r *request) readReleaseBody() (releaseInput, error) {
	var in releaseInput
	if err := r.readBody(&in); err != nil {
		return in, err
	}
	if in.Status != "" && in.Status != "open" {
		return in, core.RefuseField("status", "must be open: releases are not archived here")
	}
	in.Version = cmp.Or(in.Version, r.pathPart("version"))
	if named := r.pathPart("project"); named != "" {
		in.Projects = []string{named}
	}
	return in, nil
}

// commitIDs returns the commits that the body names, newest first.
func (in releaseInput) commitIDs() []string {
	var ids []string
	for _, c := range in.Commits {
		ids = append(ids, c.ID)
	}
	for _, ref := range in.Refs {
		ids = append(ids, ref.Commit)
	}
	return ids
}

func (s *server) createRelease(r *request) (int, any, error) {
	return s.putRelease(r, http.StatusCreated)
}

func (s *server) changeRelease(r *request) (int, any, error) { return s.putRelease(r, http.StatusOK) }

// putRelease makes a release on first use, and keeps its commits.
func (s *server) putRelease(r *request, status int) (int, any, error) {
	in, err := r.readReleaseBody()
	if err != nil {
		return 0, nil, err
	}
	projects, err := s.findProjects(r, in.Version, in.Projects)
	if err != nil {
		return 0, nil, err
	}
	for _, project := range projects {
		if commits := in.commitIDs(); len(commits) > 0 {
			err = s.Releases.KeepReleaseCommits(r.Context(), project, in.Version, commits)
		} else {
			err = s.Releases.CreateRelease(r.Context(), project, in.Version)
		}
		if err != nil {
			return 0, nil, err
		}
	}
	if status == http.StatusCreated {
		err = s.Releases.JoinProjectsOfRelease(r.Context(), projects, in.Version)
	}
	if err == nil && in.DateReleased != "" {
		err = s.Releases.FinalizeRelease(r.Context(), projects, in.Version)
	}
	if err != nil {
		return 0, nil, err
	}
	now := core.At(s.Clock())
	made := release{Version: in.Version, ShortVersion: in.Version, DateCreated: now, Projects: []releaseProject{}}
	if in.DateReleased != "" {
		made.DateReleased = now
	}
	for _, slug := range in.Projects {
		made.Projects = append(made.Projects, releaseProject{slug, slug})
	}
	return status, made, nil
}

// findProjects finds the projects of a request about a release.
func (s *server) findProjects(r *request, version string, named []string) ([]int64, error) {
	projects, err := s.Releases.FindReleaseProjects(r.Context(), r.call.Actor, r.pathPart("org"), version, named)
	if core.HasCode(err, core.NotFound) {
		err = noRelease(version)
	}
	return projects, err
}

func noRelease(version string) *core.Error {
	failure := core.NewError(core.NotFound)
	failure.Details = []core.Detail{{Message: fmt.Sprintf("There is no release %q: sentry-cli releases new makes it", version)}}
	return failure
}
