package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// testWaits are the waits of three attempts.
var testWaits = []time.Duration{time.Minute, 5 * time.Minute}

// takeAll takes all due deliveries.
func takeAll(t *testing.T, s *store.Store) []store.TakenDelivery {
	t.Helper()
	due, err := s.ListDueWebhooks(t.Context())
	require.NoError(t, err)
	rooms := map[int64]int64{}
	for _, webhook := range due {
		rooms[webhook.ID] = 100
	}
	taken, err := s.TakeDeliveries(t.Context(), rooms, testWaits)
	require.NoError(t, err)
	return taken
}

// openDue opens a shop with a webhook and one delivery that is due.
func openDue(t *testing.T, n store.NewWebhook) (s *store.Store, clock *storetest.Clock, webhook int64) {
	t.Helper()
	s, clock = storetest.OpenShop(t)
	webhook = storetest.MakeWebhook(t, s, n)
	storetest.AddEvents(t, s, storetest.MakeShopEvent("a", 1, clock.At(0)))
	return s, clock, webhook
}

func readDelivery(t *testing.T, s *store.Store, webhook int64) core.Delivery {
	t.Helper()
	page, err := s.ListDeliveries(t.Context(), webhook, core.Paging{Limit: 1})
	require.NoError(t, err)
	require.NotEmpty(t, page.Data)
	return page.Data[0]
}

// When a server dies with a delivery, its attempt counts, and the schedule continues with the second.
func TestAttemptsOfLostServersCount(t *testing.T) {
	t.Parallel()
	s, clock, webhook := openDue(t, store.NewWebhook{})
	for attempt, wait := range []time.Duration{time.Minute, 5 * time.Minute, time.Minute} {
		taken := takeAll(t, s)
		require.Len(t, taken, 1)
		require.EqualValues(t, attempt+1, taken[0].Attempt)
		require.EqualValues(t, attempt+1, readDelivery(t, s, webhook).Attempts)
		clock.Forward(wait - time.Millisecond)
		require.Empty(t, takeAll(t, s), "another server holds it until then")
		clock.Forward(time.Millisecond)
	}

	require.Empty(t, takeAll(t, s))

	delivery := readDelivery(t, s, webhook)
	require.Equal(t, core.DeliveryFailed, delivery.Status)
	require.EqualValues(t, 3, delivery.Attempts)
	require.Equal(t, core.Text("the server was lost during the last attempt"), delivery.LastError)
	require.True(t, delivery.NextAttemptAt.IsZero())
	_, err := s.ResendDelivery(t.Context(), webhook, delivery.ID)
	require.NoError(t, err)
	require.Len(t, takeAll(t, s), 1, "sending it by hand adds an attempt")
}

// A server's late record changes nothing when another server has taken the delivery.
func TestLateOutcomeIsLeftOut(t *testing.T) {
	t.Parallel()
	s, clock, webhook := openDue(t, store.NewWebhook{})
	first := takeAll(t, s)[0]
	clock.Forward(time.Minute)
	second := takeAll(t, s)[0]
	record := func(taken store.TakenDelivery, status core.DeliveryStatus) core.Delivery {
		require.NoError(t, s.RecordDeliveries(t.Context(), []store.DeliveryOutcome{
			{TakenDelivery: taken, Status: status, LastStatus: 200, EndedAt: s.Now(), NextAttemptAt: clock.At(time.Hour)},
		}))
		return readDelivery(t, s, webhook)
	}

	require.Equal(t, core.DeliveryPending, record(first, core.DeliveryFailed).Status)

	require.Equal(t, core.DeliveryDelivered, record(second, core.DeliveryDelivered).Status)
	require.Equal(t, core.DeliveryDelivered, record(second, core.DeliveryDelivered).Status, "twice")
	require.EqualValues(t, 2, readDelivery(t, s, webhook).Attempts)
}

