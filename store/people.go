package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

const (
	listPeople = `
SELECT u.id, u.email_address, u.site_admin, u.created_at, u.last_logged_in_at, u.disabled_at,
	coalesce(array_agg(t.id ORDER BY t.name, t.id) FILTER (WHERE t.id IS NOT NULL), '{}') AS team_ids,
	coalesce(array_agg(t.name ORDER BY t.name, t.id) FILTER (WHERE t.id IS NOT NULL), '{}') AS team_names,
	coalesce(array_agg(m.role ORDER BY t.name, t.id) FILTER (WHERE t.id IS NOT NULL), '{}') AS roles
FROM users u
LEFT JOIN team_members m ON m.user_id = u.id
LEFT JOIN teams t ON t.id = m.team_id
GROUP BY u.id
ORDER BY u.created_at DESC, u.id DESC`
	setSiteAdmin = `UPDATE users SET site_admin = @site_admin, updated_at = @now WHERE id = @id`
)

// ListPeople lists all users with their teams, newest first.
func (s *Store) ListPeople(ctx context.Context) (core.List[core.ListedPerson], error) {
	rows, err := pg.QueryMany[struct {
		ID             int64
		EmailAddress   string
		SiteAdmin      bool
		CreatedAt      core.Time
		LastLoggedInAt core.Time
		DisabledAt     core.Time
		TeamIDs        []int64 `db:"team_ids"`
		TeamNames      []string
		Roles          []core.TeamRole
	}](ctx, s.db.Main, listPeople, pg.Args{})
	people := make(core.List[core.ListedPerson], len(rows))
	for i, r := range rows {
		people[i] = core.ListedPerson{
			ID: r.ID, EmailAddress: r.EmailAddress, SiteAdmin: r.SiteAdmin, CreatedAt: r.CreatedAt, LastSignedIn: r.LastLoggedInAt,
			DisabledAt: r.DisabledAt,
		}
		for n, id := range r.TeamIDs {
			people[i].Teams = append(people[i].Teams, core.TeamOfUser{ID: id, Name: r.TeamNames[n], Role: r.Roles[n]})
		}
	}
	return people, err
}

// InvitedPerson is a user to make who chooses a password by a link.
type InvitedPerson struct {
	NewUser
	TeamID   int64 // 0: none
	Role     core.TeamRole
	LinkHash []byte // SHA-256 of the secret of the link
}

// InvitePerson makes a user without a password, puts the user into a team, and makes a link that works for InvitationLinkLife. It returns
// ErrEmailTaken, or not_found for the team.
func (s *Store) InvitePerson(ctx context.Context, actor core.Actor, n InvitedPerson) (user User, expiresAt core.Time, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		if n.TeamID != 0 { // before the user, in the order of other changes of teams
			if _, err := pg.QueryOne[Team](ctx, t, lockTeam, pg.Args{"id": n.TeamID}); err != nil {
				return err
			}
		}
		if user, err = t.createUser(ctx, actor, n.NewUser); err != nil {
			return err
		}
		if n.TeamID != 0 {
			if _, err := t.addMember(ctx, actor, NewTeamMember{TeamID: n.TeamID, UserID: user.ID, Role: n.Role}); err != nil {
				return err
			}
		}
		expiresAt = core.At(t.Now.Add(core.InvitationLinkLife))
		return t.insertLink(ctx, user.ID, n.LinkHash, core.InvitationLinkLife)
	})
	return user, expiresAt, err
}

// MakePersonLink makes a link for a user to choose a password, in place of earlier ones, and records who made it. An unknown or
// disabled user is not_found.
func (s *Store) MakePersonLink(ctx context.Context, actor core.Actor, id int64, hash []byte) (user User, expiresAt core.Time, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		user, err = pg.QueryOne[User](ctx, t, lockUser, pg.Args{"id": id})
		if err == nil && !user.DisabledAt.IsZero() {
			err = core.NewError(core.NotFound)
		}
		if err != nil {
			return err
		}
		life := core.PasswordLinkLife
		if user.LastLoggedInAt.IsZero() {
			life = core.InvitationLinkLife
		}
		expiresAt = core.At(t.Now.Add(life))
		if err := t.recordUser(ctx, actor, core.ActionUserUpdate, id, map[string]bool{"password_link": true}); err != nil {
			return err
		}
		if err := t.endUserLinks(ctx, id); err != nil {
			return err
		}
		return t.insertLink(ctx, id, hash, life)
	})
	return user, expiresAt, err
}

// SetSiteAdmin makes a user a site admin, or no longer one. It returns not_found or ErrLastSiteAdmin.
func (s *Store) SetSiteAdmin(ctx context.Context, actor core.Actor, id int64, siteAdmin bool) error {
	return s.inTx(ctx, func(t *tx) error {
		if !siteAdmin {
			if err := t.checkOtherSiteAdmin(ctx, id); err != nil {
				return err
			}
		}
		user, err := pg.QueryOne[User](ctx, t, lockUser, pg.Args{"id": id})
		if err != nil || user.SiteAdmin == siteAdmin {
			return err
		}
		if _, err := pg.Exec(ctx, t, setSiteAdmin, pg.Args{"id": id, "site_admin": siteAdmin, "now": t.Now}); err != nil {
			return err
		}
		return t.recordUser(ctx, actor, core.ActionUserUpdate, id, map[string]bool{"site_admin": siteAdmin})
	})
}
