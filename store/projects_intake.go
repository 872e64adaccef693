package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

// IntakeProject is the part of a project that the intake of events needs.
type IntakeProject struct {
	ID             int64
	Name           string
	Slug           string
	Platform       string
	TrustSetting   *core.Trust
	DailyQuota     *int64
	ScrubKeys      []string
	ScrubPatterns  []string
	AllowedOrigins *[]string
	HasSourceMaps  bool // for any release
}

const (
	findProjectOfKey         = `SELECT project_id AS id FROM project_keys WHERE public_key = @key AND revoked_at IS NULL`
	selectIntakeProjectOfKey = `
SELECT p.id, p.name, p.slug, p.platform, p.trust_setting, p.daily_quota, p.scrub_keys, p.scrub_patterns, p.allowed_origins,
	EXISTS (SELECT 1 FROM source_maps m WHERE m.project_id = p.id) AS has_source_maps
FROM projects p JOIN project_keys k ON p.id = k.project_id
WHERE k.public_key = @key AND k.revoked_at IS NULL AND p.deleted_at IS NULL`
	selectIntakeProject = `
SELECT p.id, p.name, p.slug, p.platform, p.trust_setting, p.daily_quota, p.scrub_keys, p.scrub_patterns, p.allowed_origins,
	EXISTS (SELECT 1 FROM source_maps m WHERE m.project_id = p.id) AS has_source_maps
FROM projects p WHERE p.id = @id AND p.deleted_at IS NULL`
)

// FindIntakeProject returns the project of an active key, or not_found.
func (s *Store) FindIntakeProject(ctx context.Context, publicKey string) (IntakeProject, error) {
	if !s.db.IsDistributed() {
		return pg.QueryOne[IntakeProject](ctx, s.db.Main, selectIntakeProjectOfKey, pg.Args{"key": publicKey})
	}
	// Every node has the keys; only the project's node, if it is there, has the rest.
	project, err := pg.QueryOne[struct{ ID int64 }](ctx, s.db.Main, findProjectOfKey, pg.Args{"key": publicKey})
	if err != nil {
		return IntakeProject{}, err
	}
	return s.ReadIntakeProject(ctx, project.ID)
}

// ReadIntakeProject returns the part of a project that the intake of events needs, or not_found.
func (s *Store) ReadIntakeProject(ctx context.Context, id int64) (IntakeProject, error) {
	return pg.QueryOne[IntakeProject](ctx, s.db.Main, s.byProject(selectIntakeProject), pg.Args{"id": id})
}

// ScrubSettings are a project's additions to the rules that mask texts.
type ScrubSettings struct {
	ScrubKeys     []string
	ScrubPatterns []string
}

const selectScrubSettings = `
SELECT p.scrub_keys, p.scrub_patterns
FROM issues i JOIN projects p ON p.id = i.project_id
WHERE i.project_id = @project_id AND i.id = @issue_id AND p.deleted_at IS NULL`

// ReadScrubSettings returns the settings of an issue's project, or not_found.
func (s *Store) ReadScrubSettings(ctx context.Context, issueID int64) (ScrubSettings, error) {
	project, err := s.findIssueOwner(ctx, issueID)
	if err != nil {
		return ScrubSettings{}, err
	}
	return pg.QueryOne[ScrubSettings](ctx, s.db.Main, selectScrubSettings, pg.Args{"project_id": project, "issue_id": issueID})
}
