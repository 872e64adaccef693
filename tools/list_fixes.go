package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) listFixes(ctx context.Context, _ core.Call, in core.ListFixesInput) (core.Page[core.ListedFix], error) {
	project, err := t.findOptionalProject(ctx, in.Project)
	if err != nil {
		return core.Page[core.ListedFix]{}, err
	}
	return t.store.ListFixes(ctx, store.FixFilter{ProjectID: project, State: in.State, Since: in.Since, Paging: in.Paging})
}
