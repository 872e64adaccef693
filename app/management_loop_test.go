package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/core/manage"
	"errand/store/storetest"
)

// idOf is the value for {id} in a path, by resource.
var idOf = map[string]string{"problems": "PROBLEM", "notices": "$NOTICE", "tags": "$TAG", "members": "$FIRST"}

// openEverything is openPeople with one of each thing that a path can name, and with the app assigned to the team.
func openEverything(t *testing.T, c app.Config) *management {
	t.Helper()
	m := openPeople(t, c)
	m.remember(t, "$FIRST", m.call(t, m.key, `POST /teams/$OFFICE/members {"user_id":$BOB}`))
	m.remember(t, "$TAG", m.call(t, m.key, `POST /apps/web-shop/problems/PROBLEM/tags {"name":"critical"}`))
	notices := object(t, m.call(t, m.key, "GET /apps/web-shop/problems/PROBLEM/notices"))["data"].([]any)
	m.names = append(m.names, "$NOTICE", fmt.Sprintf("%.0f", notices[0].(map[string]any)["id"]))
	return m
}

// fillPath returns the path of an operation with existing ids. If a parameter is named unknown, it has another value.
func fillPath(op *core.Operation, unknown string) string {
	values := map[string]string{
		"app": "web-shop", "problem": "PROBLEM", "team": "$OFFICE", "user": "ann", "id": idOf[manage.ResourceOf(op)], unknown: "987654321",
	}
	path := strings.TrimPrefix(op.Path(), manage.Path)
	for _, name := range op.PathParams() {
		path = strings.ReplaceAll(path, "{"+name+"}", values[name])
	}
	return path
}

// TestManagementChecksInOrder checks the documented order for every operation: first the key, then the permission and
// what the path names, in the operation's own order.
func TestManagementChecksInOrder(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	m := openEverything(t, c)
	for _, op := range manage.V1.Operations() {
		if op == manage.GetHealth.Operation {
			continue
		}
		permission := manage.PermissionOf(op)
		others := slices.DeleteFunc(slices.Clone(allPermissions), func(word string) bool { return word == string(permission) })
		lacking := m.makeKey(t, c, others...)
		forbidden := fmt.Sprintf(`{"error":"forbidden","message":"Missing required permission: %s"}`, permission)
		for _, route := range append([]string{op.Route}, op.Aliases...) {
			method, _, _ := strings.Cut(route, " ")
			known := method + " " + fillPath(op, "")
			table := map[string][]exchange{
				"":      {{"without a key", known, 401, `{"error":"unauthorized","message":"Missing API key"}`}},
				lacking: {{"without the permission", known, 403, forbidden}},
			}
			for _, param := range op.PathParams() {
				unknown := method + " " + fillPath(op, param)
				first := exchange{"unknown without the permission", unknown, 403, forbidden}
				if manage.PermissionAfter(op) != "" {
					first.status, first.body = 404, `"not_found"`
				}
				table[lacking] = append(table[lacking], first)
				table[m.key] = append(table[m.key], exchange{"unknown", unknown, 404, `"not_found"`})
			}
			t.Run(method+" "+op.Path(), func(t *testing.T) {
				for key, exchanges := range table {
					m.requireExchanges(t, key, exchanges)
				}
			})
		}
	}
	for _, there := range []string{"/apps/web-shop", "/teams/$OFFICE", "/users/ann", "/apps/web-shop/problems/PROBLEM"} {
		require.Equal(t, http.StatusOK, m.call(t, m.key, "GET "+there).status, "nothing of it was done")
	}
}
