package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify"
	"errand/notify/formats"
	"errand/tools"
)

func TestCreateWebhook(t *testing.T) {
	t.Parallel()
	h := openShop(t)

	created := h.createWebhook(`"project": "shop"`)

	secret := created["secret"].(string)
	require.Regexp(t, `^whsec_[A-Za-z0-9_-]{43}$`, secret)
	delete(created, "secret")
	want := object{
		"id": created["id"], "name": "runner", "url": "https://runner.example.com/hook?key=topsecret", "to": []any{}, "format": "service",
		"events":          []any{"issue.new", "issue.regressed", "issue.verified", "issue.spike"},
		"spike_threshold": 10, "min_trust": "high", "project_id": shop, "created_at": noonText, "created_by": "ADMIN_TOKEN",
		"last_delivery_status": nil,
	}
	h.sameJSON(want, mustJSON(t, created))
	h.sameJSON(object{"data": []any{want}}, h.mustCall(core.NewBootstrapActor(), core.ListWebhooks.Operation, `{}`))
	stored, err := h.store.GetWebhook(t.Context(), idOf(created))
	require.NoError(t, err)
	form, err := formats.Find(stored.Format)
	require.NoError(t, err)
	target, err := form.OpenTarget(h.webhooks.Keys, stored.ID, stored.URL, stored.Sealed)
	require.NoError(t, err)
	require.Equal(t, []string{stored.URL, secret, ""}, []string{target.URL.Reveal(), target.Secret.Reveal(), target.Token.Reveal()})
	require.Equal(t, []string{`{"url": "https://runner.example.com/hook", "name": "runner"}`},
		queryTexts(h, `SELECT data::text FROM activity WHERE action = 'webhook.create'`))
	h.requireHidden(secret, "topsecret")
}

// requireHidden checks that the secrets appear in no webhook that readers of issues see, nor in the timeline or the log.
func (h *fixture) requireHidden(secrets ...string) {
	h.Helper()
	shown := h.log.String() + h.mustCall(reader, core.ListAlerts.Operation, `{}`) +
		h.mustCall(core.NewBootstrapActor(), core.ListActivity.Operation, `{}`)
	for _, secret := range secrets {
		require.NotContains(h, shown, secret)
	}
}

// createdFormats are inputs, each with the format, the URL that is shown, and the URL that is called.
var createdFormats = map[string]struct{ members, format, shown, called string }{
	"a chat": {`"format": "chat_a", "url": "` + secretURL + `"`, "chat_a", "https://hooks.slack.com/services/***", secretURL},
	"a chat by its other name, without a name server": {`"format": "discord", "url": "https://discord.com/api/webhooks/123/topsecret"`,
		"chat_b", "https://discord.com/api/webhooks/***", "https://discord.com/api/webhooks/123/topsecret"},
	"a workflow": {`"format": "github_dispatch", "github_token": "ghp_topsecret", "url": "https://api.github.com/repos/acme/shop/dispatches"`,
		"scm_dispatch", "https://api.github.com/repos/acme/shop/dispatches", "https://api.github.com/repos/acme/shop/dispatches"},
	"issues": {`"format": "scm_issue", "github_token": "ghp_topsecret", "url": "https://API.github.com/repos/acme/shop/issues"`,
		"scm_issue", "https://api.github.com/repos/acme/shop/issues", "https://api.github.com/repos/acme/shop/issues"},
	"slack": {`"format": "slack", "url": "` + secretURL + `"`, "chat_a", "https://hooks.slack.com/services/***", secretURL},
}

func TestCreateWebhookOfFormats(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	for name, test := range createdFormats {
		t.Run(name, func(t *testing.T) {
			body := h.mustCall(core.NewBootstrapActor(), core.CreateWebhook.Operation, `{"name": "alert", "events": "issue.new", `+test.members+`}`)

			require.NotContains(t, body, "topsecret")
			var created struct{ Data core.CreatedWebhook }
			decodeInto(t, body, &created)
			require.Equal(t, []string{test.format, test.shown, map[string]string{"scm_dispatch": "whsec_"}[test.format]},
				[]string{string(created.Data.Format), string(created.Data.URL), string(created.Data.Secret)[:min(6, len(created.Data.Secret))]})
			stored, err := h.store.GetWebhook(t.Context(), created.Data.ID)
			require.NoError(t, err)
			require.NotContains(t, fmt.Sprint(stored), "topsecret")
			form, err := formats.Find(stored.Format)
			require.NoError(t, err)
			target, err := form.OpenTarget(h.webhooks.Keys, stored.ID, stored.URL, stored.Sealed)
			require.NoError(t, err)
			require.Equal(t, test.called, target.URL.Reveal())
			require.Equal(t, strings.Contains(test.members, "ghp_"), target.Token.Reveal() == "ghp_topsecret")
		})
	}
	require.NotContains(t, h.mustCall(core.NewBootstrapActor(), core.ListWebhooks.Operation, `{}`), "topsecret")
	h.requireHidden("topsecret")
}

