package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) countOpenIssues(
	ctx context.Context, _ core.Call, _ core.CountOpenIssuesInput,
) (core.Data[core.List[core.OpenIssues]], error) {
	counts, err := t.store.CountOpenIssues(ctx)
	return wrapData(core.List[core.OpenIssues](counts), err)
}
