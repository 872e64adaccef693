package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"errand/core"
)

// wrap returns an error of the database with the code that its client gets: unavailable when the database is away or
// takes no writes for the moment; anything else stays as it is and leaves the process as internal.
func wrap(err error) error {
	if err == nil || !isUnavailable(err) {
		return err
	}
	return core.NewError(core.Unavailable).Because(err)
}

// Coded is wrap for errors of what works on the store's connections by itself, such as the queue.
func Coded(err error) error { return wrap(err) }

// isUnavailable reports whether the error means that the same statement may work later, and not that it is wrong.
func isUnavailable(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case core.HasCode(err, core.Unavailable):
		return false // wrapped already
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return true
	case errors.Is(err, context.Canceled): // the caller gave up, as after a deadline, which is a network error
		return true
	case errors.Is(err, driver.ErrBadConn): // what database/sql, which the migrations use, makes of it
		return true
	default:
		return hasState(err, passingStates...) || inClass(err, insufficientResources) || pgconn.SafeToRetry(err)
	}
}

// readOnly is the SQLSTATE of a write on a server that takes none: a standby, also one that was the primary when the
// connection was made.
const readOnly = "25006"

// lockNotAvailable is the SQLSTATE of a statement that lock_timeout ended.
const lockNotAvailable = "55P03"

// insufficientResources is the class of SQLSTATEs of a server whose disk is full (53100), whose memory is used up
// (53200), or that has no connection left (53300).
const insufficientResources = "53"

// passingStates are the SQLSTATEs of what is over after a while, without a change of ours.
var passingStates = []string{
	readOnly,
	lockNotAvailable,
	"25P03", // idle in a transaction for too long: this process was frozen
	"57014", // ended by statement_timeout or by an administrator
	"57P01", // shut down by an administrator
	"57P02", // crashed
	"57P03", // starting up
	"57P05", // idle for too long
}

// MayBeCommitted reports whether a transaction that failed may have been carried out all the same: the connection broke
// after it was sent, and no answer came.
func MayBeCommitted(err error) bool {
	var connect *pgconn.ConnectError
	var answer *pgconn.PgError
	return core.HasCode(err, core.Unavailable) && !errors.As(err, &connect) && !errors.As(err, &answer) && !pgconn.SafeToRetry(err)
}

// hasState reports whether the error has one of the SQLSTATEs.
func hasState(err error, states ...string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && slices.Contains(states, pg.Code)
}

// inClass reports whether the error's SQLSTATE is of the class, its first two characters.
func inClass(err error, class string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && strings.HasPrefix(pg.Code, class)
}
