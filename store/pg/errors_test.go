package pg_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/pg"
)

// A database that answers may refuse a write for these reasons, and all of them pass.
func TestRefusedWritesAreUnavailable(t *testing.T) {
	t.Parallel()
	for state, unavailable := range map[string]bool{
		"25006": true, "25P03": true, "53000": true, "53100": true, "53200": true, "53300": true, "53400": true,
		"55P03": true, "57014": true, "57P01": true, "57P02": true, "57P03": true,
		"22P02": false, "23505": false, "40001": false, "42P01": false, "XX000": false,
	} {
		err := pg.WrapError(&pgconn.PgError{Code: state, Severity: "ERROR"})
		require.Equal(t, unavailable, core.HasCode(err, core.Unavailable), state)
	}
}
