package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listAPIKeys(ctx context.Context, _ core.Call, _ core.ListAPIKeysInput) (core.Data[core.List[core.APIKey]], error) {
	keys, err := t.store.ListAPIKeys(ctx)
	return wrapData(core.List[core.APIKey](keys), err)
}
