package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) createProjectKey(ctx context.Context, call core.Call, in core.ProjectInput) (core.Data[core.ProjectKey], error) {
	id, err := t.store.FindProjectExactly(ctx, in.Project)
	if err != nil {
		return wrapData(core.ProjectKey{}, err)
	}
	key, err := t.newPublicKey()
	if err != nil {
		return wrapData(core.ProjectKey{}, err)
	}
	return wrapData(core.ProjectKey{PublicKey: key, DSN: core.WriteDSN(t.store.Settings().BaseURL, key, id)},
		t.store.CreateProjectKey(ctx, call.Actor, id, key))
}
