package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) listIssueEvents(ctx context.Context, _ core.Call, in core.ListIssueEventsInput) (core.Page[core.EventRow], error) {
	filter := makeEventFilter(in.EventSearch)
	filter.Paging = in.Paging
	return t.store.ListIssueEvents(ctx, in.ID, filter)
}

func makeEventFilter(in core.EventSearch) store.EventFilter {
	return store.EventFilter{
		Release: in.Release, Environment: in.Environment, User: in.User, Tag: in.Tag, Since: in.Since, Until: in.Until,
	}
}
