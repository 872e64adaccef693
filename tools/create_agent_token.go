package tools

import (
	"context"
	"slices"

	"errand/core"
	"errand/store"
)

// agentScopes are the scopes of an agent's token (primary API, Setup).
var agentScopes = []core.Scope{core.IssuesRead, core.IssuesWrite}

func (t *Tools) createAgentToken(
	ctx context.Context, call core.Call, in core.CreateAgentTokenInput,
) (core.DataAndNext[core.AgentToken], error) {
	project, err := t.store.FindSetupApp(ctx, call.Actor, in.Project)
	if err != nil {
		return core.DataAndNext[core.AgentToken]{}, err
	}
	scopes := agentScopes
	if in.Deploys { // only of its app, as with every bound token
		scopes = append(slices.Clone(agentScopes), core.ReleasesWrite)
	}
	made, err := t.makeToken(ctx, call.Actor, store.NewToken{
		Name: in.Name, Scopes: scopes, ProjectID: project, OnlyProject: in.OnlyProject, IsAgent: true,
	})
	if err != nil {
		return core.DataAndNext[core.AgentToken]{}, err
	}
	return adviseNext(core.AgentToken{
		ID: made.ID, Name: made.Name, Scopes: made.Scopes, Prefix: made.Prefix, ProjectID: made.ProjectID, ProjectName: made.ProjectName,
		Value: made.Value,
	}, core.NextCall{Tool: core.GetSetupProgress.Operation.Name, Arguments: core.Arguments{}}), nil
}
