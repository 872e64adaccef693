//go:build !race

package intake_test

// underRace says that the race detector runs, which allocates too.
const underRace = false
