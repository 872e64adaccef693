package manage

import (
	"context"
	"log/slog"
	"strconv"

	"errand/core"
	"errand/core/manage"
)

// Registry binds every operation to its handler: the table of contents.
func (t *Tools) Registry(log *slog.Logger) (*core.Registry, error) {
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
	)
}

// Authorize checks what comes before the input of an operation is looked at: that what the path names is there, and then the
// permission (management API, 1.1). It does nothing for an operation that asks for its permission first.
func (t *Tools) Authorize(ctx context.Context, actor core.Actor, op *core.Operation, path map[string]string) error {
	permission := manage.PermissionAfter(op)
	if permission == "" {
		return nil
	}
	app, err := t.Store.FindApp(ctx, core.ProjectRef(path["app"]))
	if err != nil {
		return err
	}
	problem, named := path["problem"]
	if !named {
		problem, named = path["id"]
	}
	if named {
		id, err := strconv.ParseInt(problem, 10, 64)
		if err != nil {
			return core.NewError(core.NotFound)
		}
		if _, err := t.Store.ReadProblem(ctx, app, id); err != nil {
			return err
		}
	}
	return manage.RequirePermission(actor, permission)
}

func (t *Tools) getHealth(context.Context, core.Call, struct{}) (manage.Health, error) {
	return manage.Health{Status: "ok", Timestamp: manage.At(t.Store.Now())}, nil
}