func TestCreateEmailAlert(t *testing.T) {
	t.Parallel()
	h := openShop(t)

	created := h.callData(core.NewBootstrapActor(), core.CreateWebhook.Operation,
		`{"name": "on call", "format": "email", "to": ["a@example.com", "b@example.com"], "events": ["issue.new"]}`)

	require.Equal(t, []any{nil, nil, []any{"a@example.com", "b@example.com"}}, []any{created["url"], created["secret"], created["to"]})
	alerts := h.mustCall(reader, core.ListAlerts.Operation, `{}`)
	require.Contains(t, alerts, `"recipients":2`)
	h.requireHidden("@example.com")
}

// badWebhooks are members that a good webhook gets in addition or instead, and the field that the error names.
var badWebhooks = map[string]struct{ members, field string }{
	"no name":                    {`"name": ""`, "name"},
	"a long name":                {`"name": "` + strings.Repeat("n", 101) + `"`, "name"},
	"a name that turns text":     {`"name": "a\u202eb"`, "name"},
	"an unknown format":          {`"format": "chat_c"`, "format"},
	"no events":                  {`"events": []`, "events"},
	"an unknown event":           {`"events": ["issue.new", "issue.old"], "spike_threshold": null`, "events.1"},
	"a ping":                     {`"events": ["ping"], "spike_threshold": null`, "events.0"},
	"an event twice":             {`"events": ["issue.new", "issue.new"], "spike_threshold": null`, "events"},
	"a spike without threshold":  {`"spike_threshold": null`, "spike_threshold"},
	"a threshold without spikes": {`"events": ["issue.new"]`, "spike_threshold"},
	"a threshold of 0":           {`"spike_threshold": 0`, "spike_threshold"},
	"a threshold of too many":    {`"spike_threshold": 1000001`, "spike_threshold"},
	"an unknown trust":           {`"min_trust": "medium"`, "min_trust"},
	"an unknown project":         {`"project": "no-such-app"`, "project"},
	"an unknown field":           {`"secret": "whsec_mine"`, "secret"},
	"addresses without email":    {`"to": ["a@example.com"]`, "to"},
	"a token without repository": {`"github_token": "ghp_topsecret"`, "github_token"},

	"no URL":                    {`"url": null`, "url"},
	"an empty URL":              {`"url": ""`, "url"},
	"no URL at all":             {`"url": "runner"`, "url"},
	"http":                      {`"url": "http://runner.example.com/hook"`, "url"},
	"a user":                    {`"url": "https://u:topsecret@runner.example.com/"`, "url"},
	"localhost":                 {`"url": "https://localhost/hook"`, "url"},
	"a private address":         {`"url": "https://10.0.0.1/hook"`, "url"},
	"the metadata address":      {`"url": "https://169.254.169.254/latest"`, "url"},
	"a name that leads inside":  {`"url": "https://inside.example.com/hook"`, "url"},
	"a name that leads to both": {`"url": "https://mixed.example.com/hook"`, "url"},
	"a name that is not there":  {`"url": "https://nowhere.example.com/hook"`, "url"},
	"another spelling of it":    {`"url": "https://0x7f.1/hook"`, "url"},
	"an IPv4 address in IPv6":   {`"url": "https://[::ffff:127.0.0.1]/hook"`, "url"},
	"full-width digits":         {`"url": "https://１２７.0.0.1/hook"`, "url"},
	"a long URL":                {`"url": "https://runner.example.com/` + strings.Repeat("x", 2048) + `"`, "url"},

	"another host than Slack's":   {`"format": "slack", "url": "https://hooks.slack.example/services/T/B/topsecret"`, "url"},
	"another path than Discord's": {`"format": "chat_b", "url": "https://discord.com/api/users/1/topsecret"`, "url"},
	"no token":                    {`"format": "scm_issue", "url": "https://api.github.com/repos/acme/shop/issues"`, "github_token"},
	"an empty token": {`"format": "scm_issue", "github_token": "", "url": "https://api.github.com/repos/acme/shop/issues"`,
		"github_token"},
	"a token with a line break": {`"format": "scm_issue", "github_token": "topsecret\nX-Header: 1",
		"url": "https://api.github.com/repos/acme/shop/issues"`, "github_token"},
	"the other action": {`"format": "scm_dispatch", "github_token": "ghp_topsecret",
		"url": "https://api.github.com/repos/acme/shop/issues"`, "url"},
	"another API": {`"format": "scm_dispatch", "github_token": "ghp_topsecret", "url": "https://git.example.com/repos/acme/shop/dispatches"`,
		"url"},
	"an escape from the repository": {`"format": "scm_dispatch", "github_token": "ghp_topsecret",
		"url": "https://api.github.com/repos/acme/%2e%2e/dispatches"`, "url"},
	"dots for a repository": {`"format": "scm_dispatch", "github_token": "ghp_topsecret",
		"url": "https://api.github.com/repos/../user/dispatches"`, "url"},

	"email with a URL":          {`"format": "email", "to": ["a@example.com"]`, "url"},
	"email without addresses":   {`"format": "email", "url": null`, "to"},
	"email to nobody":           {`"format": "email", "url": null, "to": []`, "to"},
	"email to no address":       {`"format": "email", "url": null, "to": ["a"]`, "to"},
	"email to somebody twice":   {`"format": "email", "url": null, "to": ["a@example.com", "A@example.com"]`, "to"},
	"email with a header in it": {`"format": "email", "url": null, "to": ["a@example.com\r\nBcc: b@example.com"]`, "to"},
}

