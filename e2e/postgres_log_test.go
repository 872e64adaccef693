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

// excusedErrors are the errors that may be in Postgres' log, and why. Any other error is a statement that failed
// although nothing was wrong, or a wrong statement.
var excusedErrors = map[string]string{
	"canceling autovacuum task": "Postgres' own: a change of a table comes first",
}

var errorLine = regexp.MustCompile(`(?m)^.* ERROR:  (.*)$`)

// checkPostgresLog checks that the private Postgres has logged only excused errors.
func (s *server) checkPostgresLog() {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dataDir, "postgres.log"))
	if errors.Is(err, os.ErrNotExist) {
		return // not the server's own
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
