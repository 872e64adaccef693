package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

// A missing argument keeps what is there.
const changePreferences = `
UPDATE users SET without_keys = coalesce(@without_keys, without_keys), oldest_first = coalesce(@oldest_first, oldest_first),
	zone = coalesce(@zone, zone)
WHERE id = @id`

// preferenceColumns are how a user likes the pages.
type preferenceColumns struct {
	WithoutKeys bool // single keys do nothing
	OldestFirst bool // the outermost frame of a stack comes first
	Zone        string
}

// Preferences returns them as the API does.
func (p preferenceColumns) Preferences() core.Preferences {
	prefers := core.Preferences{SingleKeys: !p.WithoutKeys, Frames: core.NewestFirst, Zone: core.Text(p.Zone)}
	if p.OldestFirst {
		prefers.Frames = core.OldestFirst
	}
	return prefers
}

// PreferenceChange describes a change of preferences. A nil field stays.
type PreferenceChange struct {
	WithoutKeys, OldestFirst *bool
	Zone                     *string
}

// ChangePreferences changes how a user likes the pages. An unknown user has none to change.
func (s *Store) ChangePreferences(ctx context.Context, user int64, c PreferenceChange) error {
	_, err := pg.Exec(ctx, s.db.Main, changePreferences, pg.Args{
		"id": user, "without_keys": c.WithoutKeys, "oldest_first": c.OldestFirst, "zone": c.Zone,
	})
	return err
}
