package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listClaims(ctx context.Context, _ core.Call, in core.ListClaimsInput) (core.Data[core.List[core.ListedClaim]], error) {
	project, err := t.findOptionalProject(ctx, in.Project)
	if err != nil {
		return wrapData(core.List[core.ListedClaim]{}, err)
	}
	return wrapData(t.store.ListClaims(ctx, project))
}
