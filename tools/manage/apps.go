package manage

import (
	"context"

	"errand/core"
	"errand/core/manage"
	"errand/store"
)

func showApp(app store.ManagedProject) manage.App {
	shown := manage.App{
		ID: app.ID, Name: app.Name, Slug: app.Slug, NotifyOnNewProblem: app.NotifyOnNewProblem,
		NotifyOnReoccurrence: app.NotifyOnReoccurrence, CreatedAt: manage.At(app.CreatedAt), UpdatedAt: manage.At(app.UpdatedAt),
		UnresolvedProblemsCount: app.Unresolved,
	}
	if app.Environment != nil {
		shown.Environment = core.Text(*app.Environment)
	}
	return shown
}

func (t *Handlers) listApps(ctx context.Context, _ core.Call, _ struct{}) (core.List[manage.App], error) {
	apps, err := t.Store.ListManagedProjects(ctx)
	return showApps(apps), err
}

func showApps(apps []store.ManagedProject) core.List[manage.App] {
	shown := make(core.List[manage.App], len(apps))
	for i, app := range apps {
		shown[i] = showApp(app)
	}
	return shown
}

func (t *Handlers) getApp(ctx context.Context, _ core.Call, in manage.AppInput) (manage.App, error) {
	id, err := t.Store.FindProjectByKey(ctx, in.App)
	if err != nil {
		return manage.App{}, err
	}
	return t.readApp(ctx, id)
}

func (t *Handlers) readApp(ctx context.Context, id int64) (manage.App, error) {
	app, err := t.Store.ReadManagedProject(ctx, id)
	return showApp(app), err
}

func (t *Handlers) createApp(ctx context.Context, call core.Call, in manage.AppFields) (manage.App, error) {
	if err := in.CheckName(true); err != nil {
		return manage.App{}, err
	}
	settings := store.ManagedSettings{NotifyOnNewProblem: true, NotifyOnReoccurrence: true}
	if in.Environment.Set {
		settings.Environment = in.Environment.ValueOrNil()
	}
	if set := valueOf(in.NotifyOnNewProblem); set != nil {
		settings.NotifyOnNewProblem = *set
	}
	if set := valueOf(in.NotifyOnReoccurrence); set != nil {
		settings.NotifyOnReoccurrence = *set
	}
	created, err := t.CreateProject(ctx, call.Actor, store.NewProject{Name: in.Name.Value, Managed: &settings})
	if err != nil {
		return manage.App{}, err
	}
	return t.readApp(ctx, created.ID)
}

func (t *Handlers) updateApp(ctx context.Context, call core.Call, in manage.UpdateAppInput) (manage.App, error) {
	id, err := t.Store.FindProjectByKey(ctx, in.App)
	if err != nil {
		return manage.App{}, err
	}
	if err := in.CheckName(false); err != nil {
		return manage.App{}, err
	}
	app, err := t.Store.UpdateManagedProject(ctx, call.Actor, id, store.ManagedProjectChange{
		Name: valueOf(in.Name), Environment: in.Environment, NotifyOnNewProblem: valueOf(in.NotifyOnNewProblem),
		NotifyOnReoccurrence: valueOf(in.NotifyOnReoccurrence),
	})
	return showApp(app), err
}

// valueOf returns the value of a field that was sent; nil for null too, since both set nothing.
func valueOf[T any](field core.Opt[T]) *T {
	if !field.Set || field.Null {
		return nil
	}
	return &field.Value
}

func (t *Handlers) deleteApp(ctx context.Context, call core.Call, in manage.AppInput) (core.OrHeld[core.None], error) {
	id, err := t.Store.FindProjectByKey(ctx, in.App)
	if err != nil {
		return core.OrHeld[core.None]{}, err
	}
	outcome, err := t.CarryOut(ctx, call, store.DeleteProject{ID: id})
	return core.OrHeld[core.None]{ApprovalID: outcome.ApprovalID}, err
}
