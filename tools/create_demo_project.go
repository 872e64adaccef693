package tools

import (
	"context"
	"errors"
	"slices"

	"errand/core"
	"errand/store"
)

// EnsureDemoProject returns the demo project of the installation, and creates it if there is none.
func (t *Tools) EnsureDemoProject(ctx context.Context, actor core.Actor) (core.ListedProject, error) {
	found, err := t.findDemoProject(ctx)
	if !core.HasCode(err, core.NotFound) {
		return found, err
	}
	created, err := t.MakeProject(ctx, actor, store.NewProject{Name: "Demo shop", Demo: true})
	if errors.Is(err, store.ErrDemoTaken) { // somebody else asked at the same time
		return t.findDemoProject(ctx)
	}
	return t.addDSNs(created), err
}

func (t *Tools) findDemoProject(ctx context.Context) (core.ListedProject, error) {
	projects, err := t.store.ListProjects(ctx)
	if err != nil {
		return core.ListedProject{}, err
	}
	n := slices.IndexFunc(projects, func(p store.StoredProject) bool { return p.Demo })
	if n < 0 {
		return core.ListedProject{}, core.NewError(core.NotFound)
	}
	return t.addDSNs(projects[n]), nil
}
