package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

func TestDeleteProject(t *testing.T) {
	t.Parallel()
	remove := core.DeleteProject.Operation
	for _, ref := range []string{`"shop"`, `1000000001`, `"1000000001"`} {
		h := openShop(t)
		added := h.add(h.event("pay", 1))
		token := h.data(core.Bootstrap(), core.CreateToken.Operation, `{"name": "deployer", "scopes": ["releases:write"], "project": "shop"}`)
		require.Empty(t, h.ok(core.Bootstrap(), remove, fmt.Sprintf(`{"project": %s}`, ref)))

		h.is(object{"data": []any{}}, h.ok(reader, core.ListProjects.Operation, `{}`))
		h.is(object{"error": "not_found"}, h.fails(reader, core.GetIssue.Operation, id(added.IssueID)))
		h.is(object{"error": "not_found"}, h.fails(reader, core.ListIssueActivity.Operation, id(added.IssueID)))
		h.is(object{"error": "project_not_found"}, h.fails(reader, core.ListIssues.Operation, `{"project": "shop"}`))
		_, err := h.tools.Authenticate(t.Context(), core.Secret(token["token"].(string)))
		require.Equal(t, core.Unauthorized, core.AsError(err).Code)
		h.is(object{"error": "project_not_found"}, h.fails(core.Bootstrap(), remove, fmt.Sprintf(`{"project": %s}`, ref)))

		again := h.data(core.Bootstrap(), core.CreateProject.Operation, `{"name": "Shop"}`)
		require.Equal(t, "shop", again["slug"])
		require.NotEqual(t, float64(shop), again["id"])
	}
}

func TestDeleteProjectRefuses(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.is(object{"error": "project_not_found"}, h.fails(core.Bootstrap(), core.DeleteProject.Operation, `{"project": "office"}`))
	h.is(object{"error": "project_not_found"}, h.fails(core.Bootstrap(), core.DeleteProject.Operation, `{"project": ""}`))
	h.refuses(core.DeleteProject.Operation, `{}`, "project")
	h.refuses(core.DeleteProject.Operation, `{"project": "shop", "force": true}`, "force")
}
