package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) getAccount(ctx context.Context, call core.Call, _ core.GetAccountInput) (core.Data[core.Account], error) {
	return wrapData(t.readAccount(ctx, call.Actor))
}
