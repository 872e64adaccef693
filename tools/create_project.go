package tools

import (
	"context"
	"errors"

	"errand/core"
	"errand/store"
)

func (t *Tools) createProject(ctx context.Context, call core.Call, in core.CreateProjectInput) (core.Data[core.CreatedProject], error) {
	created, err := t.makeProject(ctx, call.Actor, store.NewProject{Name: in.Name, Platform: in.Platform})
	if err != nil {
		return wrapData(core.CreatedProject{}, err)
	}
	return wrapData(core.CreatedProject{Project: created.Project, DSN: core.WriteDSN(t.store.Settings().BaseURL, created.Keys[0], created.ID)},
		nil)
}

// makeProject creates a project with a new id and key.
func (t *Tools) makeProject(ctx context.Context, actor core.Actor, project store.NewProject) (created store.StoredProject, err error) {
	if project.PublicKey, err = t.newPublicKey(); err != nil {
		return created, err
	}
	err = store.ErrIDTaken
	for range 3 { // of nine billion ids, hardly any is taken
		if !errors.Is(err, store.ErrIDTaken) {
			break
		}
		if project.ID, err = t.newProjectID(); err == nil {
			created, err = t.store.CreateProject(ctx, actor, project)
		}
	}
	return created, err
}
