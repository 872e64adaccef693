package manage

import (
	"context"
	"errors"

	"errand/core"
	"errand/core/manage"
	"errand/store"
)

func showMember(m store.TeamMember) manage.Member {
	return manage.Member{
		ID: m.ID, TeamID: m.TeamID, UserID: m.UserID, Role: m.Role, CreatedAt: manage.At(m.CreatedAt), UpdatedAt: manage.At(m.UpdatedAt),
		User: manage.User{
			ID: m.UserID, Slug: m.Slug, EmailAddress: m.EmailAddress, SiteAdmin: m.SiteAdmin, LastLoggedInAt: manage.At(m.LastLoggedInAt),
			CreatedAt: manage.At(m.UserCreatedAt), UpdatedAt: manage.At(m.UserUpdatedAt),
		},
	}
}

func (t *Handlers) listMembers(ctx context.Context, _ core.Call, in manage.TeamInput) (core.List[manage.Member], error) {
	team, err := t.Store.FindTeam(ctx, in.Team)
	if err != nil {
		return nil, err
	}
	members, err := t.Store.ListTeamMembers(ctx, team.ID)
	shown := make(core.List[manage.Member], len(members))
	for i, member := range members {
		shown[i] = showMember(member)
	}
	return shown, err
}

func (t *Handlers) addMember(ctx context.Context, call core.Call, in manage.AddMemberInput) (manage.Member, error) {
	team, err := t.Store.FindTeam(ctx, in.Team)
	if err != nil {
		return manage.Member{}, err
	}
	user, err := t.findNewMember(ctx, in)
	if err != nil {
		return manage.Member{}, err
	}
	role, err := in.Choose(core.RoleMember)
	if err != nil {
		return manage.Member{}, err
	}
	added, err := t.Store.AddTeamMember(ctx, call.Actor, store.NewTeamMember{TeamID: team.ID, UserID: user, Role: role})
	return showMember(added), refuseOfMember(err)
}

// findNewMember returns the id of the user whom the input names.
func (t *Handlers) findNewMember(ctx context.Context, in manage.AddMemberInput) (int64, error) {
	var user store.User
	err := error(core.NewError(core.NotFound))
	if in.UserID.Value != 0 {
		user, err = t.Store.ReadUser(ctx, in.UserID.Value)
	} else if address, wrong := core.ReadEmailAddress(in.EmailAddress.Value); wrong == nil {
		user, err = t.Store.FindUserByEmail(ctx, address)
	}
	if core.HasCode(err, core.NotFound) {
		err = store.ErrUserUnknown
	}
	return user.ID, refuseOfMember(err)
}

// updateMember changes nothing when no role is said.
func (t *Handlers) updateMember(ctx context.Context, call core.Call, in manage.UpdateMemberInput) (manage.Member, error) {
	member, err := t.findMember(ctx, in.MemberInput)
	if err != nil {
		return manage.Member{}, err
	}
	role, err := in.Choose(member.Role)
	if err != nil {
		return manage.Member{}, err
	}
	member, err = t.Store.ChangeTeamRole(ctx, call.Actor, member.TeamID, member.ID, role)
	return showMember(member), refuseOfMember(err)
}

func (t *Handlers) removeMember(ctx context.Context, call core.Call, in manage.MemberInput) (core.None, error) {
	member, err := t.findMember(ctx, in)
	if err != nil {
		return core.None{}, err
	}
	return core.None{}, refuseOfMember(t.Store.RemoveTeamMember(ctx, call.Actor, member.TeamID, member.ID))
}

func (t *Handlers) findMember(ctx context.Context, in manage.MemberInput) (store.TeamMember, error) {
	team, err := t.Store.FindTeam(ctx, in.Team)
	if err != nil {
		return store.TeamMember{}, err
	}
	return t.Store.ReadTeamMember(ctx, team.ID, in.ID)
}

// refuseOfMember words the errors of the store.
func refuseOfMember(err error) error {
	switch {
	case errors.Is(err, store.ErrUserUnknown):
		return manage.RefuseInput("User not found")
	case errors.Is(err, store.ErrAlreadyMember):
		return manage.RefuseInput("Team has already been taken")
	case errors.Is(err, store.ErrLastTeamAdmin):
		return manage.RefuseInput("Cannot remove the last admin from the team")
	}
	return err
}
