package store

import (
	"context"
	"errors"

	"errand/core"
	"errand/store/pg"
)

const teamMemberIDs pg.Series = "team_members"

const selectTeamMembers = `
SELECT m.id, m.team_id, m.user_id, m.role, m.created_at, m.updated_at, u.email_address, u.slug, u.site_admin, u.last_logged_in_at,
	u.created_at AS user_created_at, u.updated_at AS user_updated_at
FROM team_members m JOIN users u ON u.id = m.user_id
WHERE m.team_id = @team_id`

const (
	listTeamMembers  = selectTeamMembers + ` ORDER BY m.role DESC, m.created_at, m.id`
	findTeamMember   = selectTeamMembers + ` AND m.id = @id`
	insertTeamMember = `
INSERT INTO team_members (id, team_id, user_id, created_at, updated_at, role)
VALUES (@id, @team_id, @user_id, @now, @now, @role) ON CONFLICT DO NOTHING`
	changeTeamRole   = `UPDATE team_members SET role = @role, updated_at = @now WHERE id = @id`
	deleteTeamMember = `DELETE FROM team_members WHERE id = @id`
	findOtherAdmin   = `
SELECT EXISTS (SELECT 1 FROM team_members WHERE team_id = @team_id AND id <> @id AND role IN ('owner', 'admin')) AS found`
)

// Errors of changes to a team's members.
var (
	ErrUserUnknown   = errors.New("store: there is no such user")
	ErrAlreadyMember = errors.New("store: the user is in the team already")
	// ErrLastTeamAdmin says that nobody else could administer the team.
	ErrLastTeamAdmin = errors.New("store: the member is the last who administers the team")
)

// TeamMember is a user in a team, with the fields that the management API shows.
type TeamMember struct {
	ID             int64
	TeamID         int64
	UserID         int64
	Role           core.TeamRole
	CreatedAt      core.Time
	UpdatedAt      core.Time
	EmailAddress   string
	Slug           string
	SiteAdmin      bool
	LastLoggedInAt core.Time
	UserCreatedAt  core.Time
	UserUpdatedAt  core.Time
}

// ListTeamMembers lists the members of a team by role, in the order that clients expect: in reverse alphabetical order,
// from viewer to admin (management API, 1.8).
func (s *Store) ListTeamMembers(ctx context.Context, team int64) ([]TeamMember, error) {
	return pg.QueryMany[TeamMember](ctx, s.db.Main, listTeamMembers, pg.Args{"team_id": team})
}

// ReadTeamMember returns a member of the team by the id of the membership, or not_found.
func (s *Store) ReadTeamMember(ctx context.Context, team, id int64) (TeamMember, error) {
	return pg.QueryOne[TeamMember](ctx, s.db.Main, findTeamMember, pg.Args{"team_id": team, "id": id})
}

// NewTeamMember is a user to put into a team.
type NewTeamMember struct {
	TeamID int64
	UserID int64
	Role   core.TeamRole
}

// AddTeamMember puts a user into a team. It returns not_found for the team, ErrUserUnknown or ErrAlreadyMember.
func (s *Store) AddTeamMember(ctx context.Context, actor core.Actor, n NewTeamMember) (member TeamMember, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		if _, err := pg.QueryOne[Team](ctx, t, lockTeam, pg.Args{"id": n.TeamID}); err != nil {
			return err
		}
		_, err := pg.QueryOne[struct{ ID int64 }](ctx, t, shareUser, pg.Args{"id": n.UserID})
		if core.HasCode(err, core.NotFound) {
			return ErrUserUnknown
		}
		if err != nil {
			return err
		}
		member, err = t.addMember(ctx, actor, n)
		return err
	})
	return member, err
}

// addMember puts a user into a team; both are locked, or new.
func (t *tx) addMember(ctx context.Context, actor core.Actor, n NewTeamMember) (TeamMember, error) {
	id, err := t.store.db.IDs.TakeOne(ctx, teamMemberIDs)
	if err != nil {
		return TeamMember{}, err
	}
	inserted, err := pg.Exec(ctx, t, insertTeamMember, pg.Args{
		"id": id, "team_id": n.TeamID, "user_id": n.UserID, "now": t.Now, "role": string(n.Role),
	})
	if err == nil && inserted == 0 {
		err = ErrAlreadyMember
	}
	if err != nil {
		return TeamMember{}, err
	}
	member, err := pg.QueryOne[TeamMember](ctx, t, findTeamMember, pg.Args{"team_id": n.TeamID, "id": id})
	if err != nil {
		return TeamMember{}, err
	}
	return member, t.recordMember(ctx, actor, core.ActionTeamAddMember, member)
}

// ChangeTeamRole gives a member of a team another role. It returns not_found or ErrLastTeamAdmin. The same role changes nothing.
func (s *Store) ChangeTeamRole(ctx context.Context, actor core.Actor, team, id int64, role core.TeamRole) (member TeamMember, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		member, err = t.lockMember(ctx, team, id)
		if err != nil || member.Role == role {
			return err
		}
		if !role.Administers() {
			if err := t.checkOtherTeamAdmin(ctx, member); err != nil {
				return err
			}
		}
		member.Role, member.UpdatedAt = role, t.Now
		if _, err := pg.Exec(ctx, t, changeTeamRole, pg.Args{"id": id, "role": string(role), "now": t.Now}); err != nil {
			return err
		}
		return t.recordMember(ctx, actor, core.ActionTeamChangeRole, member)
	})
	return member, err
}

// RemoveTeamMember takes a member out of a team. It returns not_found, or ErrLastTeamAdmin.
func (s *Store) RemoveTeamMember(ctx context.Context, actor core.Actor, team, id int64) error {
	return s.inTx(ctx, func(t *tx) error {
		member, err := t.lockMember(ctx, team, id)
		if err != nil {
			return err
		}
		if err := t.checkOtherTeamAdmin(ctx, member); err != nil {
			return err
		}
		if _, err := pg.Exec(ctx, t, deleteTeamMember, pg.Args{"id": id}); err != nil {
			return err
		}
		return t.recordMember(ctx, actor, core.ActionTeamRemoveMember, member)
	})
}

// lockMember locks the team, so that its members change one after the other, and returns the member.
func (t *tx) lockMember(ctx context.Context, team, id int64) (TeamMember, error) {
	if _, err := pg.QueryOne[Team](ctx, t, lockTeam, pg.Args{"id": team}); err != nil {
		return TeamMember{}, err
	}
	return pg.QueryOne[TeamMember](ctx, t, findTeamMember, pg.Args{"team_id": team, "id": id})
}

// checkOtherTeamAdmin returns ErrLastTeamAdmin when only this member administers the team.
func (t *tx) checkOtherTeamAdmin(ctx context.Context, member TeamMember) error {
	if !member.Role.Administers() {
		return nil
	}
	row, err := pg.QueryOne[struct{ Found bool }](ctx, t, findOtherAdmin, pg.Args{"team_id": member.TeamID, "id": member.ID})
	if err == nil && !row.Found {
		return ErrLastTeamAdmin
	}
	return err
}

func (t *tx) recordMember(ctx context.Context, actor core.Actor, action core.Action, m TeamMember) error {
	data := map[string]any{"user_id": m.UserID, "email_address": m.EmailAddress, "role": m.Role}
	return t.recordTeam(ctx, actor, action, m.TeamID, data)
}
