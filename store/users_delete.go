package store

import (
	"context"
	"errors"

	"errand/core"
	"errand/store/pg"
)

const (
	findProjectOfUser = `SELECT EXISTS (SELECT 1 FROM projects WHERE created_by_user = @id AND deleted_at IS NULL) AS found`
	deleteUser        = `DELETE FROM users WHERE id = @id`
)

// ErrUserHasProjects says that the user created projects.
var ErrUserHasProjects = errors.New("store: the user created projects")

// DeleteUser deletes a user, the teams that the user owns and the memberships in others, and ends the user's claims. It
// returns not_found, ErrLastSiteAdmin or ErrUserHasProjects.
func (s *Store) DeleteUser(ctx context.Context, actor core.Actor, id int64) error {
	return s.inTx(ctx, func(t *tx) error {
		if err := t.checkOtherSiteAdmin(ctx, id); err != nil {
			return err
		}
		user, err := pg.QueryOne[User](ctx, t, lockUser, pg.Args{"id": id})
		if err != nil {
			return err
		}
		created, err := pg.QueryOne[struct{ Found bool }](ctx, t, findProjectOfUser, pg.Args{"id": id})
		if err == nil && created.Found {
			err = ErrUserHasProjects
		}
		if err != nil {
			return err
		}
		teams, err := pg.QueryMany[Team](ctx, t, listTeamsOfOwner, pg.Args{"owner_id": id})
		if err != nil {
			return err
		}
		for _, team := range teams {
			if err := t.deleteTeam(ctx, actor, team); err != nil {
				return err
			}
		}
		if _, err := pg.Exec(ctx, t, deleteUser, pg.Args{"id": id}); err != nil {
			return err
		}
		if err := t.recordUser(ctx, actor, core.ActionUserDelete, id, map[string]string{"email_address": user.EmailAddress}); err != nil {
			return err
		}
		return t.endClaims(ctx, actor, core.ActorUser, id)
	})
}
