package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/notify/notifytest"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

const backupPassphrase = "correct horse battery"

// outputs returns two files, for the output and the notes of a command.
func outputs(t *testing.T) (out, notes *os.File) {
	t.Helper()
	for _, file := range []**os.File{&out, &notes} {
		made, err := os.CreateTemp(t.TempDir(), "")
		require.NoError(t, err)
		t.Cleanup(func() { _ = made.Close() })
		*file = made
	}
	return out, notes
}

func readBack(t *testing.T, file *os.File) string {
	t.Helper()
	text, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	return string(text)
}

// makeBackup backs up what a server with this configuration works on, and returns the file.
func makeBackup(t *testing.T, c app.Config, b app.Backup) string {
	t.Helper()
	out, notes := outputs(t)
	b.File = filepath.Join(t.TempDir(), "errand.backup")
	require.NoError(t, b.Run(t.Context(), &c, "0.0.0", (&logtext.Text{}).NewLogger(), out, notes))
	require.Contains(t, readBack(t, notes), "1 projects, 1 issues, 1 stored events")
	return b.File
}

func restore(t *testing.T, c app.Config, r app.Restore) (printed string, err error) {
	t.Helper()
	out, notes := outputs(t)
	err = r.Run(t.Context(), &c, (&logtext.Text{}).NewLogger(), out, notes)
	return readBack(t, out), err
}

// A backup of a serving server, restored beside it, is an installation of its own: it goes on with issues, keys of webhooks and
// source maps, and calls no webhook until it is told to.
func TestRestoreBesideTheOriginal(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusAccepted))
	c := hookConfig(storetest.NewURL(t))
	c.Blobs = core.Secret("file://" + t.TempDir())
	original := startServer(t, c)
	key := original.makeProject(t)
	require.Equal(t, http.StatusCreated, original.uploadMap(t, "1.0", "~/app.js", shopMap).status)
	webhook, secret := original.makeWebhook(t, `"url": "`+receiver.URL+`"`)
	issue := original.sendEvent(t, key)
	original.waitForDelivery(t, webhook, hasEnded)
	given := app.GivenPassphrase{BackupPassphrase: backupPassphrase}
	file := makeBackup(t, c, app.Backup{GivenPassphrase: given})

	beside := c
	beside.DatabaseURL = core.Secret(storetest.NewEmptyURL(t))
	beside.Blobs = core.Secret("file://" + t.TempDir())
	beside.RefreshEvery = every
	keysFile := filepath.Join(t.TempDir(), "keys.env")
	printed, err := restore(t, beside, app.Restore{GivenPassphrase: given, KeysFile: keysFile, File: file})
	require.NoError(t, err)
	require.Contains(t, printed, "1 source maps")
	require.Contains(t, printed, "errand settings unset OUTGOING")
	keys, err := os.ReadFile(keysFile)
	require.NoError(t, err)
	require.Contains(t, string(keys), "ADMIN_TOKEN="+adminToken)
	restored := startServer(t, beside)

	require.Equal(t, issue, restored.sendEvent(t, key), "the issue is known")
	require.EqualValues(t, 2, timesSeen(t, beside.DatabaseURL.Reveal(), issue))
	require.EqualValues(t, 1, timesSeen(t, c.DatabaseURL.Reveal(), issue))
	require.Equal(t, core.Untrusted("src/pay.js"), restored.mapCrash(t, key, "1.0").Path)
	restored.sendBody(t, key, []byte(`{"message": "another error"}`))
	require.Equal(t, core.DeliveryPending, restored.listDeliveries(t, webhook)[0].Status)
	require.Len(t, receiver.Received(), 1, "the original's")
	_, err = app.UnsetSetting(t.Context(), &beside, "OUTGOING", "0.0.0", (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(receiver.Received()) == 3 }, atMost, every, "also the issue of the mapped crash")
	require.Contains(t, string(receiver.Received()[2].Body), "another error")
	requireSigned(t, secret, receiver.Received()[2])
}

