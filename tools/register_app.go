package tools

import (
	"context"

	"errand/core"
	"errand/prompts"
	"errand/store"
)

func (t *Tools) registerApp(ctx context.Context, call core.Call, in core.RegisterAppInput) (core.DataAndNext[core.RegisteredApp], error) {
	if err := t.nameProgram(ctx, call); err != nil {
		return core.DataAndNext[core.RegisteredApp]{}, err
	}
	var app store.StoredProject
	var created bool
	err := t.withNewProjectID(store.NewProject{Name: in.Name, Platform: in.Platform}, func(p store.NewProject) (err error) {
		app, created, err = t.store.RegisterApp(ctx, call.Actor, p, call.Program)
		return err
	})
	if err != nil {
		return core.DataAndNext[core.RegisteredApp]{}, err
	}
	return adviseNext(core.RegisteredApp{
		Created: created, Project: core.SetupProject{ID: app.ID, Slug: app.Slug, Name: app.Name}, DSN: t.writeDSN(app),
	}, core.NextCall{Tool: core.GetSetupGuide.Operation.Name, Arguments: core.Arguments{
		"platform": prompts.FindGuide(string(app.Platform)), "project": app.Slug,
	}}), nil
}

// adviseNext returns the object with the calls that make sense next.
func adviseNext[T any](object T, calls ...core.NextCall) core.DataAndNext[T] {
	return core.DataAndNext[T]{Data: object, Next: calls}
}

// nameProgram records the program that uses the setup key of a call, unless one is known.
func (t *Tools) nameProgram(ctx context.Context, call core.Call) error {
	if !call.Actor.IsSetupKey || call.Program == "" {
		return nil
	}
	return t.store.NameSetupProgram(ctx, int64(call.Actor.ID), call.Program, false)
}

// NameClient records the MCP client that uses the setup key of a call. It is more precise than a User-Agent.
func (t *Tools) NameClient(ctx context.Context, call core.Call, client core.Program) error {
	if !call.Actor.IsSetupKey || client == "" {
		return nil
	}
	return t.store.NameSetupProgram(ctx, int64(call.Actor.ID), client, true)
}
