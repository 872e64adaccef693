package app_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/blob"
	"errand/core"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// TestBlobsOfAnotherInstallation starts an unrelated server on the BLOBS of a running one.
func TestBlobsOfAnotherInstallation(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	startOnBlobs(t, storetest.NewURL(t), folder)
	other := configWithJobs(storetest.NewURL(t))
	other.Blobs = core.Secret("file://" + folder)

	_, err := app.New(t.Context(), other, "test", (&logtext.Text{}).NewLogger())

	require.ErrorContains(t, err, "BLOBS: file://"+folder+": it belongs to another installation")
	require.ErrorContains(t, err, "Set BLOBS to a folder or prefix of its own")
}

// TestRestoredCopyDeletesNothing starts a server on a copy of the database with the BLOBS of production, like an
// operator who rehearses a restore.
func TestRestoredCopyDeletesNothing(t *testing.T) {
	t.Parallel()
	folder, productionURL, copyURL := t.TempDir(), storetest.NewURL(t), storetest.NewURL(t)
	startOnBlobs(t, productionURL, folder).stopServer(t) // its job would delete the map, which the test has not recorded
	blobs, err := blob.OpenStore("file://"+folder, os.Getenv)
	require.NoError(t, err)
	const newer = "sourcemaps/7/9" // uploaded to production after the backup
	_, err = blobs.Put(t.Context(), newer, strings.NewReader("map"), 3)
	require.NoError(t, err)
	old := time.Now().Add(-48 * time.Hour)
	require.NoError(t, os.Chtimes(blobs.Locate(newer), old, old))
	copyIdentity(t, productionURL, copyURL)

	restored := startOnBlobs(t, copyURL, folder)

	require.Eventually(t, func() bool { // wait until the job has run
		return slices.ContainsFunc(restored.log.FindLines("source maps that are no longer needed stay in BLOBS for now"),
			func(line map[string]any) bool { return line["count"] == 1.0 && line["of"] == 1.0 })
	}, atMost, every)
	require.Contains(t, restored.log.String(), "the database was restored or moved")
	require.FileExists(t, blobs.Locate(newer))
}

// startOnBlobs runs a server with a folder for its BLOBS.
func startOnBlobs(t *testing.T, databaseURL, folder string) *server {
	t.Helper()
	c := configWithJobs(databaseURL)
	c.Blobs = core.Secret("file://" + folder)
	return startServer(t, c)
}

// copyIdentity marks a database as restored from another one.
func copyIdentity(t *testing.T, from, to string) {
	t.Helper()
	var id, database string
	row := openConnection(t, from).QueryRow(t.Context(), `SELECT id, database FROM install_identity`)
	require.NoError(t, row.Scan(&id, &database))
	_, err := openConnection(t, to).Exec(t.Context(), `INSERT INTO install_identity (id, database) VALUES ($1, $2)`, id, database)
	require.NoError(t, err)
}