// A backup of a private installation takes the place of the lost one, with its admin token and its keys.
func TestRestoreTakesOver(t *testing.T) {
	t.Parallel()
	c := privateConfig(dataDir(t))
	c.AdminToken = adminToken
	original := startServer(t, c)
	key := original.makeProject(t)
	issue := original.sendEvent(t, key)
	given := app.GivenPassphrase{BackupPassphrase: backupPassphrase}
	file := makeBackup(t, c, app.Backup{GivenPassphrase: given})
	original.stopServer(t)

	other := privateConfig(dataDir(t))
	_, err := restore(t, other, app.Restore{GivenPassphrase: given, TakeOver: true, File: file})
	require.NoError(t, err)
	before, err := os.ReadFile(filepath.Join(c.DataDir, "encryption-keys"))
	require.NoError(t, err)
	after, err := os.ReadFile(filepath.Join(other.DataDir, "encryption-keys"))
	require.NoError(t, err)
	require.Equal(t, before, after)
	restored := startServer(t, other)
	require.Equal(t, issue, restored.sendEvent(t, key))

	_, err = restore(t, other, app.Restore{File: file})
	require.ErrorContains(t, err, "running")
	restored.stopServer(t)
	_, err = restore(t, other, app.Restore{File: file})
	require.ErrorContains(t, err, "not empty")
	require.ErrorContains(t, err, "set DATA_DIR")
}

func TestBackupsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	existing := filepath.Join(t.TempDir(), "there")
	require.NoError(t, os.WriteFile(existing, []byte("mine"), 0o600))
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for _, test := range []struct {
		backup app.Backup
		reason string
	}{
		{app.Backup{File: existing}, "exists: name a new file"},
		{app.Backup{File: "/no/such/folder/file"}, "no such file or directory"},
		{app.Backup{File: "x", GivenPassphrase: app.GivenPassphrase{BackupPassphrase: "short"}}, "at least 12 characters"},
		{app.Backup{File: "x", GivenPassphrase: app.GivenPassphrase{PassphraseFile: empty}}, "the file is empty"},
		{app.Backup{File: existing, Verify: true}, "no backup of Errand"},
	} {
		out, notes := outputs(t)
		err := test.backup.Run(t.Context(), &c, "0.0.0", (&logtext.Text{}).NewLogger(), out, notes)
		require.ErrorContains(t, err, test.reason)
	}
	text, err := os.ReadFile(existing)
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))
}

// A copy must not write into the storage of the original.
func TestCopyNeedsBlobsOfItsOwn(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	c.Blobs = core.Secret("file://" + t.TempDir())
	original := startServer(t, c)
	original.sendEvent(t, original.makeProject(t))
	require.Equal(t, http.StatusCreated, original.uploadMap(t, "1.0", "~/app.js", shopMap).status)
	file := makeBackup(t, c, app.Backup{})
	beside := c
	beside.DatabaseURL = core.Secret(storetest.NewEmptyURL(t))

	_, err := restore(t, beside, app.Restore{File: file})

	require.ErrorContains(t, err, "belongs to another installation")
	require.ErrorContains(t, err, "a folder or prefix of its own")
}

// Root may back up the installation of a server that another user runs: the files belong to the owner of the folder.
func TestRootBacksUpAnotherUsersServer(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	c := privateConfig(dataDir(t))
	s := startServer(t, c)
	token := s.NewAdminToken.Reveal()
	s.stopServer(t)
	const nobody = 65534
	for _, name := range []string{"", "admin-token", "encryption-keys"} {
		require.NoError(t, os.Chown(filepath.Join(c.DataDir, name), nobody, nobody))
	}
	given := app.GivenPassphrase{BackupPassphrase: backupPassphrase}
	out, notes := outputs(t)
	file := filepath.Join(t.TempDir(), "backup")

	b := app.Backup{GivenPassphrase: given, File: file}
	require.NoError(t, b.Run(t.Context(), &c, "0.0.0", (&logtext.Text{}).NewLogger(), out, notes))

	other := privateConfig(dataDir(t))
	_, err := restore(t, other, app.Restore{GivenPassphrase: given, File: file})
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(other.DataDir, "admin-token"))
	require.NoError(t, err)
	require.Equal(t, token+"\n", string(text))

	require.NoError(t, os.Chown(filepath.Join(c.DataDir, "admin-token"), 12345, 12345))
	again := app.Backup{GivenPassphrase: given, File: file + "2"}
	err = again.Run(t.Context(), &c, "0.0.0", (&logtext.Text{}).NewLogger(), out, notes)
	require.ErrorContains(t, err, "belongs to another user")
}
