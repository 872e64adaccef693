// Package core is the contract of Errand: its nouns (Issue, Event, Project, ...) and every operation,
// declared once beside its noun. It also holds what all operations share: the registry, the JSON
// schemas derived from the declarations, validation, and the one error type.
//
// It imports the standard library and jsonschema only: the words do not know the machinery.
package core
