package store

import (
	"context"
	"maps"
	"slices"

	"errand/core"
	"errand/store/pg"
)

// StoredSetting is the last value of a setting of the installation.
type StoredSetting struct {
	Name  string
	Value *string // nil: unset
	SetBy string
	SetAt core.Time
}

// SettingChange is one change by SaveSettings.
type SettingChange struct {
	Name     string
	Old, New *string // nil: not set
}

const (
	// Servers that start at the same time write one after the other, so that each one sees the value before its own.
	lockInstallSettings = `LOCK TABLE install_settings IN SHARE ROW EXCLUSIVE MODE`
	listInstallSettings = `SELECT name, value, set_by, set_at FROM install_settings ORDER BY name`
	saveInstallSetting  = `
INSERT INTO install_settings (name, value, set_by, set_at) VALUES (@name, @value, @set_by, @now)
ON CONFLICT (name) DO UPDATE SET value = excluded.value, set_by = excluded.set_by, set_at = excluded.set_at`
)

// Settings returns the settings of the installation as this server last read them. LoadSettings refreshes them.
func (s *Store) Settings() *core.Settings { return s.settings.Load() }

// LoadSettings reads the settings of the installation, which apply to this server from then on, and returns those that were
// ever set. After an error the previous ones still apply.
func (s *Store) LoadSettings(ctx context.Context) ([]StoredSetting, error) {
	rows, err := pg.QueryMany[StoredSetting](ctx, s.db.Main, listInstallSettings, pg.Args{})
	if err != nil {
		return nil, err
	}
	texts := maps.Clone(s.ownSettings)
	for _, r := range rows {
		if r.Value != nil {
			texts[r.Name] = *r.Value
		}
	}
	settings, err := core.ReadSettings(texts)
	if err != nil {
		return nil, err
	}
	s.settings.Store(&settings)
	return rows, nil
}

// ListSettings returns every setting of the installation with its value, read like LoadSettings. The value is empty where nobody has set
// one that has no default: each server then has its own.
func (s *Store) ListSettings(ctx context.Context) (core.List[core.SettingState], error) {
	rows, err := s.LoadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var list core.List[core.SettingState]
	for _, setting := range core.InstallationSettings() {
		state := core.SettingState{Name: setting.Name, Value: setting.Default, Default: true}
		if at := slices.IndexFunc(rows, func(row StoredSetting) bool { return row.Name == setting.Name }); at >= 0 {
			state.SetBy, state.SetAt = core.Text(rows[at].SetBy), rows[at].SetAt
			if value := rows[at].Value; value != nil {
				state.Value, state.Default = *value, false
			}
		}
		list = append(list, state)
	}
	return list, nil
}

// SaveSettings sets settings of the installation (nil unsets one) and returns those that changed. An unchanged setting
// keeps the record of who set it, and when.
func (s *Store) SaveSettings(ctx context.Context, values map[string]*string, by string) ([]SettingChange, error) {
	var changes []SettingChange
	err := s.inTx(ctx, func(t *tx) error {
		changes = nil
		if _, err := t.Exec(ctx, lockInstallSettings); err != nil {
			return err
		}
		rows, err := pg.QueryMany[StoredSetting](ctx, t, listInstallSettings, pg.Args{})
		if err != nil {
			return err
		}
		old := map[string]*string{}
		for _, r := range rows {
			old[r.Name] = r.Value
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			before, value := old[name], values[name]
			if before == value || before != nil && value != nil && *before == *value {
				continue
			}
			if _, err := pg.Exec(ctx, t, saveInstallSetting, pg.Args{"name": name, "value": value, "set_by": by, "now": t.Now}); err != nil {
				return err
			}
			changes = append(changes, SettingChange{name, before, value})
		}
		return nil
	})
	return changes, err
}
