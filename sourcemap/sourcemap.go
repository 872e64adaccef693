// Package sourcemap finds the original positions of minified JavaScript. A source map (ECMA-426, JSON) is turned into an index
// once, on upload. A look-up reads a few pages of an index, so that thousands of maps cost nothing while nobody uses them.
//
// Lines and columns are 1-based everywhere in this package, as in stack traces; columns count UTF-16 code units, as in
// JavaScript.
package sourcemap

import "fmt"

// The reasons of `invalid_sourcemap`, word for word (primary API, Source map upload).
const (
	NotVersion3    = "not version 3"
	HasSections    = "a map with sections"
	BrokenMappings = "broken mappings" // also fields that mappings point to, such as sources, with a wrong type
	BrokenIndex    = "broken index"
	NotJSON        = "not JSON"
)

// MaxSources and MaxNames bound the lists of a map: an empty entry costs three bytes of JSON, and more in an index.
const (
	MaxSources = 200_000
	MaxNames   = 4_000_000
)

// Invalid is the error for a refused map or index. All other errors of this package come from reading.
type Invalid struct {
	Reason string // one of the reasons above
	Detail string // what is wrong, and where; never contains text of the map
}

// Error returns the reason and the detail.
func (e *Invalid) Error() string { return e.Reason + ": " + e.Detail }

func refuseMappings(format string, args ...any) error {
	return &Invalid{Reason: BrokenMappings, Detail: fmt.Sprintf(format, args...)}
}

func refuseIndex(format string, args ...any) error {
	return &Invalid{Reason: BrokenIndex, Detail: fmt.Sprintf(format, args...)}
}

// Summary describes the contents of an index.
type Summary struct {
	Size     int64  // bytes of the index
	Hash     string // SHA-256 of its contents, in hexadecimal: equal maps have equal hashes
	DebugID  string // a UUID in lower case with hyphens; empty when the map has none
	Sources  int    // original files
	Names    int
	Mappings int
}
