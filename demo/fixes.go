package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"errand/core"
)

// demoDeploy is a deploy of the demo shop.
type demoDeploy struct {
	release string
	commit  string
	ago     time.Duration
	fixes   outcome // it brings the fixes of the examples with this outcome
}

// demoDeploys are the deploys of the demo shop, oldest first.
var demoDeploys = []demoDeploy{
	{"demo-shop@2.3.0", "5d0e9a7c31f24b68a90c7e1d3f5b8264a0c9e7d1", 10 * releaseTime, ""},
	{"demo-shop@2.3.1", "9b7f2c64d8e01a35f7c9b2d4e6081a3c5f7d9b0e", 2 * releaseTime, outcomeVerified},
	{"demo-shop@2.4.0", "e2a4c6081f3d5b79e0c2a4d6f8193b5d7f90a1c3", releaseTime, outcomeRegressed},
	{"demo-shop@2.4.1", "04f6a8c1e3b5d7290f4a6c8e1d3b5f7092a4c6e8", time.Hour, outcomeDeployed},
}

// deployFixes links the fixes of the examples and reports the deploys, each at its time, and lets one of the errors return.
// Called again, it does the missing steps.
func (f filler) deployFixes(ctx context.Context, list []example, issues map[string]core.Issue) error {
	var reported core.Page[core.Release]
	err := f.callOperation(ctx, core.ListReleases.Operation, map[string]any{"project": fmt.Sprint(f.Project.ID), "limit": 100}, &reported)
	if err != nil {
		return err
	}
	isReported := map[string]bool{}
	for _, release := range reported.Data {
		isReported[release.Version] = true
	}
	for _, d := range demoDeploys {
		if isReported[d.release] {
			continue
		}
		if err := f.reportDeploy(ctx, d, list, issues); err != nil {
			return err
		}
	}
	return f.Verify(ctx)
}

// reportDeploy links the fixes that a deploy brings, reports it, and sends the errors again whose fix did not hold.
func (f filler) reportDeploy(ctx context.Context, d demoDeploy, list []example, issues map[string]core.Issue) error {
	commits := []any{}
	var returning []exampleEvent
	for _, e := range list {
		issue, isThere := issues[e.Title]
		if e.Fix == "" || e.Outcome != d.fixes || !isThere {
			continue
		}
		commits = append(commits, e.Fix)
		if err := f.doAt(ctx, d.ago+time.Hour, core.LinkFix.Operation, map[string]any{"id": issue.ID, "commit": e.Fix}); err != nil {
			return err
		}
		if e.Outcome == outcomeRegressed {
			returning = append(returning, e.makeLastEvent(f.Project.ID, f.now))
		}
	}
	err := f.doAt(ctx, d.ago, core.CreateDeploy.Operation, map[string]any{
		"project": fmt.Sprint(f.Project.ID), "release": d.release, "commit": d.commit, "commits": commits,
	})
	if err != nil {
		return err
	}
	return f.sendEvents(ctx, returning)
}

// doAt calls an operation at a time in the past.
func (f filler) doAt(ctx context.Context, ago time.Duration, op *core.Operation, args map[string]any) error {
	var answer json.RawMessage
	return f.callRegistry(ctx, f.At(f.now.Add(-ago)), op, args, &answer)
}
