// Package migrations holds the schema as numbered goose files, one per subject, forward only. An existing file never
// changes again, and a new one is safe while older servers still run beside it (expand first, contract in a later release).
package migrations

import (
	"embed"
	"strconv"
	"strings"
)

// FS has the migration files.
//
//go:embed *.sql
var FS embed.FS

// Newest returns the version of the newest migration: the schema that this program needs.
func Newest() (version int64) {
	files, err := FS.ReadDir(".")
	if err != nil {
		panic(err) // the files are in the program
	}
	for _, file := range files {
		number, _, _ := strings.Cut(file.Name(), "_")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			version = max(version, n)
		}
	}
	return version
}
