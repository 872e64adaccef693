package tools

import (
	"context"
	"fmt"
	"strings"

	"errand/core"
	"errand/scrub"
)

func (t *Tools) updateProject(ctx context.Context, call core.Call, in core.UpdateProjectInput) (core.Data[core.ListedProject], error) {
	id, err := t.store.FindProjectExactly(ctx, in.Project)
	if err != nil {
		return wrapData(core.ListedProject{}, err)
	}
	if err := checkScrubbing(ctx, in.ProjectChange); err != nil {
		return wrapData(core.ListedProject{}, err)
	}
	in.Repository.Value = strings.ToLower(in.Repository.Value)
	for i, origin := range in.AllowedOrigins.Value {
		in.AllowedOrigins.Value[i] = strings.ToLower(origin)
	}
	updated, err := t.store.UpdateProject(ctx, call.Actor, id, in.ProjectChange)
	return wrapData(t.addDSNs(updated), err)
}

// checkScrubbing refuses unsafe key names and patterns, each with its reason. The safety check of a pattern can take about half a second.
func checkScrubbing(ctx context.Context, c core.ProjectChange) error {
	failure := core.NewError(core.InvalidRequest)
	refuse := func(field string, i int, err error) {
		if err != nil {
			failure.Details = append(failure.Details, core.Detail{Path: fmt.Sprintf("%s.%d", field, i), Message: err.Error()})
		}
	}
	for i, key := range c.ScrubKeys.Value {
		refuse("scrub_keys", i, scrub.CheckKey(key))
	}
	for i, pattern := range c.ScrubPatterns.Value {
		refuse("scrub_patterns", i, scrub.CheckPattern(ctx, pattern))
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // the caller is gone, and a check may be unfinished
	case len(failure.Details) > 0:
		return failure
	default:
		return nil
	}
}
