// Package migrations holds the schema as numbered goose files, one per subject, forward only. An existing file never
// changes again, and a new one is safe while older servers still run beside it (expand first, contract in a later release).
package migrations

import "embed"

// FS has the migration files.
//
//go:embed *.sql
var FS embed.FS
