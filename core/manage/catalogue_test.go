package manage_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/core/manage"
)

// TestEveryOperationAsksForAPermission checks that every operation but the health check requires a permission of the table.
func TestEveryOperationAsksForAPermission(t *testing.T) {
	t.Parallel()
	known := strings.Split(manage.ListPermissions(), ", ")
	for _, op := range manage.V1.Operations() {
		t.Run(op.Name, func(t *testing.T) {
			t.Parallel()
			permission := op.Scope
			if permission == core.AnyToken {
				permission = manage.PermissionAfter(op)
			}
			if op == manage.GetHealth.Operation {
				require.Equal(t, core.NoToken, permission)
				return
			}
			require.Contains(t, known, string(permission))
			writes := strings.HasSuffix(string(permission), ":write")
			require.Equal(t, op.ReadOnly(), !writes, "reading asks for a permission to read, changing for one to write")
			require.True(t, strings.HasPrefix(op.Path(), "/api/v1/"))
		})
	}
}

func TestReadPermissions(t *testing.T) {
	t.Parallel()

	read, err := manage.ReadPermissions([]string{"users:write", "apps:read", "users:write"})

	require.NoError(t, err)
	require.Equal(t, []core.Scope{manage.AppsRead, manage.UsersWrite}, read)
	require.Len(t, slices.Compact(strings.Split(manage.ListPermissions(), ", ")), 11)
	for _, wrong := range [][]string{nil, {""}, {"apps"}, {"apps:read", "admin"}} {
		_, err := manage.ReadPermissions(wrong)
		require.ErrorContains(t, err, "apps:read", wrong)
	}
}
