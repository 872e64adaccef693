package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) reportSetupStep(ctx context.Context, call core.Call, in core.ReportSetupStepInput) (core.None, error) {
	project, err := t.store.FindSetupApp(ctx, call.Actor, in.Project)
	if err != nil {
		return core.None{}, err
	}
	if err := call.Actor.CheckProject(project); err != nil {
		return core.None{}, err
	}
	if err := t.nameProgram(ctx, call); err != nil {
		return core.None{}, err
	}
	return core.None{}, t.store.ReportSetupStep(ctx, project, in.Step, call.Program)
}
