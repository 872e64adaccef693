//go:build e2e

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/stretchr/testify/assert"
)

// excusedErrors are the errors that may stand in Postgres' log, and why. Anything else there is a statement that failed
// though nothing was wrong, or one that is wrong.
var excusedErrors = map[string]string{
	"canceling autovacuum task": "Postgres' own: a change of a table comes first",
}

var errorLine = regexp.MustCompile(`(?m)^.* ERROR:  (.*)$`)

// checkPostgresLog checks that the private Postgres has logged no error that is not excused.
func (s *server) checkPostgresLog() {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dataDir, "postgres.log"))
	if errors.Is(err, os.ErrNotExist) {
		return // it is not the server's own
	}
	assert.NoError(s.t, err)
	for _, line := range errorLine.FindAllStringSubmatch(string(text), -1) {
		if !isExcused(line[1]) {
			s.t.Errorf("an error in Postgres' log: %s", line[0])
		}
	}
}

func isExcused(message string) bool {
	for excused := range excusedErrors {
		if strings.HasPrefix(message, excused) {
			return true
		}
	}
	return false
}