func TestBadWebhooks(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	for name, test := range badWebhooks {
		t.Run(name, func(t *testing.T) {
			h := &fixture{T: t, store: h.store, registry: h.registry}
			h.mustRefuse(core.CreateWebhook.Operation, mergeArgs(t, webhookArgs(""), "{"+test.members+"}"), test.field)
			require.NotContains(t, h.mustFail(core.NewBootstrapActor(), core.CreateWebhook.Operation,
				mergeArgs(t, webhookArgs(""), "{"+test.members+"}")), "topsecret")
		})
	}
	require.Equal(t, []string{"0 0"}, queryTexts(h, `SELECT (SELECT count(*) FROM webhooks) || ' ' ||
		(SELECT count(*) FROM activity WHERE action = 'webhook.create')`))
}

// mergeArgs returns the first object with the members of the second one merged in.
func mergeArgs(t *testing.T, args, members string) string {
	t.Helper()
	var merged, changes object
	decodeInto(t, args, &merged)
	decodeInto(t, members, &changes)
	return mustJSON(t, withChanges(merged, changes))
}

func TestWebhooksNeedTheirSettings(t *testing.T) {
	t.Parallel()
	const mail = `{"name": "on call", "format": "email", "to": ["a@example.com"], "events": ["issue.new"]}`
	unsealed := newKeys(t)
	for name, test := range map[string]struct {
		options tools.WebhookOptions
		args    string
		want    object
	}{
		"no keys": {tools.WebhookOptions{}, webhookArgs(""),
			object{"error": "encryption_not_configured", "reason": "ENCRYPTION_KEYS is not set"}},
		"no valid key": {tools.WebhookOptions{Keys: unsealed}, webhookArgs(""),
			object{"error": "encryption_not_configured", "reason": "no entry of ENCRYPTION_KEYS is valid"}},
		"no mail server": {tools.WebhookOptions{Keys: newKeys(t, "k1")}, mail, object{"error": "email_not_configured"}},
		"mail without a key": {tools.WebhookOptions{SendsMail: true}, mail,
			object{"error": "encryption_not_configured", "reason": "ENCRYPTION_KEYS is not set"}},
		"a name not there yet": {tools.WebhookOptions{}, `{"name": "x", "url": "https://nowhere.example.com", "events": ["issue.new"]}`,
			object{"error": "encryption_not_configured", "reason": "ENCRYPTION_KEYS is not set"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openShop(t)
			test.options.Guard = &notify.Guard{Lookup: newNames().Lookup}
			h.setWebhooks(test.options)

			h.sameJSON(test.want, h.mustFail(core.NewBootstrapActor(), core.CreateWebhook.Operation, test.args))
		})
	}
}

func TestPrivateReceiversAreAllowedBySetting(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	private, err := notify.ParsePrivate("127.0.0.0/8, 10.0.0.0/8")
	require.NoError(t, err)
	h.setWebhooks(tools.WebhookOptions{
		Keys: newKeys(t, "k1"), Guard: &notify.Guard{Lookup: newNames().Lookup, Private: private}, SCMAPIURL: "http://127.0.0.1:3000/api/v3",
	})

	h.createWebhook(`"format": "service", "url": "http://127.0.0.1:9000/hook"`)
	h.createWebhook(`"format": "scm_dispatch", "github_token": "t", "url": "http://127.0.0.1:3000/api/v3/repos/acme/shop/dispatches"`)

	h.mustRefuse(core.CreateWebhook.Operation, mergeArgs(t, webhookArgs(""), `{"url": "https://192.168.0.1/"}`), "url")
}
