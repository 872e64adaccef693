package tools

import (
	"context"

	"errand/core"
)

// ExamineServer looks for what is wrong with the server and what it works with.
type ExamineServer func(context.Context) ([]core.Finding, error)

func (t *Tools) examineServer(ctx context.Context, _ core.Call, _ core.ExamineServerInput) (core.Data[core.List[core.Finding]], error) {
	if t.examine == nil {
		return wrapData(core.List[core.Finding]{}, nil)
	}
	findings, err := t.examine(ctx)
	return wrapData(core.List[core.Finding](findings), err)
}
