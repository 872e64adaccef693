package manage

import (
	"context"

	"errand/core"
	"errand/core/manage"
	"errand/store"
)

func showTeam(team store.Team) manage.Team {
	return manage.Team{
		ID: team.ID, Name: team.Name, Slug: team.Slug, OwnerID: team.OwnerID, CreatedAt: manage.At(team.CreatedAt),
		UpdatedAt: manage.At(team.UpdatedAt),
	}
}

func (t *Handlers) listTeams(ctx context.Context, _ core.Call, _ struct{}) (core.List[manage.Team], error) {
	teams, err := t.Store.ListTeams(ctx)
	shown := make(core.List[manage.Team], len(teams))
	for i, team := range teams {
		shown[i] = showTeam(team)
	}
	return shown, err
}

func (t *Handlers) getTeam(ctx context.Context, _ core.Call, in manage.TeamInput) (manage.Team, error) {
	team, err := t.Store.FindTeam(ctx, in.Team)
	return showTeam(team), err
}

func (t *Handlers) createTeam(ctx context.Context, call core.Call, in manage.CreateTeamInput) (manage.Team, error) {
	if in.OwnerID.Value == 0 {
		return manage.Team{}, manage.RefuseInput("owner_id is required")
	}
	if _, err := t.Store.ReadUser(ctx, in.OwnerID.Value); err != nil {
		return manage.Team{}, refuseOwner(err)
	}
	if err := in.CheckName(true); err != nil {
		return manage.Team{}, err
	}
	team, err := t.Store.CreateTeam(ctx, call.Actor, in.Name.Value, in.OwnerID.Value)
	return showTeam(team), refuseOwner(err)
}

// refuseOwner words the error for an unknown owner.
func refuseOwner(err error) error {
	if core.HasCode(err, core.NotFound) {
		return manage.RefuseInput("Owner user not found")
	}
	return err
}

func (t *Handlers) updateTeam(ctx context.Context, call core.Call, in manage.UpdateTeamInput) (manage.Team, error) {
	team, err := t.Store.FindTeam(ctx, in.Team)
	if err != nil {
		return manage.Team{}, err
	}
	if err := in.CheckName(false); err != nil {
		return manage.Team{}, err
	}
	if in.Name.Set {
		team, err = t.Store.RenameTeam(ctx, call.Actor, team.ID, in.Name.Value)
	}
	return showTeam(team), err
}

func (t *Handlers) deleteTeam(ctx context.Context, call core.Call, in manage.TeamInput) (core.None, error) {
	team, err := t.Store.FindTeam(ctx, in.Team)
	if err != nil {
		return core.None{}, err
	}
	return core.None{}, t.Store.DeleteTeam(ctx, call.Actor, team.ID)
}

func (t *Handlers) listTeamApps(ctx context.Context, _ core.Call, in manage.TeamInput) (core.List[manage.App], error) {
	team, err := t.Store.FindTeam(ctx, in.Team)
	if err != nil {
		return nil, err
	}
	apps, err := t.Store.ListProjectsOfTeam(ctx, team.ID)
	return showApps(apps), err
}

func (t *Handlers) assignApp(ctx context.Context, call core.Call, in manage.AssignAppInput) (manage.Done, error) {
	team, err := t.Store.FindTeam(ctx, in.Team)
	if err != nil {
		return manage.Done{}, err
	}
	if in.AppRef() == "" {
		return manage.Done{}, manage.RefuseInput("app_id is required")
	}
	app, err := t.Store.FindProjectByKey(ctx, in.AppRef())
	if err == nil {
		err = t.Store.AssignProject(ctx, call.Actor, team.ID, app)
	} else if core.HasCode(err, core.NotFound) {
		err = core.NewError(core.ProjectNotFound)
	}
	if core.HasCode(err, core.ProjectNotFound) { // also when it was deleted during the call
		err = manage.RefuseInput("App not found")
	}
	return manage.Done{Message: "App assigned to team successfully"}, err
}

func (t *Handlers) unassignApp(ctx context.Context, call core.Call, in manage.UnassignAppInput) (core.None, error) {
	team, err := t.Store.FindTeam(ctx, in.Team)
	if err != nil {
		return core.None{}, err
	}
	app, err := t.Store.FindProjectByKey(ctx, in.App)
	if err != nil {
		return core.None{}, err
	}
	return core.None{}, t.Store.UnassignProject(ctx, call.Actor, team.ID, app)
}
