//go:build e2e

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// newerMajor is the PostgreSQL that npm installs, with the programs postgres, initdb and pg_ctl alone.
const newerMajor = "17"

// newerPostgres returns the folder of the programs of a newer PostgreSQL, which any user may run.
func newerPostgres(t *testing.T) string {
	t.Helper()
	installed := filepath.Join("node_modules", "postgres-"+newerMajor)
	if _, err := os.Stat(installed); os.IsNotExist(err) {
		t.Skip("npm has no PostgreSQL for this platform")
	}
	unpacked := filepath.Join(newDir(t), "postgres")
	out, err := exec.Command("../scripts/unpack-postgres", installed, unpacked).CombinedOutput()
	require.NoError(t, err, string(out))
	return filepath.Join(unpacked, "bin")
}

const stuckTill = `{"message":"the till is stuck","fingerprint":["till"]}`

// onlyIssue returns the id of the only issue.
func (s *server) onlyIssue() string {
	s.t.Helper()
	var list struct{ Data []struct{ ID int64 } }
	require.Equal(s.t, 200, s.callAPI(adminToken, "GET", "/v1/issues", "", &list))
	require.Len(s.t, list.Data, 1)
	return fmt.Sprint(list.Data[0].ID)
}

// fillOldServer starts a server on the machine's own PostgreSQL, with an issue and a note on it.
func fillOldServer(t *testing.T, dir string) (issue, key string) {
	t.Helper()
	s := startServerOn(t, dir)
	dsn, _ := s.makeProject("Shop")
	key = parseDSN(t, dsn).key
	require.Equal(t, 200, s.callAPI("", "POST", "/v1/ingest?key="+key, stuckTill, nil))
	issue = s.onlyIssue()
	require.Equal(t, 201, s.callAPI(adminToken, "POST", "/v1/issues/"+issue+"/notes", `{"text":"seen at noon"}`, nil))
	s.stopServer()
	major, err := os.ReadFile(filepath.Join(dir, "postgres", "PG_VERSION"))
	require.NoError(t, err)
	if strings.TrimSpace(string(major)) >= newerMajor {
		t.Skip("this machine's PostgreSQL is not older")
	}
	return issue, key
}

// TestPostgresUpgrade brings an installation to a newer PostgreSQL, row by row, since the newer one lacks pg_upgrade.
func TestPostgresUpgrade(t *testing.T) {
	t.Parallel()
	newer, dir := newerPostgres(t), newDir(t)
	issue, key := fillOldServer(t, dir)

	out, err := errandCommand(t, dir, nil, "postgres", "upgrade", "--to", newer).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "to "+newerMajor+" in ")
	require.Contains(t, string(out), "errand postgres remove-old")

	s := startServerOn(t, dir, "POSTGRES_BIN="+newer)
	require.Equal(t, 200, s.callAPI("", "POST", "/v1/ingest?key="+key, stuckTill, nil))
	require.Equal(t, issue, s.onlyIssue())
	var read struct {
		Data struct {
			TimesSeen int `json:"times_seen"`
		}
	}
	require.Equal(t, 200, s.callAPI(adminToken, "GET", "/v1/issues/"+issue, "", &read))
	require.Equal(t, 2, read.Data.TimesSeen)
	var done struct{ Data []struct{ Action string } }
	require.Equal(t, 200, s.callAPI(adminToken, "GET", "/v1/issues/"+issue+"/activity", "", &done))
	require.NotEmpty(t, done.Data)

	out, err = errandCommand(t, dir, nil, "postgres", "upgrade", "--to", newer).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "stop the server first")
	out, _ = errandCommand(t, dir, nil, "doctor").CombinedOutput() // it also finds that nobody listens on the default address
	require.Contains(t, string(out), "errand postgres remove-old")
	out, err = errandCommand(t, dir, nil, "postgres", "remove-old").CombinedOutput() // beside the server
	require.NoError(t, err, string(out))
	old, err := filepath.Glob(filepath.Join(dir, "postgres.[0-9]*"))
	require.NoError(t, err)
	require.Empty(t, old)
	s.stopServer()

	refused := errandCommand(t, dir, nil, "serve", "--addr", "127.0.0.1:0") // on the older programs
	out, err = refused.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "the data is of PostgreSQL "+newerMajor)
}

// TestPostgresUpgradeKilled kills an upgrade at each of its steps. The old data serves as before, and the next upgrade works.
func TestPostgresUpgradeKilled(t *testing.T) {
	t.Parallel()
	newer, dir := newerPostgres(t), newDir(t)
	issue, _ := fillOldServer(t, dir)
	for _, step := range []string{"checking the old data", "copying row by row", "checking and analysing"} {
		cmd := errandCommand(t, dir, nil, "postgres", "upgrade", "--to", newer)
		notes, err := cmd.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		killAtLine(t, cmd, notes, step)

		s := startServerOn(t, dir)
		require.Equal(t, 200, s.callAPI(adminToken, "GET", "/v1/issues/"+issue, "", nil), "after a kill while %s", step)
		left, err := filepath.Glob(filepath.Join(dir, "postgres.upgrade*"))
		require.NoError(t, err)
		require.Empty(t, left)
		s.stopServer()
	}
	out, err := errandCommand(t, dir, nil, "postgres", "upgrade", "--to", newer).CombinedOutput()
	require.NoError(t, err, string(out))
	s := startServerOn(t, dir, "POSTGRES_BIN="+newer)
	require.Equal(t, 200, s.callAPI(adminToken, "GET", "/v1/issues/"+issue, "", nil))
}

// killAtLine kills a process once it has written a line with the text.
func killAtLine(t *testing.T, cmd *exec.Cmd, out io.Reader, text string) {
	t.Helper()
	var read strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		read.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), text) {
			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
			return
		}
	}
	require.FailNow(t, "no line with "+text, read.String())
}
