package tools

import (
	"context"
	"errors"

	"errand/core"
	"errand/store"
)

func (t *Tools) createProject(ctx context.Context, call core.Call, in core.CreateProjectInput) (core.Data[core.CreatedProject], error) {
	created, err := t.MakeProject(ctx, call.Actor, store.NewProject{Name: in.Name, Platform: in.Platform})
	if err != nil {
		return wrapData(core.CreatedProject{}, err)
	}
	return wrapData(core.CreatedProject{Project: created.Project, DSN: t.writeDSN(created)}, nil)
}

// writeDSN returns the DSN with the project's oldest active key.
func (t *Tools) writeDSN(p store.StoredProject) string {
	return core.WriteDSN(t.store.Settings().BaseURL, p.Keys[0], p.ID)
}

// MakeProject creates a project with a new id and key.
func (t *Tools) MakeProject(ctx context.Context, actor core.Actor, project store.NewProject) (created store.StoredProject, err error) {
	err = t.withNewProjectID(project, func(project store.NewProject) (err error) {
		created, err = t.store.CreateProject(ctx, actor, project)
		return err
	})
	return created, err
}

// withNewProjectID calls create with the project, a new id and a new key. It tries another id if that one is taken.
func (t *Tools) withNewProjectID(project store.NewProject, create func(store.NewProject) error) (err error) {
	if project.PublicKey, err = t.newPublicKey(); err != nil {
		return err
	}
	err = store.ErrIDTaken
	for range 3 { // of nine billion ids, few are taken
		if !errors.Is(err, store.ErrIDTaken) {
			break
		}
		if project.ID, err = t.newProjectID(); err == nil {
			err = create(project)
		}
	}
	return err
}
