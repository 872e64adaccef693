package app_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// chatAlert is an alert whose URL is a secret; its host needs no name server.
const chatAlert = `{"name": "chat", "format": "slack", "events": ["issue.new"],
	"url": "https://hooks.slack.com/services/T0/B0/hunter2hunter2"}`

// sealedWith returns the ids of the keys that seal the secrets of webhooks.
func sealedWith(t *testing.T, s *server) (ids []string) {
	t.Helper()
	webhooks, err := s.Store().ListSealedWebhooks(t.Context(), "another", 0, 10)
	require.NoError(t, err)
	for _, webhook := range webhooks {
		id, _, _ := strings.Cut(webhook.Sealed, ":")
		ids = append(ids, id)
	}
	return ids
}

// makeKey returns an entry of ENCRYPTION_KEYS.
func makeKey(id string) string {
	return id + ":" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(id, 32)[:32]))
}

// postWebhook creates a webhook, and returns the status and the body of the answer.
func (s *server) postWebhook(t *testing.T, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Addr()+"/v1/webhooks", strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+adminToken)
	request.Header.Set("Content-Type", "application/json")
	got := s.doRequest(request)
	require.NoError(t, got.err)
	return got.status, got.body
}

func TestEncryptionKeysOfAPrivateInstallation(t *testing.T) {
	t.Parallel()
	dir := storetest.NewDataDir(t)
	c := privateConfig(dir)
	c.AdminToken = adminToken
	s := startServer(t, c)
	file := filepath.Join(dir, "encryption-keys")
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	id, key, _ := strings.Cut(strings.TrimSpace(string(kept)), ":")
	require.Regexp(t, `^made-[a-z0-9]{8}$`, id)
	status, _ := s.postWebhook(t, chatAlert)
	require.Equal(t, http.StatusCreated, status)
	require.Equal(t, []string{id}, sealedWith(t, s))
	s.stopServer(t)

	c.EncryptionKeys = core.Secret("," + makeKey("new") + ",broken:hunter2," + makeKey("new"))
	s = startServer(t, c)
	require.Eventually(t, func() bool { return sealedWith(t, s)[0] == "new" }, atMost, every, "it is sealed anew, with the kept key")
	s.stopServer(t)

	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(kept), string(after))
	require.Contains(t, s.log.String(), `"key_id":"broken"`)
	for _, secret := range []string{key, "hunter2", makeKey("new")[len("new:"):]} {
		require.NotContains(t, s.log.String(), secret)
	}
	require.NoError(t, os.WriteFile(file, []byte("hunter2\n"), 0o600))
	c.EncryptionKeys = ""
	_, err = app.New(t.Context(), c, "0.0.0", (&logtext.Text{}).NewLogger())
	require.ErrorContains(t, err, "encryption-keys holds no key")
	require.NotContains(t, err.Error(), "hunter2")
}

func TestNoEncryptionKeysAreMadeForADatabaseOfOnesOwn(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	c.DataDir = t.TempDir()
	s := startServer(t, c)

	status, body := s.postWebhook(t, chatAlert)

	require.Equal(t, http.StatusBadRequest, status)
	require.JSONEq(t, `{"error": "encryption_not_configured", "reason": "ENCRYPTION_KEYS is not set"}`, body)
	entries, err := os.ReadDir(c.DataDir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// The life of webhooks on a separate server with every setting: no secret leaves it.
func TestTheLogHasNoSecretOfWebhooks(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	c.EncryptionKeys, c.WebhookAllowPrivate, c.SCMAPIURL = core.Secret(makeKey("k1")), "127.0.0.0/8", "http://127.0.0.1:1/api/v3/"
	c.SMTPURL, c.EmailFrom = "smtp://errand:hunter2@127.0.0.1:1", "errand@example.com"
	s := startServer(t, c)
	s.makeProject(t)
	const runner = `{"name": "runner", "url": "http://127.0.0.1:1/hook?key=hunter2", "events": ["issue.new"], "min_trust": "low"}`
	const issues = `{"name": "issues", "format": "github_issue", "url": "http://127.0.0.1:1/api/v3/repos/acme/shop/issues",
		"github_token": "ghp_hunter2", "events": ["issue.new"]}`
	const mail = `{"name": "mail", "format": "email", "to": ["ops@example.com"], "events": ["issue.new"]}`
	secrets := []string{"hunter2"}
	for _, body := range []string{runner, issues, mail, chatAlert} {
		status, answer := s.postWebhook(t, body)
		require.Equal(t, http.StatusCreated, status, answer)
		var created struct {
			Data struct{ Secret *string }
		}
		require.NoError(t, json.Unmarshal([]byte(answer), &created))
		if created.Data.Secret != nil {
			secrets = append(secrets, *created.Data.Secret)
		}
	}
	require.Len(t, secrets, 2)
	for _, bad := range []string{`{"github_token": "hunter2"`,
		`{"name": "x", "url": "https://u:hunter2@example.com", "events": ["issue.new"]}`} {
		status, answer := s.postWebhook(t, bad)
		require.Equal(t, http.StatusBadRequest, status)
		require.NotContains(t, answer, "hunter2")
	}
	require.Equal(t, http.StatusOK, s.statusAs(t, adminToken, "/v1/webhooks"))
	require.Equal(t, http.StatusOK, s.statusAs(t, adminToken, "/v1/alerts"))
	s.stopServer(t)

	for _, secret := range secrets {
		require.NotContains(t, s.log.String(), secret)
	}
}
