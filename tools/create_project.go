package tools

import (
	"context"
	"errors"

	"errand/core"
	"errand/store"
)

func (t *Tools) createProject(ctx context.Context, call core.Call, in core.CreateProjectInput) (core.Data[core.CreatedProject], error) {
	key, err := t.newPublicKey()
	if err != nil {
		return data(core.CreatedProject{}, err)
	}
	project := store.NewProject{Name: in.Name, Platform: in.Platform, PublicKey: key}
	created, err := store.StoredProject{}, store.ErrIDTaken
	for range 3 { // of nine billion ids, hardly any is taken
		if !errors.Is(err, store.ErrIDTaken) {
			break
		}
		if project.ID, err = t.newProjectID(); err == nil {
			created, err = t.store.CreateProject(ctx, call.Actor, project)
		}
	}
	return data(core.CreatedProject{Project: created.Project, DSN: core.DSN(t.baseURL, key, project.ID)}, err)
}
