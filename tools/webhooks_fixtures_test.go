package tools_test

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify"
	"errand/notify/notifytest"
	"errand/seal"
	"errand/store"
	"errand/store/storetest"
	"errand/tools"
)

// secretURL is a typical URL with a secret.
const secretURL = "https://hooks.slack.com/services/T0AAAAAAA/B0BBBBBBB/topsecrettopsecret"

// newKeys returns a ring of keys with these ids. The same ids always have the same keys.
func newKeys(t *testing.T, ids ...string) *seal.Ring {
	t.Helper()
	var entries []string
	for _, id := range ids {
		key := strings.Repeat(id, 32)[:32]
		entries = append(entries, id+":"+base64.StdEncoding.EncodeToString([]byte(key)))
	}
	ring, invalid := seal.ParseRing(core.Secret(strings.Join(entries, ",")))
	require.Empty(t, invalid)
	return ring
}

// newNames is a name server with receivers inside and outside the network.
func newNames() *notifytest.Names {
	names := &notifytest.Names{}
	for name, addresses := range map[string][]string{
		"runner.example.com": {"203.0.114.7", "2606:4700::1"}, "mixed.example.com": {"203.0.114.7", "10.0.0.1"},
		"inside.example.com": {"169.254.169.254"}, "api.github.com": {"140.82.112.5"}, "hooks.slack.com": {"3.68.1.1"},
	} {
		names.Set(name, notifytest.ParseAddresses(addresses...))
	}
	return names
}

// allWebhooks are options that allow webhooks of all formats.
func allWebhooks(t *testing.T) tools.WebhookOptions {
	t.Helper()
	return tools.WebhookOptions{Keys: newKeys(t, "k1"), Guard: &notify.Guard{Lookup: newNames().Lookup}, SendsMail: true}
}

// openOn makes a fixture on an existing store, with its clock.
func openOn(t *testing.T, s *store.Store, c *storetest.Clock) *fixture {
	t.Helper()
	h := &fixture{T: t, now: c.Now, store: s}
	h.bindOperations(rand.Reader)
	return h
}

// setWebhooks restarts the operations with these options.
func (h *fixture) setWebhooks(o tools.WebhookOptions) {
	h.Helper()
	h.webhooks = o
	h.bindOperations(rand.Reader)
}

// createWebhook creates a webhook of the format service for all events, with additional members, and returns the answer's data.
func (h *fixture) createWebhook(members string) object {
	h.Helper()
	return h.callData(core.NewBootstrapActor(), core.CreateWebhook.Operation, webhookArgs(members))
}

// webhookArgs writes the arguments of a webhook of the format service with additional members, such as `"min_trust": "low"`.
func webhookArgs(members string) string {
	if members != "" {
		members = ", " + members
	}
	return `{"name": "runner", "url": "https://runner.example.com/hook?key=topsecret", "spike_threshold": 10,
		"events": ["issue.new", "issue.regressed", "issue.verified", "issue.spike"]` + members + `}`
}

func idOf(webhook object) int64 { return int64(webhook["id"].(float64)) }

// eventsTold returns the events of an issue that each webhook hears of, by the webhook's name, in order of time.
func (h *fixture) eventsTold(issue int64) []string {
	h.Helper()
	return queryTexts(h, `
SELECT w.name || ': ' || d.event FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
WHERE d.issue_id = $1 ORDER BY d.created_at, d.event, w.id`, issue)
}

// addListener puts a webhook for all events into the database, without a row in the timeline.
func (h *fixture) addListener(id int64, name string, minTrust core.Trust, project int64) {
	h.Helper()
	h.changeRows(`INSERT INTO webhooks (id, project_id, created_at, name, format, min_trust, events, url, created_by)
VALUES ($1, nullif($2::bigint, 0), $3, $4, 'service', $5, '{issue.new,issue.regressed,issue.verified}', 'https://runner.example.com',
	'admin')`,
		id, project, h.now, name, string(minTrust))
}

func deliveryArgs(webhook, delivery int64) string {
	return fmt.Sprintf(`{"id": %d, "delivery_id": %d}`, webhook, delivery)
}
