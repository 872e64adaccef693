package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// A statement that waits for a lock makes everyone else wait behind it.
func TestMigrationsWaitForALockInSmallSteps(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1s", storetest.New(t).LockTimeoutOfMigrations(t))
}

func TestTransactionsEndWhatAFrozenServerHolds(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	for pool, got := range s.ShowInTx(t, "idle_in_transaction_session_timeout") {
		require.Equal(t, "2s", got, pool)
	}
	require.Equal(t, map[string]string{"main": "auto", "events": "force_generic_plan"}, s.ShowInTx(t, "plan_cache_mode"))
}
