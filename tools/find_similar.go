package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

// findSimilar looks in all projects unless one is named or the token is bound to one (decisions 7). A bound token may
// name another project: reads are not limited to its app (primary API, Authentication).
func (t *Tools) findSimilar(ctx context.Context, call core.Call, in core.FindSimilarInput) (core.Data[core.List[core.SimilarIssue]],
	error) {
	var none core.List[core.SimilarIssue]
	if t.store.Settings().SimilarOff {
		return wrapData(none, core.NewError(core.SimilarOff))
	}
	project, err := t.findOptionalProject(ctx, in.Project)
	if err != nil {
		return wrapData(none, err)
	}
	if in.Project == "" {
		project = int64(call.Actor.ProjectID)
	}
	found, err := t.store.FindSimilar(ctx, store.SimilarQuery{IssueID: in.IssueID, Text: in.Text, ProjectID: project, Limit: in.Limit})
	return wrapData(core.List[core.SimilarIssue](found), err)
}
