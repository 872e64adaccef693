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

// File is a migration.
type File struct {
	Name    string // such as 0004_issues.sql
	Version int64
}

// ListFiles returns all migrations, the oldest first.
func ListFiles() (list []File) {
	files, err := FS.ReadDir(".")
	if err != nil {
		panic(err) // the files are in the program
	}
	for _, file := range files {
		number, _, _ := strings.Cut(file.Name(), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			panic(err)
		}
		list = append(list, File{file.Name(), version})
	}
	return list
}

// Newest returns the version of the newest migration: the schema that this program needs.
func Newest() int64 {
	list := ListFiles()
	return list[len(list)-1].Version
}
