// Package migrations holds the schema as numbered goose files: forward only, and each one safe while older servers
// still run beside it (expand first, contract in a later release).
package migrations

import "embed"

// FS has the migration files.
//
//go:embed *.sql
var FS embed.FS
