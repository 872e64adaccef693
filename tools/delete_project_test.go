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
		added := h.addEvents(h.newEvent("pay", 1))
		token := h.callData(core.NewBootstrapActor(), core.CreateToken.Operation,
			`{"name": "deployer", "scopes": ["releases:write"], "project": "shop"}`)
		require.Empty(t, h.mustCall(core.NewBootstrapActor(), remove, fmt.Sprintf(`{"project": %s}`, ref)))

		h.sameJSON(object{"data": []any{}}, h.mustCall(reader, core.ListProjects.Operation, `{}`))
		h.sameJSON(object{"error": "not_found"}, h.mustFail(reader, core.GetIssue.Operation, idArgs(added.IssueID)))
		h.sameJSON(object{"error": "not_found"}, h.mustFail(reader, core.ListIssueActivity.Operation, idArgs(added.IssueID)))
		h.sameJSON(object{"error": "project_not_found"}, h.mustFail(reader, core.ListIssues.Operation, `{"project": "shop"}`))
		_, err := h.tools.Authenticate(t.Context(), core.Secret(token["token"].(string)))
		require.Equal(t, core.Unauthorized, core.AsError(err).Code)
		h.sameJSON(object{"error": "project_not_found"}, h.mustFail(core.NewBootstrapActor(), remove, fmt.Sprintf(`{"project": %s}`, ref)))

		again := h.callData(core.NewBootstrapActor(), core.CreateProject.Operation, `{"name": "Shop"}`)
		require.Equal(t, "shop", again["slug"])
		require.NotEqual(t, float64(shop), again["id"])
	}
}

func TestDeleteProjectRefuses(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.sameJSON(object{"error": "project_not_found"},
		h.mustFail(core.NewBootstrapActor(), core.DeleteProject.Operation, `{"project": "office"}`))
	h.sameJSON(object{"error": "project_not_found"}, h.mustFail(core.NewBootstrapActor(), core.DeleteProject.Operation, `{"project": ""}`))
	h.mustRefuse(core.DeleteProject.Operation, `{}`, "project")
	h.mustRefuse(core.DeleteProject.Operation, `{"project": "shop", "force": true}`, "force")
}
