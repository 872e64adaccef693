package store

import (
	"context"
	"fmt"

	"errand/store/pg"
)

// oldestPostgres is the first major version with all features that the statements use.
const oldestPostgres = 15

const readServer = `
SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,
	current_setting('server_encoding') AS encoding`

// CheckServer returns an error unless the database answers, is of a supported version, and can store any text, and no pooler in
// front of it is in the way.
func (s *Store) CheckServer(ctx context.Context) error {
	server, err := pg.QueryOne[struct {
		Version  int
		Name     string
		Encoding string
	}](ctx, s.db.Main, readServer, pg.Args{})
	switch {
	case err != nil:
		return err
	case server.Version < oldestPostgres*10_000:
		return fmt.Errorf("this is Postgres %s: Errand needs %d or later", server.Name, oldestPostgres)
	case server.Encoding != "UTF8":
		return fmt.Errorf("the database has the encoding %s: Errand needs one that was created with ENCODING 'UTF8'", server.Encoding)
	}
	if err := s.db.CheckPooler(ctx); err != nil {
		return err
	}
	return s.db.FindDistribution(ctx)
}

const findSchema = `
SELECT to_regclass('goose_db_version') IS NOT NULL AND to_regclass('projects') IS NOT NULL AS exists`

// HasSchema reports whether the database has had migrations. Unlike CheckSchema it changes nothing in an empty database,
// where the library of the migrations makes a table before it looks.
func (s *Store) HasSchema(ctx context.Context) (bool, error) {
	row, err := pg.QueryOne[struct{ Exists bool }](ctx, s.db.Main, findSchema, pg.Args{})
	return row.Exists, err
}
