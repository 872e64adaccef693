package intake_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// spikes returns a webhook that only wants spikes.
func spikes(threshold int64, n store.NewWebhook) store.NewWebhook {
	n.Events, n.SpikeThreshold = []core.WebhookEvent{}, threshold
	return n
}

// sendMany adds events of one issue, in one batch.
func sendMany(t *testing.T, s *store.Store, group string, first, n int, at core.Time) {
	t.Helper()
	events := make([]intake.NewEvent, n)
	for i := range events {
		events[i] = storetest.MakeShopEvent(group, first+i, at)
	}
	_, err := s.Intake.AddEvents(t.Context(), events)
	require.NoError(t, err)
}

// A webhook hears of a spike when the events of a clock hour exceed its threshold, once per issue and hour.
func TestSpikeIsToldOnceAnHour(t *testing.T) {
	t.Parallel()
	s, clock := storetest.OpenShop(t)
	webhook := storetest.MakeWebhook(t, s, spikes(3, store.NewWebhook{}))
	told := func() int { return len(storetest.ListEventsTold(t, s, webhook)) }

	sendMany(t, s, "a", 0, 3, clock.At(0))
	require.Zero(t, told(), "the threshold itself is not exceeded")
	sendMany(t, s, "a", 3, 1, clock.At(0))
	require.Equal(t, 1, told())
	sendMany(t, s, "a", 4, 5, clock.At(0))
	sendMany(t, s, "a", 4, 5, clock.At(0)) // duplicates
	require.Equal(t, 1, told())
	sendMany(t, s, "b", 0, 10, clock.At(0)) // a new issue, in one batch
	require.Equal(t, 2, told())

	late := clock.At(0)
	clock.Forward(time.Hour)
	sendMany(t, s, "a", 100, 3, clock.At(0))
	require.Equal(t, 2, told(), "each hour has its own count")
	sendMany(t, s, "c", 200, 10, late)
	require.Equal(t, 2, told(), "events of an hour other than the running one")
	sendMany(t, s, "a", 103, 1, clock.At(0))
	require.Equal(t, 3, told())
}

// Every batch takes the id of a change, and the id of the change's first delivery is a thousand times as large: it soon needs 64 bits.
func TestIDsOfDeliveriesGrowBeyond32Bits(t *testing.T) {
	t.Parallel()
	s, clock := storetest.OpenShop(t)
	storetest.ChangeRows(t, s, `INSERT INTO id_blocks (name, next_id) VALUES ('deliveries', 3000000)`)
	webhook := storetest.MakeWebhook(t, s, spikes(3, store.NewWebhook{}))
	sendMany(t, s, "a", 0, 4, clock.At(0))
	require.Len(t, storetest.ListEventsTold(t, s, webhook), 1)
}

func TestSpikeFilters(t *testing.T) {
	t.Parallel()
	s, clock := storetest.OpenShop(t)
	office := storetest.MakeProject(t, s, storetest.Shop+1, "Office")
	mine := storetest.MakeWebhook(t, s, spikes(1, store.NewWebhook{ProjectID: storetest.Shop}))
	other := storetest.MakeWebhook(t, s, spikes(1, store.NewWebhook{ProjectID: office.ID}))
	high := storetest.MakeWebhook(t, s, spikes(9, store.NewWebhook{}))
	without := storetest.MakeWebhook(t, s, store.NewWebhook{Events: []core.WebhookEvent{core.IssueRegressed}})
	deleted := storetest.MakeWebhook(t, s, spikes(1, store.NewWebhook{}))
	require.NoError(t, s.DeleteWebhook(t.Context(), storetest.MakeActor(1), deleted))
	trusting := storetest.MakeWebhook(t, s, spikes(19, store.NewWebhook{MinTrust: core.TrustLow}))

	sendMany(t, s, "a", 0, 5, clock.At(0))

	for webhook, want := range map[int64]int{mine: 1, other: 0, high: 0, without: 0, deleted: 0, trusting: 0} {
		require.Len(t, storetest.ListEventsTold(t, s, webhook), want, webhook)
	}
	events := make([]intake.NewEvent, 20)
	for i := range events {
		events[i] = storetest.MakeShopEvent("a", 100+i, clock.At(0))
		events[i].Source = core.SourceBrowser // lowers the trust in the same batch
	}
	_, err := s.Intake.AddEvents(t.Context(), events)
	require.NoError(t, err)
	require.Empty(t, storetest.ListEventsTold(t, s, high))
	require.Equal(t, []string{"issue.spike"}, storetest.ListEventsTold(t, s, trusting))
}

// Two servers that count on the same issues at the same time report each spike exactly once.
func TestSpikesOfTwoServers(t *testing.T) {
	t.Parallel()
	pair, clock := storetest.OpenPair(t)
	const issues, senders, each, threshold = 5, 8, 20, 100
	webhook := storetest.MakeWebhook(t, pair[0], spikes(threshold, store.NewWebhook{}))
	sendMany(t, pair[0], "group 0", 0, 1, clock.At(0))

	storetest.RequireNoErrors(t, storetest.RunTogether(senders, func(i int) error {
		for n := range each {
			events := make([]intake.NewEvent, issues)
			for issue := range events {
				events[issue] = storetest.MakeShopEvent(fmt.Sprint("group ", issue), 1000+i*each+n, clock.At(0))
			}
			if _, err := pair[i%2].Intake.AddEvents(t.Context(), events); err != nil {
				return err
			}
		}
		return nil
	}))

	require.Len(t, storetest.ListEventsTold(t, pair[0], webhook), issues)
	require.Equal(t, int64(issues), storetest.ReadCell[int64](t, pair[0], `SELECT count(DISTINCT issue_id) FROM deliveries`))
	require.Equal(t, int64(issues), storetest.ReadCell[int64](t, pair[0], `SELECT count(DISTINCT id) FROM deliveries`))
}

// The listener for deliveries hears of committed ones.
func TestDeliveriesAreAnnounced(t *testing.T) {
	t.Parallel()
	s, clock := storetest.OpenShop(t)
	var announced int64
	s.OnDeliveries(func(made int64) { announced += made })
	sendMany(t, s, "quiet", 0, 1, clock.At(0))
	require.Zero(t, announced)
	webhook := storetest.MakeWebhook(t, s, store.NewWebhook{SpikeThreshold: 2})

	sendMany(t, s, "a", 0, 5, clock.At(0)) // new and above the threshold
	require.EqualValues(t, 2, announced)
	_, err := s.AddPing(t.Context(), webhook)
	require.NoError(t, err)

	require.EqualValues(t, 3, announced)
	require.ElementsMatch(t, []string{"issue.new", "issue.spike", "ping"}, storetest.ListEventsTold(t, s, webhook))
}
