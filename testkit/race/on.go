//go:build race

// Package race says whether the race detector runs: it allocates memory of its own.
package race

// Enabled is true under `go test -race`.
const Enabled = true
