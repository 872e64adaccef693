package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listProjectTeams(ctx context.Context, call core.Call, in core.ProjectInput) (core.Data[core.ProjectTeams], error) {
	project, err := t.store.FindProject(ctx, in.Project)
	if err != nil {
		return wrapData(core.ProjectTeams{}, err)
	}
	member := int64(0)
	if call.Actor.Type == core.ActorUser && !call.Actor.Rights.IsSiteAdmin {
		member = int64(call.Actor.ID)
	}
	return wrapData(t.store.ListTeamsOfProject(ctx, project, member))
}
