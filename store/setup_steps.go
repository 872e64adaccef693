package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/pg"
)

const (
	// A project that no setup registered gets its row with the first reported step.
	trackSetup = `
INSERT INTO setup_apps (project_id, setup_key_id, created_at)
SELECT p.id, 0, @now FROM projects p WHERE p.id = @id AND p.deleted_at IS NULL
ON CONFLICT (project_id) DO NOTHING`
	nameSetupAgent  = `UPDATE setup_apps SET agent = @agent WHERE project_id = @id AND agent = ''`
	noteConnected   = `UPDATE setup_apps SET connected_at = @now WHERE project_id = @id AND connected_at IS NULL`
	noteInstalled   = `UPDATE setup_apps SET sdk_installed_at = @now WHERE project_id = @id AND sdk_installed_at IS NULL`
	noteDeployReady = `UPDATE setup_apps SET deploy_configured_at = @now WHERE project_id = @id AND deploy_configured_at IS NULL`

	beginTestEvent = `
UPDATE setup_apps SET test_begun_at = @now, test_event_id = coalesce(test_event_id, @event_id)
WHERE project_id = @id AND test_event_at IS NULL AND (test_begun_at IS NULL OR test_begun_at <= @given_up)
RETURNING test_event_id AS event_id`
	endTestEvent = `
UPDATE setup_apps SET test_event_at = CASE WHEN @sent THEN @now::timestamptz END, test_begun_at = CASE WHEN @sent THEN test_begun_at END
WHERE project_id = @id AND test_event_at IS NULL`
)

var setupSteps = map[core.SetupStep]string{
	core.StepConnected: noteConnected, core.StepSDKInstalled: noteInstalled, core.StepDeployConfigured: noteDeployReady,
}

// ReportSetupStep notes when a step of the setup of a project was first reported, and the program that reported it.
func (s *Store) ReportSetupStep(ctx context.Context, project int64, step core.SetupStep, program core.Program) error {
	return s.inTx(ctx, func(t *tx) error {
		for _, sql := range []string{trackSetup, setupSteps[step]} {
			if _, err := pg.Exec(ctx, t, sql, pg.Args{"id": project, "now": t.Now}); err != nil {
				return err
			}
		}
		_, err := pg.Exec(ctx, t, nameSetupAgent, pg.Args{"id": project, "agent": string(program)})
		return err
	})
}

// testEventAtMost is the longest time for sending a test event. An attempt that takes longer, because the server
// died, may be repeated.
const testEventAtMost = time.Minute

// BeginTestEvent lets the caller send the test event of a project, and returns its event id: the given one, or that from an
// earlier attempt. It returns test_event_exists when the event was sent or is being sent.
func (s *Store) BeginTestEvent(ctx context.Context, project int64, eventID [16]byte) (id [16]byte, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		if _, err := pg.Exec(ctx, t, trackSetup, pg.Args{"id": project, "now": t.Now}); err != nil {
			return err
		}
		begun, err := pg.QueryOne[struct{ EventID []byte }](ctx, t, beginTestEvent, pg.Args{
			"id": project, "now": t.Now, "event_id": eventID[:], "given_up": t.Now.Add(-testEventAtMost),
		})
		copy(id[:], begun.EventID)
		if core.HasCode(err, core.NotFound) {
			return core.NewError(core.TestEventExists)
		}
		return err
	})
	return id, err
}

// EndTestEvent notes whether the test event of a project was taken in. If not, it may be sent again.
func (s *Store) EndTestEvent(ctx context.Context, project int64, isSent bool) error {
	_, err := pg.Exec(ctx, s.db.Main, endTestEvent, pg.Args{"id": project, "now": s.Now(), "sent": isSent})
	return err
}
