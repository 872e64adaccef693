package jobs_test

import (
	"context"
	"encoding/base64"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/jobs"
	"errand/notify"
	"errand/notify/formats"
	"errand/seal"
	"errand/store"
	"errand/store/storetest"
)

// newRing returns a ring of keys with these ids. The same ids always have the same keys.
func newRing(t *testing.T, ids ...string) *seal.Ring {
	t.Helper()
	var entries []string
	for _, id := range ids {
		entries = append(entries, id+":"+base64.StdEncoding.EncodeToString([]byte(strings.Repeat(id, 32)[:32])))
	}
	ring, invalid := seal.ParseRing(core.Secret(strings.Join(entries, ",")))
	require.Empty(t, invalid)
	return ring
}

func TestSealWebhooks(t *testing.T) {
	t.Parallel()
	const many = 250 // more than one read takes
	s, form := storetest.New(t), mustFind(t, core.FormatService)
	add := func(id int64, ring *seal.Ring) {
		sealed, err := form.SealTarget(ring, id, notify.Target{Secret: "whsec_hunter2"})
		require.NoError(t, err)
		_, err = s.CreateWebhook(t.Context(), core.NewBootstrapActor(), store.NewWebhook{
			ID: id, Name: "runner", Format: core.FormatService, Events: []core.WebhookEvent{core.IssueNew}, MinTrust: core.TrustHigh,
			URL: "https://runner.example.com", Sealed: sealed,
		})
		require.NoError(t, err)
	}
	for id := range int64(many) {
		add(id+1, newRing(t, "old"))
	}
	add(many+1, newRing(t, "lost"))
	add(many+2, newRing(t, "new"))
	var log strings.Builder
	keys := newRing(t, "new", "old")

	err := jobs.SealWebhooks(t.Context(), jobs.Options{Store: s, Keys: keys, Log: slog.New(slog.NewTextHandler(&log, nil))})

	require.NoError(t, err)
	stored, err := s.ListWebhooks(t.Context())
	require.NoError(t, err)
	require.Len(t, stored, many+2)
	opened := newRing(t, "new")
	for _, w := range stored {
		target, err := form.OpenTarget(opened, w.ID, w.URL, w.Sealed)
		if w.ID == many+1 {
			require.ErrorIs(t, err, seal.ErrUnknownKey)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "whsec_hunter2", target.Secret.Reveal())
	}
	require.Contains(t, log.String(), "webhook_id=251")
	require.Contains(t, log.String(), "key lost")
	require.NotContains(t, log.String(), "hunter2")
}

func mustFind(t *testing.T, format core.WebhookFormat) formats.Form {
	t.Helper()
	form, err := formats.Find(format)
	require.NoError(t, err)
	return form
}

func TestSealWebhooksWithoutKeys(t *testing.T) {
	t.Parallel()
	for _, keys := range []*seal.Ring{nil, newRing(t)} {
		require.NoError(t, jobs.SealWebhooks(context.Background(), jobs.Options{Keys: keys}))
	}
}
