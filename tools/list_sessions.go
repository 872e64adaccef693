package tools

import (
	"context"

	"errand/core"
	"errand/facets"
)

func (t *Tools) listSessions(ctx context.Context, call core.Call, _ core.ListSessionsInput) (core.Data[core.List[core.Session]], error) {
	kept, err := t.store.ListSessions(ctx, int64(call.Actor.ID))
	sessions := make(core.List[core.Session], len(kept))
	for i, s := range kept {
		sessions[i] = core.Session{
			ID: s.ID, Current: s.ID == call.Actor.Session, Browser: core.Text(facets.DescribeBrowser(s.UserAgent)), Address: core.Text(s.Address),
			CreatedAt: core.At(s.CreatedAt), SeenAt: core.At(s.SeenAt), ExpiresAt: core.At(s.ExpiresAt),
		}
	}
	return wrapData(sessions, err)
}
