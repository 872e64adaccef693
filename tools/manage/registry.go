package manage

import (
	"context"
	"log/slog"

	"errand/core"
	"errand/core/manage"
)

// Registry binds every operation to its handler: the table of contents.
func (t *Handlers) Registry(log *slog.Logger) (*core.Registry, error) {
	return core.NewRegistry(manage.V1, log,
		core.BindHandler(manage.GetHealth, t.getHealth),

		core.BindHandler(manage.ListApps, t.listApps),
		core.BindHandler(manage.GetApp, t.getApp),
		core.BindHandler(manage.CreateApp, t.createApp),
		core.BindHandler(manage.UpdateApp, t.updateApp),
		core.BindHandler(manage.DeleteApp, t.deleteApp),

		core.BindHandler(manage.ListProblems, t.listProblems),
		core.BindHandler(manage.GetProblem, t.getProblem),
		core.BindHandler(manage.ResolveProblem, t.resolveProblem),
		core.BindHandler(manage.UnresolveProblem, t.unresolveProblem),
		core.BindHandler(manage.ResolveProblems, t.resolveProblems),

		core.BindHandler(manage.ListNotices, t.listNotices),
		core.BindHandler(manage.GetNotice, t.getNotice),

		core.BindHandler(manage.ListTags, t.listTags),
		core.BindHandler(manage.AddTag, t.addTag),
		core.BindHandler(manage.RemoveTag, t.removeTag),

		core.BindHandler(manage.ListTeams, t.listTeams),
		core.BindHandler(manage.GetTeam, t.getTeam),
		core.BindHandler(manage.CreateTeam, t.createTeam),
		core.BindHandler(manage.UpdateTeam, t.updateTeam),
		core.BindHandler(manage.DeleteTeam, t.deleteTeam),

		core.BindHandler(manage.ListTeamApps, t.listTeamApps),
		core.BindHandler(manage.AssignApp, t.assignApp),
		core.BindHandler(manage.UnassignApp, t.unassignApp),

		core.BindHandler(manage.ListMembers, t.listMembers),
		core.BindHandler(manage.AddMember, t.addMember),
		core.BindHandler(manage.UpdateMember, t.updateMember),
		core.BindHandler(manage.RemoveMember, t.removeMember),

		core.BindHandler(manage.ListUsers, t.listUsers),
		core.BindHandler(manage.GetUser, t.getUser),
		core.BindHandler(manage.CreateUser, t.createUser),
		core.BindHandler(manage.UpdateUser, t.updateUser),
		core.BindHandler(manage.DeleteUser, t.deleteUser),
	)
}

func (t *Handlers) getHealth(context.Context, core.Call, struct{}) (manage.Health, error) {
	return manage.Health{Status: "ok", Timestamp: manage.At(t.Store.Now())}, nil
}
