package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) whoami(_ context.Context, call core.Call, _ core.WhoamiInput) (core.Data[core.Identity], error) {
	return wrapData(core.IdentityOf(call.Actor), nil)
}
