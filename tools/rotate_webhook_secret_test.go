package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify/formats"
	"errand/tools"
)

// openSecrets returns the secrets of a webhook as deliveries use them.
func (h *fixture) openSecrets(id int64) (secret, token string) {
	h.Helper()
	w, err := h.store.GetWebhook(h.Context(), id)
	require.NoError(h, err)
	form, err := formats.Find(w.Format)
	require.NoError(h, err)
	target, err := form.OpenTarget(h.webhooks.Keys, id, w.URL, w.Sealed)
	require.NoError(h, err)
	return target.Secret.Reveal(), target.Token.Reveal()
}

// TestRotateWebhookSecret replaces the secret that signs, and keeps the token of the repository.
func TestRotateWebhookSecret(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	admin := core.NewBootstrapActor()
	made := h.callData(admin, core.CreateWebhook.Operation, `{"name": "flow", "format": "scm_dispatch", "events": ["issue.new"],
		"url": "https://api.github.com/repos/acme/shop/dispatches", "github_token": "ghp_of_the_repository"}`)
	id := idOf(made)

	rotated := h.callData(admin, core.RotateWebhookSecret.Operation, fmt.Sprintf(`{"id": %d}`, id))

	require.Regexp(t, `^whsec_`, rotated["secret"])
	require.NotEqual(t, made["secret"], rotated["secret"])
	secret, token := h.openSecrets(id)
	require.Equal(t, rotated["secret"], secret)
	require.Equal(t, "ghp_of_the_repository", token)
	actions := queryTexts(h, `SELECT action FROM activity WHERE target_type = 'webhook' AND target_id = $1 ORDER BY at, id`, id)
	require.Equal(t, []string{"webhook.create", "webhook.rotate_secret"}, actions)
	data := queryTexts(h, `SELECT coalesce(data::text, '') FROM activity WHERE action = 'webhook.rotate_secret'`)
	require.NotContains(t, data[0], "whsec_")

	chat := h.callData(admin, core.CreateWebhook.Operation,
		fmt.Sprintf(`{"name": "chat", "format": "chat_a", "events": ["issue.new"], "url": %q}`, secretURL))
	require.Contains(t, h.mustFail(admin, core.RotateWebhookSecret.Operation, fmt.Sprintf(`{"id": %d}`, idOf(chat))), "not signed")
	require.Contains(t, h.mustFail(admin, core.RotateWebhookSecret.Operation, `{"id": 999}`), "not_found")
	o := allWebhooks(t)
	o.Keys = newKeys(t, "k2")
	h.setWebhooks(o)
	require.Contains(t, h.mustFail(admin, core.RotateWebhookSecret.Operation, fmt.Sprintf(`{"id": %d}`, id)), "encryption_not_configured")
	h.setWebhooks(tools.WebhookOptions{Guard: o.Guard})
	require.Contains(t, h.mustFail(admin, core.RotateWebhookSecret.Operation, fmt.Sprintf(`{"id": %d}`, id)), "encryption_not_configured")
}
