package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"errand/store/pg"
)

// openMigrationDB returns the pool for the library of the migrations. Its transactions wait only a moment for locks (see
// pg.DB.ChangeTables), and nothing is set for a whole session.
func openMigrationDB(pool *pgxpool.Pool) *sql.DB {
	db := sql.OpenDB(migrationConnector{stdlib.GetPoolConnector(pool)})
	db.SetMaxIdleConns(0) // the pool keeps them
	return db
}

// migrationConnector makes connections of migrations.
type migrationConnector struct{ driver.Connector }

// Connect returns a connection from the pool.
func (c migrationConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return migrationConn{conn.(*stdlib.Conn)}, nil
}

// migrationConn is a connection whose transactions begin with their settings.
type migrationConn struct{ *stdlib.Conn }

// BeginTx begins a transaction with the settings of migrations.
func (c migrationConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	tx, err := c.Conn.BeginTx(ctx, o)
	if err != nil {
		return nil, err
	}
	if _, err := c.Conn.Conn().Exec(ctx, pg.MigrationSettings); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return tx, nil
}
