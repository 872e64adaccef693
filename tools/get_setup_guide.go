package tools

import (
	"context"

	"errand/core"
	"errand/prompts"
)

func (t *Tools) getSetupGuide(ctx context.Context, call core.Call, in core.GetSetupGuideInput) (core.Data[core.SetupGuide], error) {
	if err := t.nameProgram(ctx, call); err != nil {
		return wrapData(core.SetupGuide{}, err)
	}
	values := prompts.GuideValues{Platform: in.Platform, BaseURL: t.store.Settings().BaseURL}
	if in.Project == "" {
		return wrapData(prompts.RenderGuide(values), nil)
	}
	id, err := t.store.FindSetupApp(ctx, call.Actor, in.Project)
	if err != nil {
		return wrapData(core.SetupGuide{}, err)
	}
	project, err := t.store.ReadProject(ctx, id)
	if err != nil {
		return wrapData(core.SetupGuide{}, err)
	}
	state, err := t.store.ReadSetupProgress(ctx, id)
	if err != nil {
		return wrapData(core.SetupGuide{}, err)
	}
	if values.Platform == "" {
		values.Platform = prompts.FindGuide(string(project.Platform))
	}
	values.Project, values.DSN = project.Slug, t.writeDSN(project)
	values.Done = map[string]core.Time{
		prompts.StepInstall: state.SDKInstalledAt, prompts.StepTestEvent: state.TestEventAt,
		prompts.StepFirstEvent: state.FirstEventAt, prompts.StepDeploys: state.FirstDeployAt,
	}
	if state.FirstDeployAt.IsZero() {
		values.Done[prompts.StepDeploys] = state.DeployConfiguredAt
	}
	return wrapData(prompts.RenderGuide(values), nil)
}
