package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) listProjects(ctx context.Context, _ core.Call, _ core.ListProjectsInput) (core.Data[core.List[core.ListedProject]], error) {
	projects, err := t.store.Projects(ctx)
	list := make(core.List[core.ListedProject], len(projects))
	for i, p := range projects {
		list[i] = t.addDSNs(p)
	}
	return wrapData(list, err)
}

// addDSNs adds the DSNs of the project's active keys.
func (t *Tools) addDSNs(p store.StoredProject) core.ListedProject {
	dsns := make(core.List[string], len(p.Keys))
	for i, key := range p.Keys {
		dsns[i] = core.WriteDSN(t.store.Settings().BaseURL, key, p.ID)
	}
	return core.ListedProject{Project: p.Project, DSNs: dsns}
}
