package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
)

// MakeWebhook makes a webhook and fills in the unset fields: a name, the format service, high trust, and all events except spikes.
func MakeWebhook(t testing.TB, s *store.Store, n store.NewWebhook) int64 {
	t.Helper()
	var err error
	n.ID, err = s.TakeWebhookID(t.Context())
	require.NoError(t, err)
	n.Name = "runner"
	if n.Format == "" {
		n.Format = core.FormatService
	}
	if n.MinTrust == "" {
		n.MinTrust = core.TrustHigh
	}
	if n.Events == nil {
		n.Events = []core.WebhookEvent{core.IssueNew, core.IssueRegressed, core.IssueVerified}
	}
	if n.SpikeThreshold != 0 {
		n.Events = append(n.Events, core.IssueSpike)
	}
	made, err := s.CreateWebhook(t.Context(), MakeActor(1, core.Admin), n)
	require.NoError(t, err)
	return made.ID
}

// ListEventsTold returns the events of a webhook's deliveries, sent or not, oldest first.
func ListEventsTold(t testing.TB, s *store.Store, webhook int64) []string {
	t.Helper()
	return ReadColumn[string](t, s, `SELECT event FROM deliveries WHERE webhook_id = $1 ORDER BY created_at, id`, webhook)
}
