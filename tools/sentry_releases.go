package tools

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"errand/core"
	"errand/fixes"
	"errand/store"
)

// maxReleaseCommits bounds the commits kept for a release, as for a deploy (primary API, Limits).
const maxReleaseCommits = 1000

// FindReleaseProjects returns the projects that a caller of Sentry's API means. A bound token decides. Otherwise the
// named projects count, by slug or id. If none is named, it is the project that has the release. If several have it,
// it is the one whose slug is the organization, else those that the release was made for in one call.
func (t *Tools) FindReleaseProjects(ctx context.Context, actor core.Actor, organization, version string, named []string) ([]int64, error) {
	if actor.ProjectID != 0 {
		return []int64{int64(actor.ProjectID)}, t.checkNamedProjects(ctx, actor, named)
	}
	if len(named) == 0 {
		return t.findProjectsByRelease(ctx, organization, version)
	}
	projects := make([]int64, len(named))
	for i, ref := range named {
		var err error
		if projects[i], err = t.store.FindProject(ctx, core.ProjectRef(ref)); err != nil {
			return nil, err
		}
	}
	return projects, nil
}

// checkNamedProjects refuses names of projects other than the token's. Unknown names are ignored: the project may
// have had another name at Sentry.
func (t *Tools) checkNamedProjects(ctx context.Context, actor core.Actor, named []string) error {
	for _, ref := range named {
		project, err := t.store.FindProject(ctx, core.ProjectRef(ref))
		if core.HasCode(err, core.ProjectNotFound) {
			continue
		}
		if err == nil {
			err = actor.CheckProject(project)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Tools) findProjectsByRelease(ctx context.Context, organization, version string) ([]int64, error) {
	if version == "" {
		return nil, core.RefuseField("projects", "must name a project")
	}
	having, err := t.store.FindProjectsOfRelease(ctx, version)
	if err != nil {
		return nil, err
	}
	if len(having) == 0 {
		return nil, core.NewError(core.NotFound)
	}
	meant, err := t.store.FindProject(ctx, core.ProjectRef(organization))
	if err != nil && !core.HasCode(err, core.ProjectNotFound) {
		return nil, err
	}
	for _, project := range having {
		if err == nil && project.ID == meant || len(having) == 1 {
			return []int64{project.ID}, nil
		}
	}
	if projects := findMadeTogether(having); len(projects) > 0 {
		return projects, nil
	}
	return nil, core.RefuseField("projects", "must be named: %d projects have this release, which was not made for all of them in one call "+
		"(sentry-cli releases new -p one -p other). Use a token that is bound to the project, or its slug as SENTRY_ORG too", len(having))
}

// findMadeTogether returns the projects that a release was made for in one call. It returns none if there were
// several such calls: projects of other repositories may have releases of the same name.
func findMadeTogether(having []store.ReleaseProject) (projects []int64) {
	var group []int64
	for _, project := range having {
		switch {
		case len(project.MadeFor) == 0:
			continue
		case group == nil:
			group = project.MadeFor
		case !slices.Equal(group, project.MadeFor):
			return nil
		}
		projects = append(projects, project.ID)
	}
	return projects
}

// CreateRelease makes a release of a project, unless it exists.
func (t *Tools) CreateRelease(ctx context.Context, project int64, version string) error {
	if err := checkRelease(version); err != nil {
		return err
	}
	return t.store.CreateRelease(ctx, project, version)
}

// JoinProjectsOfRelease records that a release was made for several projects in one call.
func (t *Tools) JoinProjectsOfRelease(ctx context.Context, projects []int64, version string) error {
	return t.store.JoinProjectsOfRelease(ctx, projects, version)
}

// FinalizeRelease records that a release is finalized.
func (t *Tools) FinalizeRelease(ctx context.Context, projects []int64, version string) error {
	return t.store.FinalizeRelease(ctx, projects, version)
}

// ReadReleasedAt returns the times when releases were finalized.
func (t *Tools) ReadReleasedAt(ctx context.Context, releases []core.Release) (map[core.ReleaseKey]core.Time, error) {
	return t.store.ReadReleasedAt(ctx, releases)
}

// KeepReleaseCommits keeps the commits of a release, newest first, for its deploys. Commits beyond the limit of a deploy are dropped.
func (t *Tools) KeepReleaseCommits(ctx context.Context, project int64, version string, commits []string) error {
	if err := checkRelease(version); err != nil {
		return err
	}
	commits = commits[:min(len(commits), maxReleaseCommits)]
	parsed := make([]string, len(commits))
	for i, text := range commits {
		var err error
		if parsed[i], err = fixes.ParseCommit(text); err != nil {
			return core.RefuseField(fmt.Sprintf("commits.%d.id", i), "%s", err)
		}
	}
	if len(parsed) == 0 {
		return t.store.CreateRelease(ctx, project, version)
	}
	return t.store.KeepReleaseCommits(ctx, project, version, parsed)
}

// ReadReleaseCommits returns the kept commits of a release, newest first.
func (t *Tools) ReadReleaseCommits(ctx context.Context, project int64, version string) ([]string, error) {
	return t.store.ReadReleaseCommits(ctx, project, version)
}

// FindCommitsBefore returns the last release before this one that has commits, and its newest commit; or not_found.
func (t *Tools) FindCommitsBefore(ctx context.Context, project int64, version string) (release, commit string, err error) {
	return t.store.FindCommitsBefore(ctx, project, version)
}

// checkRelease applies the bounds of create_deploy.
func checkRelease(version string) error {
	if utf8.RuneCountInString(version) > core.MaxRelease {
		return core.RefuseField("version", "must have at most %d characters", core.MaxRelease)
	}
	return nil
}
