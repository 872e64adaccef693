package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLogFileIsBounded(t *testing.T) {
	t.Parallel()
	log := logFile{path: filepath.Join(t.TempDir(), "postgres.log")}
	f, err := log.open()
	require.NoError(t, err)
	defer f.Close()
	write := func(text string) {
		_, err := f.WriteString(text)
		require.NoError(t, err)
	}

	write("small\n")
	require.NoError(t, log.boundSize())
	require.Equal(t, "small\n", readFile(t, log.path))
	require.NoFileExists(t, log.path+".1")

	write(strings.Repeat("x", logFileMax))
	require.NoError(t, log.boundSize())
	require.Empty(t, readFile(t, log.path))
	aside, err := os.Stat(log.path + ".1")
	require.NoError(t, err)
	require.EqualValues(t, logFileMax+len("small\n"), aside.Size())

	write("goes on\n")
	require.Equal(t, "goes on\n", readFile(t, log.path), "the open file continues at the start")
}

func TestLogFileTail(t *testing.T) {
	t.Parallel()
	log := logFile{path: filepath.Join(t.TempDir(), "postgres.log")}
	require.NoError(t, os.WriteFile(log.path, []byte(strings.Repeat("an early line\n", 500)+"FATAL: the reason\n"), 0o600))
	tail := log.readTail()
	require.True(t, strings.HasSuffix(tail, "\nFATAL: the reason"))
	require.True(t, strings.HasPrefix(tail, "an early line\n"), "whole lines only")
	require.LessOrEqual(t, len(tail), 1000)
}
