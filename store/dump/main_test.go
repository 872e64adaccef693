package dump_test

import (
	"testing"

	"errand/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestEveryStatementPrepares(t *testing.T) {
	t.Parallel()
	storetest.RequireStatements(t, nil)
}
