package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) getIssueHours(ctx context.Context, _ core.Call, in core.GetIssueHoursInput) (core.Data[core.HoursOfIssues], error) {
	return wrapData(t.store.ReadHours(ctx, in.IDs))
}
