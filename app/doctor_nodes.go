package app

import (
	"context"
	"slices"
	"strings"

	"errand/core"
	"errand/store"
)

// unevenNodes is how many times as much as another a node may hold before the doctor says something, and unevenBytes the difference
// below which it does not matter.
const (
	unevenNodes = 2
	unevenBytes = 10 << 30
)

// checkNodes looks at the nodes of Citus. It reports whether all answer: otherwise the database cannot be asked about all projects.
func (e *examination) checkNodes(ctx context.Context) (all bool, err error) {
	nodes, err := e.db.ListNodes(ctx)
	if err != nil || len(nodes) == 0 {
		return true, err
	}
	if err := e.db.CheckDistribution(ctx); err != nil {
		e.addFailure("nodes", "stop the servers, and run errand db distribute again", "%v", err)
	}
	return e.judgeNodes(nodes), nil
}

func (e *examination) judgeNodes(nodes []store.Node) (all bool) {
	var away, held []string
	for _, node := range nodes {
		if !node.Answers {
			away = append(away, node.Name)
		}
		held = append(held, node.Name+" "+core.WriteBytes(node.Bytes))
	}
	if len(away) > 0 {
		e.addFailure("nodes", "start it, or let its standby take over: events of its projects are refused with 503 until then",
			"%s does not answer the coordinator", strings.Join(away, ", "))
		return false
	}
	byBytes := func(a, b store.Node) int { return int(a.Bytes>>20 - b.Bytes>>20) }
	least, most := slices.MinFunc(nodes, byBytes).Bytes, slices.MaxFunc(nodes, byBytes).Bytes
	if most-least > unevenBytes && most > unevenNodes*least {
		e.addWarning("nodes", "run errand db rebalance: events come in while it does", "they hold unequal parts: %s", strings.Join(held, ", "))
	} else {
		e.addOK("nodes", "%d of Citus hold the projects: %s", len(nodes), strings.Join(held, ", "))
	}
	return true
}
