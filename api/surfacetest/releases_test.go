package surfacetest_test

import "errand/core"

// releaseCases are parityCases of releases, deploys and fixes.
var releaseCases = []parityCase{
	{core.CreateDeploy.Operation, success, "deployer", `{"project": $project, "commit": "ABCDEF0123"}`},
	{core.CreateDeploy.Operation, success, "deployer",
		`{"project": "web-shop", "commit": "9f8e7d6c5b4a", "release": "shop@<2> & more", "environment": "staging",
		"commits": "1234567,7654321", "pull_requests": ["https://GitHub.com/acme/shop/pull/7"]}`},
	{core.CreateDeploy.Operation, success, "bound", `{"project": "$lonely", "commit": "abcdef0123"}`},
	{core.CreateDeploy.Operation, core.ForbiddenProject, "bound", `{"project": $project, "commit": "abcdef0123"}`},
	{core.CreateDeploy.Operation, core.ProjectNotFound, "deployer", `{"project": "no-such-app", "commit": "abcdef0123"}`},
	{core.CreateDeploy.Operation, core.InvalidRequest, "deployer",
		`{"project": $project, "commit": "abc123", "commits": ["main"], "pull_requests": ["http://x"]}`},
	{core.CreateDeploy.Operation, core.InvalidRequest, "deployer", `{"project": $project, "commit": "abcdef0123", "environment": "  "}`},

	{core.ListReleases.Operation, success, "reader", `{}`},
	{core.ListReleases.Operation, success, "reader", `{"project": "web-shop", "limit": "1"}`},
	{core.ListReleases.Operation, core.ProjectNotFound, "reader", `{"project": "no-such-app"}`},
	{core.ListReleases.Operation, core.InvalidRequest, "reader", `{"cursor": "$issuecursor"}`},

	{core.GetRelease.Operation, success, "reader", `{"version": "shop@1", "project": $project}`},
	{core.GetRelease.Operation, success, "reader", `{"version": "feature/ü 1%2F?#", "project": "web-shop"}`},
	{core.GetRelease.Operation, core.NotFound, "reader", `{"version": "no-such-release", "project": $project}`},
	{core.GetRelease.Operation, core.ProjectNotFound, "reader", `{"version": "shop@1", "project": "no-such-app"}`},

	{core.LinkFix.Operation, success, "agent", `{"id": $issue, "commit": "ABCDEF0123"}`},
	{core.LinkFix.Operation, success, "agent", `{"id": "$resolved", "pr_url": "https://github.com/Acme/shop/pull/8"}`},
	{core.LinkFix.Operation, core.NotFound, "agent", `{"id": $missing, "commit": "abcdef0123"}`},
	{core.LinkFix.Operation, core.NotFound, "agent", `{"id": $merged, "pr_url": "https://github.com/acme/shop/pull/8"}`},
	{core.LinkFix.Operation, core.InvalidRequest, "agent", `{"id": $issue}`},
	{core.LinkFix.Operation, core.InvalidRequest, "agent",
		`{"id": $issue, "commit": "abcdef0123", "pr_url": "https://github.com/acme/shop/pull/8"}`},
	{core.LinkFix.Operation, core.InvalidRequest, "agent", `{"id": $issue, "pr_url": "https://gitlab.com/acme/shop/pull/8"}`},

	{core.ListFixOutcomes.Operation, success, "admin", `{}`},
	{core.ListFixOutcomes.Operation, success, "admin", `{"since": "1h", "limit": "1000"}`},
	{core.ListFixOutcomes.Operation, core.InvalidRequest, "admin", `{"since": "yesterday"}`},
}
