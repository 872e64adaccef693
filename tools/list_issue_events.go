package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) listIssueEvents(ctx context.Context, _ core.Call, in core.ListIssueEventsInput) (core.Page[core.EventRow], error) {
	return t.store.ListIssueEvents(ctx, in.ID, store.EventFilter{
		Release: in.Release, Environment: in.Environment, User: in.User, Tag: in.Tag, Since: in.Since, Until: in.Until, Paging: in.Paging,
	})
}