func TestTwoServersTakeEachDeliveryOnce(t *testing.T) {
	t.Parallel()
	pair, clock := storetest.OpenPair(t)
	storetest.MakeWebhook(t, pair[0], store.NewWebhook{})
	const n = 200
	events := make([]intake.NewEvent, n)
	for i := range events {
		events[i] = storetest.MakeShopEvent(string(rune('a'+i)), i, clock.At(0))
	}
	_, err := pair[0].Intake.AddEvents(t.Context(), events)
	require.NoError(t, err)
	taken := make([][]store.TakenDelivery, 4)

	storetest.RequireNoErrors(t, storetest.RunTogether(len(taken), func(i int) error {
		for {
			some, err := pair[i%2].TakeDeliveries(t.Context(), map[int64]int64{1: 7}, testWaits)
			if err != nil || len(some) == 0 {
				return err
			}
			taken[i] = append(taken[i], some...)
		}
	}))

	ids := map[int64]bool{}
	for _, mine := range taken {
		for _, delivery := range mine {
			require.False(t, ids[delivery.ID])
			ids[delivery.ID] = true
		}
	}
	require.GreaterOrEqual(t, len(ids), n-4*7, "rows that another server holds are skipped")
}

// A delivery that must no longer be sent fails when it is due, without an attempt.
func TestDeliveriesThatAreNotSent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(t *testing.T, s *store.Store, clock *storetest.Clock, webhook int64)
		reason string
	}{
		"low trust": {func(t *testing.T, s *store.Store, clock *storetest.Clock, _ int64) {
			e := storetest.MakeShopEvent("a", 2, clock.At(0))
			e.Source = core.SourceBrowser
			storetest.AddEvents(t, s, e)
		}, "the trust of the project is low by now, and the webhook wants high"},
		"deleted project": {func(t *testing.T, s *store.Store, _ *storetest.Clock, _ int64) {
			require.NoError(t, storetest.DeleteProject(t.Context(), s, storetest.MakeActor(1), storetest.Shop))
		}, "the project was deleted"},
		"merged issue": {func(t *testing.T, s *store.Store, _ *storetest.Clock, _ int64) {
			storetest.MergeByHand(t, s, storetest.ReadColumn[int64](t, s, `SELECT id FROM issues`)[0], 12)
		}, "the issue was merged into 12"},
		"webhook that was being deleted": {func(t *testing.T, s *store.Store, _ *storetest.Clock, webhook int64) {
			storetest.ChangeRows(t, s, `UPDATE webhooks SET deleted_at = created_at WHERE id = $1`, webhook)
		}, "the webhook was deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, clock, webhook := openDue(t, store.NewWebhook{})
			test.change(t, s, clock, webhook)

			require.Empty(t, takeAll(t, s))

			require.Equal(t, []string{"failed 0 " + test.reason}, storetest.ReadColumn[string](t, s,
				`SELECT status || ' ' || attempts || ' ' || last_error FROM deliveries`))
		})
	}
}

// Each issue that is opened in source control has one attempt at a time on all servers, and the next attempt knows its number.
func TestSourceControlIssuesAreOpenedOnce(t *testing.T) {
	t.Parallel()
	s, clock, webhook := openDue(t, store.NewWebhook{Format: core.FormatSCMIssue, SpikeThreshold: 1})
	storetest.AddEvents(t, s, storetest.MakeShopEvent("a", 2, clock.At(0)))
	require.Len(t, storetest.ListEventsTold(t, s, webhook), 2)

	opening := takeAll(t, s)
	require.Len(t, opening, 1)
	require.Equal(t, core.IssueNew, opening[0].Event)
	require.Empty(t, takeAll(t, s), "the other one waits")
	require.NoError(t, s.RecordDeliveries(t.Context(), []store.DeliveryOutcome{
		{TakenDelivery: opening[0], Status: core.DeliveryDelivered, LastStatus: 201, EndedAt: s.Now(), NewIssueNumber: 77},
	}))
	commenting := takeAll(t, s)

	require.Len(t, commenting, 1)
	require.Equal(t, core.IssueSpike, commenting[0].Event)
	require.EqualValues(t, 77, commenting[0].IssueNumber)
	require.NoError(t, s.RecordDeliveries(t.Context(), []store.DeliveryOutcome{
		{TakenDelivery: commenting[0], Status: core.DeliveryPending, LastStatus: 410, EndedAt: s.Now(), NextAttemptAt: clock.At(time.Minute)},
	}))
	clock.Forward(time.Minute)
	require.Zero(t, takeAll(t, s)[0].IssueNumber, "the issue there was deleted, so another one is opened")
}
