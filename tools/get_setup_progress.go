package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) getSetupProgress(ctx context.Context, call core.Call, _ core.GetSetupProgressInput) (core.SetupProgress, error) {
	if err := t.nameProgram(ctx, call); err != nil {
		return core.SetupProgress{}, err
	}
	apps, active, err := t.store.ListSetupProgress(ctx, call.Actor)
	if err != nil {
		return core.SetupProgress{}, err
	}
	progress := core.SetupProgress{SetupKeysActive: active, Next: planSetup(apps), Data: make(core.List[core.AppProgress], len(apps))}
	for i, app := range apps {
		progress.Data[i] = core.AppProgress{
			Project:     core.SetupProject{ID: app.ID, Slug: app.Slug, Name: app.Name},
			ConnectedAt: app.ConnectedAt, SDKInstalledAt: app.SDKInstalledAt, TestEventAt: app.TestEventAt, FirstEventAt: app.FirstEventAt,
			Agent: core.Text(app.Agent), FirstDeployAt: app.FirstDeployAt,
		}
	}
	return progress, nil
}

// planSetup returns the next calls in the setup of the newest apps that are not yet connected.
func planSetup(apps []store.SetupState) core.List[core.NextCall] {
	var next core.List[core.NextCall]
	if len(apps) == 0 {
		next = append(next, core.NextCall{Tool: core.RegisterApp.Operation.Name, Arguments: core.Arguments{}})
	}
	for _, app := range apps {
		arguments := core.Arguments{"project": app.Slug}
		call := core.NextCall{Tool: core.ReportSetupStep.Operation.Name, Arguments: arguments}
		switch {
		case app.SDKInstalledAt.IsZero() && app.FirstEventAt.IsZero():
			call.Tool = core.GetSetupGuide.Operation.Name
		case app.TestEventAt.IsZero() && app.FirstEventAt.IsZero():
			call.Tool = core.SendTestEvent.Operation.Name
		case app.FirstEventAt.IsZero(): // only an error of the application is missing
			call = core.NextCall{Tool: core.GetSetupProgress.Operation.Name, Arguments: core.Arguments{}}
		case app.DeployConfiguredAt.IsZero() && app.FirstDeployAt.IsZero():
			arguments["step"] = core.StepDeployConfigured
		default:
			continue
		}
		if len(next) < maxNextCalls {
			next = append(next, call)
		}
	}
	return next
}

// maxNextCalls bounds the calls that an answer proposes.
const maxNextCalls = 2
