package store

import (
	"context"
	"strconv"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

const teamIDs pg.Series = "teams"

const selectTeams = `
SELECT t.id, t.created_at, t.updated_at, t.owner_id, t.name, t.slug
FROM teams t`

const (
	listTeams         = selectTeams + ` ORDER BY t.created_at DESC, t.id DESC`
	listTeamsOfOwner  = selectTeams + ` WHERE t.owner_id = @owner_id ORDER BY t.id FOR UPDATE`
	findTeamByID      = selectTeams + ` WHERE t.id = @id`
	findTeamBySlug    = selectTeams + ` WHERE t.slug = @slug`
	lockTeam          = findTeamByID + ` FOR UPDATE`
	listTeamSlugsLike = `SELECT slug FROM teams WHERE id <> @id AND (slug = @slug OR starts_with(slug, @slug || '-'))`
	insertTeam        = `
INSERT INTO teams (id, created_at, updated_at, owner_id, name, slug)
VALUES (@id, @now, @now, @owner_id, @name, @slug) ON CONFLICT DO NOTHING`
	renameTeam = `UPDATE teams SET name = @name, slug = @slug, updated_at = @now WHERE id = @id`
	deleteTeam = `DELETE FROM teams WHERE id = @id`
	shareUser  = `SELECT id FROM users WHERE id = @id FOR SHARE`
)

// Team is a group of people who see the same projects.
type Team struct {
	ID        int64
	CreatedAt core.Time
	UpdatedAt core.Time
	OwnerID   int64
	Name      string
	Slug      string
}

// ListTeams lists all teams, newest first.
func (s *Store) ListTeams(ctx context.Context) ([]Team, error) {
	return pg.QueryMany[Team](ctx, s.db.Main, listTeams, pg.Args{})
}

// FindTeam returns the team that the reference names by id or slug, or not_found.
func (s *Store) FindTeam(ctx context.Context, ref string) (Team, error) {
	if id, err := strconv.ParseInt(ref, 10, 64); err == nil {
		return pg.QueryOne[Team](ctx, s.db.Main, findTeamByID, pg.Args{"id": id})
	}
	return pg.QueryOne[Team](ctx, s.db.Main, findTeamBySlug, pg.Args{"slug": ref})
}

// CreateTeam creates a team with the owner as its first member, in the role admin. An unknown owner is not_found.
func (s *Store) CreateTeam(ctx context.Context, actor core.Actor, name string, owner int64) (team Team, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		team, err = t.createTeam(ctx, actor, name, owner)
		return err
	})
	return team, err
}

func (t *tx) createTeam(ctx context.Context, actor core.Actor, name string, owner int64) (Team, error) {
	if _, err := pg.QueryOne[struct{ ID int64 }](ctx, t, shareUser, pg.Args{"id": owner}); err != nil {
		return Team{}, err
	}
	id, err := t.store.db.IDs.TakeOne(ctx, teamIDs)
	if err != nil {
		return Team{}, err
	}
	if err := t.insertTeam(ctx, id, name, owner); err != nil {
		return Team{}, err
	}
	if err := t.recordTeam(ctx, actor, core.ActionTeamCreate, id, map[string]any{"name": name, "owner_id": owner}); err != nil {
		return Team{}, err
	}
	if _, err := t.addMember(ctx, actor, NewTeamMember{TeamID: id, UserID: owner, Role: core.RoleAdmin}); err != nil {
		return Team{}, err
	}
	return pg.QueryOne[Team](ctx, t, findTeamByID, pg.Args{"id": id})
}

// insertTeam inserts the team under a free slug.
func (t *tx) insertTeam(ctx context.Context, id int64, name string, owner int64) error {
	for range slugAttempts {
		slug, err := t.findTeamSlug(ctx, id, name)
		if err != nil {
			return err
		}
		inserted, err := pg.Exec(ctx, t, insertTeam, pg.Args{"id": id, "now": t.Now, "owner_id": owner, "name": name, "slug": slug})
		if err != nil || inserted == 1 {
			return err
		}
	}
	return errNoSlug
}

// findTeamSlug returns a slug for the team, made from the name.
func (t *tx) findTeamSlug(ctx context.Context, id int64, name string) (string, error) {
	slug := core.MakeSlugOf("team", name)
	return t.numberSlug(ctx, listTeamSlugsLike, pg.Args{"id": id, "slug": slug}, slug)
}

// RenameTeam gives a team another name and the slug made from it, or returns not_found. The same name changes nothing.
func (s *Store) RenameTeam(ctx context.Context, actor core.Actor, id int64, name string) (team Team, err error) {
	err = s.inTxOfSlug(ctx, func(t *tx) error {
		team, err = t.renameTeam(ctx, actor, id, name)
		return err
	})
	return team, err
}

func (t *tx) renameTeam(ctx context.Context, actor core.Actor, id int64, name string) (Team, error) {
	team, err := pg.QueryOne[Team](ctx, t, lockTeam, pg.Args{"id": id})
	if err != nil || team.Name == name {
		return team, err
	}
	slug, err := t.findTeamSlug(ctx, id, name)
	if err != nil {
		return Team{}, err
	}
	team.Name, team.Slug, team.UpdatedAt = name, slug, t.Now
	if _, err := pg.Exec(ctx, t, renameTeam, pg.Args{"id": id, "name": name, "slug": slug, "now": t.Now}); err != nil {
		return Team{}, err
	}
	return team, t.recordTeam(ctx, actor, core.ActionTeamUpdate, id, map[string]any{"name": name, "slug": slug})
}

// DeleteTeam deletes a team with its members and assignments, or returns not_found.
func (s *Store) DeleteTeam(ctx context.Context, actor core.Actor, id int64) error {
	return s.inTx(ctx, func(t *tx) error {
		team, err := pg.QueryOne[Team](ctx, t, lockTeam, pg.Args{"id": id})
		if err != nil {
			return err
		}
		return t.deleteTeam(ctx, actor, team)
	})
}

// deleteTeam deletes a locked team. Foreign keys delete its members and assignments.
func (t *tx) deleteTeam(ctx context.Context, actor core.Actor, team Team) error {
	if _, err := pg.Exec(ctx, t, deleteTeam, pg.Args{"id": team.ID}); err != nil {
		return err
	}
	return t.recordTeam(ctx, actor, core.ActionTeamDelete, team.ID, map[string]any{"name": team.Name})
}

func (t *tx) recordTeam(ctx context.Context, actor core.Actor, action core.Action, id int64, data map[string]any) error {
	_, err := t.recordActivity(ctx, activity.Entry{Actor: actor, Action: action, TargetType: core.TargetTeam, TargetID: id, Data: data})
	return err
}
