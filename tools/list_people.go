package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listPeople(ctx context.Context, _ core.Call, _ core.ListPeopleInput) (core.Data[core.List[core.ListedPerson]], error) {
	return wrapData(t.store.ListPeople(ctx))
}
