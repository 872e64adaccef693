package store

import (
	"context"

	"errand/core"
	"errand/scrub"
	"errand/store/pg"
)

// digestOfRelease is the digest of the column release of n, as in core.DigestName.
const digestOfRelease = `CASE
		WHEN strpos(n.release, E'\x1f') > 0 THEN split_part(n.release, E'\x1f', 2)
		ELSE left(encode(sha256(convert_to(n.release, 'UTF8')), 'hex'), 32) END`

// Names of releases and environments are stored in the form of core.StoreName. Ingest makes it for events, this file for
// deploys, releases, source maps and filters.

const (
	selectNameRules = `SELECT scrub_keys, scrub_patterns FROM projects WHERE id = @id AND deleted_at IS NULL`
	// The project's rules may have changed since the release was stored; then its name changes.
	renameRelease  = `UPDATE releases SET version = @name WHERE project_id = @project_id AND version = @before`
	renameDeploys  = `UPDATE deploys SET release = @name WHERE project_id = @project_id AND release = @before`
	renameCommits  = `UPDATE release_commits SET release = @name WHERE project_id = @project_id AND release = @before`
	selectReleased = `
SELECT version FROM releases WHERE project_id = @project_id AND digest = @digest ORDER BY version = @name DESC, id LIMIT 1`
)

// readNameRules returns a project's scrubbing rules, or project_not_found.
func (t *tx) readNameRules(ctx context.Context, project int64) (*scrub.Rules, error) {
	settings, err := pg.QueryOne[ScrubSettings](ctx, t, selectNameRules, pg.Args{"id": project})
	if core.HasCode(err, core.NotFound) {
		return nil, core.NewError(core.ProjectNotFound)
	}
	if err != nil {
		return nil, err
	}
	return scrub.NewRules(settings.ScrubKeys, settings.ScrubPatterns)
}

// storeRelease returns the stored form of a release named in a field, or an error when nothing of the name is left.
func (t *tx) storeRelease(ctx context.Context, project int64, field, name string) (string, error) {
	rules, err := t.readNameRules(ctx, project)
	if err != nil {
		return "", err
	}
	release := rules.StoreRelease(name)
	if release == "" {
		return "", core.RefuseField(field, "must not be blank")
	}
	return release, t.renameRelease(ctx, project, release)
}

// digestRelease returns the digest of a release by its given name.
func digestRelease(name string) string { return core.DigestName(scrub.CleanRelease(name)) }

// renameRelease renames the stored rows of a release to its name under the current rules.
func (t *tx) renameRelease(ctx context.Context, project int64, name string) error {
	before, err := pg.QueryOne[struct{ Version string }](ctx, t, selectReleased,
		pg.Args{"project_id": project, "digest": core.DigestName(name), "name": name})
	if core.HasCode(err, core.NotFound) || err == nil && before.Version == name {
		return nil
	}
	if err != nil {
		return err
	}
	for _, rename := range []string{renameRelease, renameDeploys, renameCommits} {
		if _, err := pg.Exec(ctx, t, rename, pg.Args{"project_id": project, "before": before.Version, "name": name}); err != nil {
			return err
		}
	}
	return nil
}

// storeNames replaces a deploy's release and environment with their stored forms.
func (t *tx) storeNames(ctx context.Context, d *NewDeploy) (err error) {
	rules, err := t.readNameRules(ctx, d.ProjectID)
	if err != nil {
		return err
	}
	d.Release, d.Environment = rules.StoreRelease(d.Release), rules.StoreEnvironment(d.Environment)
	switch {
	case d.Release == "":
		return core.RefuseField("release", "must not be blank")
	case d.Environment == "":
		return core.RefuseField("environment", "must not be blank")
	}
	return nil
}

const (
	// A reader knows the shown part of a name, a build script knows the whole name.
	maskedReleases = `
SELECT DISTINCT r.release AS name FROM projects o JOIN issue_releases r ON r.project_id = o.id
WHERE o.deleted_at IS NULL AND (@projects::bigint[] IS NULL OR o.id = ANY (@projects)) AND strpos(r.release, E'\x1f') > 0
	AND (split_part(r.release, E'\x1f', 2) = @digest OR split_part(r.release, E'\x1f', 1) = @name)
ORDER BY r.release LIMIT @rows`
	maskedEnvironments = `
SELECT DISTINCT e.environment AS name FROM projects o JOIN issue_environments e ON e.project_id = o.id
WHERE o.deleted_at IS NULL AND (@projects::bigint[] IS NULL OR o.id = ANY (@projects)) AND strpos(e.environment, E'\x1f') > 0
	AND (split_part(e.environment, E'\x1f', 2) = @digest OR split_part(e.environment, E'\x1f', 1) = @name)
ORDER BY e.environment LIMIT @rows`
)

// namesToFilter is the largest number of stored forms of a name that a filter compares with.
const namesToFilter = 1000

// storedNames are the stored forms of a filter's names.
type storedNames struct{ releases, environments []string }

// findStoredNames returns the stored forms of a filter's names: as given, because older events are stored like that,
// cleaned, and masked. A masked form belongs to the name if it has the digest of the name, or if readers see it as the name.
func (s *Store) findStoredNames(ctx context.Context, f IssueFilter) (names storedNames, err error) {
	if names.releases, err = s.findForms(ctx, maskedReleases, f.ProjectID, f.Release, scrub.CleanRelease(f.Release)); err != nil {
		return names, err
	}
	names.environments, err = s.findForms(ctx, maskedEnvironments, f.ProjectID, f.Environment, scrub.CleanEnvironment(f.Environment))
	return names, err
}

func (s *Store) findForms(ctx context.Context, sql string, project int64, given, cleaned string) ([]string, error) {
	if given == "" {
		return nil, nil
	}
	rows, err := pg.QueryMany[struct{ Name string }](ctx, s.db.Main, sql,
		pg.Args{"projects": projectsOf(ctx, project), "name": cleaned, "digest": core.DigestName(cleaned), "rows": namesToFilter})
	names := []string{given}
	if cleaned != given && cleaned != "" {
		names = append(names, cleaned)
	}
	for _, row := range rows {
		names = append(names, row.Name)
	}
	return names, err
}
