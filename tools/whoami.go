package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) whoami(_ context.Context, call core.Call, _ core.WhoamiInput) (core.Data[core.Identity], error) {
	a := call.Actor
	return data(core.Identity{
		Type: a.Type, ID: a.ID, Name: a.Name, Scopes: a.Scopes, Prefix: a.Prefix, ProjectID: a.ProjectID, ProjectName: a.ProjectName,
	}, nil)
}
