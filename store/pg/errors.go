package pg

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"

	"errand/core"
)

// WrapError gives an error of the database the code that its client sees: core.Unavailable while the database is away or
// takes no writes. Any other error is returned unchanged and leaves the process as internal.
func WrapError(err error) error {
	if err == nil || !isUnavailable(err) {
		return err
	}
	return core.NewError(core.Unavailable).Because(err)
}

// isUnavailable reports whether the same statement may work later, because nothing is wrong with the statement itself.
func isUnavailable(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case core.HasCode(err, core.Unavailable):
		return false // wrapped already
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return true
	case errors.Is(err, context.Canceled): // the caller gave up; a deadline already counts as a network error
		return true
	case errors.Is(err, driver.ErrBadConn): // database/sql, which the migrations use, turns it into this
		return true
	default:
		return HasState(err, passingStates...) || lacksResources(err) || LostNode(err) || isInMove(err) || pgconn.SafeToRetry(err)
	}
}

// passingStates are the SQLSTATEs of conditions that pass without a change on our side.
var passingStates = []string{
	pgerrcode.ReadOnlySQLTransaction,          // a standby, also one that was the primary when the connection was made
	pgerrcode.LockNotAvailable,                // ended by lock_timeout
	pgerrcode.IdleInTransactionSessionTimeout, // this process was frozen
	pgerrcode.QueryCanceled,                   // ended by statement_timeout or by an administrator
	pgerrcode.AdminShutdown,
	pgerrcode.CrashShutdown,
	pgerrcode.CannotConnectNow, // starting up
	// Of Citus, whose node is away:
	pgerrcode.ConnectionDoesNotExist,
	pgerrcode.SQLClientUnableToEstablishSQLConnection,
	pgerrcode.IdleSessionTimeout,
}

// HasState reports whether the error has one of the SQLSTATEs.
func HasState(err error, states ...string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && slices.Contains(states, pg.Code)
}

// lostNode has how Citus begins what it says when a node ends under a statement. It gives these errors no state of their own.
var lostNode = []string{"failure on connection marked as essential", "postmaster was shut down"}

// LostNode reports whether Citus lost the connection to a node.
func LostNode(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == pgerrcode.ConnectionFailure || pg.Code == pgerrcode.InternalError &&
		slices.ContainsFunc(lostNode, func(begin string) bool { return strings.HasPrefix(pg.Message, begin) }))
}

// isInMove reports whether a statement deletes or changes a row without a key while Citus moves the row's shard.
func isInMove(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == pgerrcode.ObjectNotInPrerequisiteState && strings.Contains(pg.Message, "replica identity")
}

// lacksResources reports whether the server's disk is full, its memory is used up, or it has no connection left.
func lacksResources(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pgerrcode.IsInsufficientResources(pg.Code)
}
