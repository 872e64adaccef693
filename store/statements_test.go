package store_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/store"
	"errand/store/storetest"
)

func TestEveryStatementPrepares(t *testing.T) {
	t.Parallel()
	storetest.RequireStatements(t, store.FormsByProject())
}

// Statements about projects begin with project_seen where the tables are distributed, and name the project of each other table by it.
func TestFormsByProjectPrepare(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), storetest.NewURL(t))
	require.NoError(t, err)
	defer conn.Close(t.Context())
	for name, sql := range store.FormsByProject() {
		sql, _, err = pgx.NamedArgs{}.RewriteQuery(t.Context(), conn, sql, nil)
		require.NoError(t, err, name)
		_, err := conn.Prepare(t.Context(), name, sql)
		require.NoError(t, err, sql)
		require.Contains(t, sql, "FROM project_seen s JOIN projects p", name)
		require.NotContains(t, sql, "FROM projects p", name)
	}
}
