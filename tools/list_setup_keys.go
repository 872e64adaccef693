package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listSetupKeys(
	ctx context.Context, call core.Call, _ core.ListSetupKeysInput,
) (core.Data[core.List[core.ListedSetupKey]], error) {
	keys, err := t.store.ListSetupKeys(ctx, call.Actor)
	return wrapData(core.List[core.ListedSetupKey](keys), err)
}
