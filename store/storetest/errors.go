package storetest

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// logPrefix names the database in each line of the log.
const logPrefix = "[%d] "

// isError matches the start of a line about a failure in Postgres's log.
var isError = regexp.MustCompile(`^\[[^]]*\] (ERROR|FATAL|PANIC):`)

// CollectErrors returns a function that returns the errors that Postgres has logged about a database since, each with the
// lines that explain it.
func CollectErrors(t testing.TB, databaseURL string) func() []string {
	t.Helper()
	s, err := startOnce()
	require.NoError(t, err)
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	prefix := "[" + strings.TrimPrefix(u.Path, "/") + "] "
	before := len(s.readLog(t))
	return func() []string {
		t.Helper()
		text := s.readLog(t)
		return errorLines(string(text[min(before, len(text)):]), prefix)
	}
}

func (s *server) readLog(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "postgres.log"))
	require.NoError(t, err)
	return bytes.ToValidUTF8(text, []byte("?"))
}

// errorLines returns the errors in a log, of lines with the prefix.
func errorLines(log, prefix string) (list []string) {
	inError := false
	for line := range strings.Lines(log) {
		switch {
		case strings.HasPrefix(line, prefix) && isError.MatchString(line):
			list, inError = append(list, line), true
		case strings.HasPrefix(line, prefix+"LOG:") || strings.HasPrefix(line, "[") && !strings.HasPrefix(line, prefix):
			inError = false
		case inError:
			list[len(list)-1] += line
		}
	}
	return list
}
