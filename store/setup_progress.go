package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

const (
	selectSetupProgress = `
SELECT p.id, p.slug, p.name, a.connected_at, a.sdk_installed_at, a.deploy_configured_at, a.test_event_at, a.first_event_at,
	d.first_deploy_at, coalesce(nullif(k.agent, ''), a.agent) AS agent
FROM setup_apps a
JOIN projects p ON p.id = a.project_id AND p.deleted_at IS NULL
LEFT JOIN setup_keys k ON k.id = a.setup_key_id
LEFT JOIN LATERAL (
	SELECT deployed_at AS first_deploy_at FROM deploys
	WHERE project_id = a.project_id AND /* of its project: deploys */ true ORDER BY number LIMIT 1
) d ON true`
	listSetupProgress = selectSetupProgress + `
WHERE (@key::bigint = 0 OR a.setup_key_id = @key) AND (@projects::bigint[] IS NULL OR a.project_id = ANY (@projects))
ORDER BY a.created_at DESC, a.project_id DESC`
	readSetupProgress = selectSetupProgress + `
WHERE a.project_id = @project_id`
	// This reads all issues of an app only once: when it has its first issue that is not a test.
	noteFirstEvents = `
UPDATE setup_apps a
SET first_event_at = (SELECT min(i.first_seen) FROM issues i WHERE i.project_id = a.project_id AND NOT i.test)
WHERE a.first_event_at IS NULL AND (@key::bigint = 0 OR a.setup_key_id = @key) AND (@id::bigint = 0 OR a.project_id = @id)
	AND EXISTS (SELECT 1 FROM issues i WHERE i.project_id = a.project_id AND NOT i.test)`
)

// SetupState is the state of the setup of an app.
type SetupState struct {
	ID                 int64
	Slug               string
	Name               string
	ConnectedAt        core.Time
	SDKInstalledAt     core.Time `db:"sdk_installed_at"`
	DeployConfiguredAt core.Time
	TestEventAt        core.Time
	FirstEventAt       core.Time
	FirstDeployAt      core.Time
	Agent              string
}

// ListSetupProgress lists the apps that the actor sets up, newest first: for a setup key those that it has registered, for
// others all. It also counts the setup keys that are valid now.
func (s *Store) ListSetupProgress(ctx context.Context, actor core.Actor) (apps []SetupState, activeKeys int64, err error) {
	if err = s.noteFirstEvents(ctx, setupKeyOf(actor), 0); err != nil {
		return nil, 0, err
	}
	apps, err = pg.QueryMany[SetupState](ctx, s.db.Main, listSetupProgress,
		pg.Args{"key": setupKeyOf(actor), "projects": projectsOf(ctx, 0)})
	if err != nil {
		return nil, 0, err
	}
	if core.ReachOf(ctx) != nil { // setup keys belong to the installation
		return apps, 0, nil
	}
	active, err := pg.QueryOne[struct{ N int64 }](ctx, s.db.Main, countActiveSetupKeys, pg.Args{"now": s.Now()})
	return apps, active.N, err
}

// ReadSetupProgress returns the state of the setup of a project. A project that was never set up has an empty state.
func (s *Store) ReadSetupProgress(ctx context.Context, project int64) (SetupState, error) {
	if err := s.noteFirstEvents(ctx, 0, project); err != nil {
		return SetupState{}, err
	}
	state, err := pg.QueryOne[SetupState](ctx, s.db.Main, s.db.OfProject(readSetupProgress), pg.Args{"project_id": project})
	if core.HasCode(err, core.NotFound) {
		return SetupState{}, nil
	}
	return state, err
}

// noteFirstEvents notes when the first error of apps arrived, for a setup key and a project; 0 means any.
func (s *Store) noteFirstEvents(ctx context.Context, key, project int64) error {
	_, err := pg.Exec(ctx, s.db.Main, noteFirstEvents, pg.Args{"key": key, "id": project})
	return err
}
