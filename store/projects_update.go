package store

import (
	"context"
	"reflect"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

const (
	lockProjectSettings = `
SELECT repository, trust_setting, daily_quota, scrub_keys, scrub_patterns, allowed_origins
FROM projects WHERE id = @id AND deleted_at IS NULL FOR UPDATE`
	updateProjectSettings = `
UPDATE projects SET repository = @repository, trust_setting = @trust_setting, daily_quota = @daily_quota, scrub_keys = @scrub_keys,
	scrub_patterns = @scrub_patterns, allowed_origins = @allowed_origins, updated_at = @now
WHERE id = @id`
)

// projectSettings are the settings of a project that a caller can change.
type projectSettings struct {
	Repository     core.Text
	TrustSetting   *core.Trust
	DailyQuota     *int64
	ScrubKeys      []string
	ScrubPatterns  []string
	AllowedOrigins *[]string
}

// applyChange changes the settings, and returns the names and new values of those that differ now.
func (s *projectSettings) applyChange(c core.ProjectChange) map[string]any {
	changed := map[string]any{}
	replaceSetting(changed, "repository", c.Repository.Set, &s.Repository, core.Text(c.Repository.Value))
	replaceSetting(changed, "trust", c.Trust.Set, &s.TrustSetting, c.Trust.ValueOrNil())
	replaceSetting(changed, "daily_quota", c.DailyQuota.Set, &s.DailyQuota, c.DailyQuota.ValueOrNil())
	replaceSetting(changed, "scrub_keys", c.ScrubKeys.Set, &s.ScrubKeys, c.ScrubKeys.Value)
	replaceSetting(changed, "scrub_patterns", c.ScrubPatterns.Set, &s.ScrubPatterns, c.ScrubPatterns.Value)
	replaceSetting(changed, "allowed_origins", c.AllowedOrigins.Set, &s.AllowedOrigins, c.AllowedOrigins.ValueOrNil())
	return changed
}

func replaceSetting[T any](changed map[string]any, name string, set bool, old *T, value T) {
	if set && !reflect.DeepEqual(*old, value) {
		*old, changed[name] = value, value
	}
}

// UpdateProject changes the settings of a project, or returns project_not_found. A change that changes nothing leaves no
// activity.
func (s *Store) UpdateProject(ctx context.Context, actor core.Actor, id int64, c core.ProjectChange) (StoredProject, error) {
	var project StoredProject
	err := s.inTx(ctx, func(t *tx) error {
		current, err := pg.QueryLocked[projectSettings](ctx, t.Tx, lockProjectSettings, pg.Args{"id": id}, "projects", id)
		if core.HasCode(err, core.NotFound) {
			return core.NewError(core.ProjectNotFound)
		}
		if err != nil {
			return err
		}
		if changed := current.applyChange(c); len(changed) > 0 {
			if err := t.saveSettings(ctx, id, current); err != nil {
				return err
			}
			_, err = t.recordActivity(ctx, activity.Entry{
				ProjectID: id, Actor: actor, Action: core.ActionProjectUpdate, TargetType: core.TargetProject, TargetID: id, Data: changed,
			})
			if err != nil {
				return err
			}
		}
		project, err = s.readProject(ctx, t, id, t.Now)
		return err
	})
	return project, err
}

func (t *tx) saveSettings(ctx context.Context, id int64, s projectSettings) error {
	_, err := pg.Exec(ctx, t, updateProjectSettings, pg.Args{
		"id": id, "repository": string(s.Repository), "trust_setting": s.TrustSetting, "daily_quota": s.DailyQuota,
		"scrub_keys": s.ScrubKeys, "scrub_patterns": s.ScrubPatterns, "allowed_origins": s.AllowedOrigins,
		"now": t.Now,
	})
	return err
}
