package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listTokens(ctx context.Context, _ core.Call, _ core.ListTokensInput) (core.Data[core.List[core.Token]], error) {
	tokens, err := t.store.Tokens(ctx)
	return wrapData(core.List[core.Token](tokens), err)
}
