package pg_test

import (
	"testing"

	"errand/store/storetest"
)

func TestEveryStatementPrepares(t *testing.T) {
	t.Parallel()
	storetest.RequireStatements(t, nil)
}
