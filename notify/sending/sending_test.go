package sending_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify"
	"errand/notify/notifytest"
	"errand/notify/sending"
	"errand/notify/service"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// timeout is the limit of an attempt in these tests.
const timeout = 2 * time.Second

// startSender sends the deliveries of a database like one more server. stop acts like a signal.
func startSender(t *testing.T, s *store.Store, sender *notify.Sender) (stop func()) {
	t.Helper()
	return startLoggedSender(t, s, sender, io.Discard)
}

// startLoggedSender is startSender with a log.
func startLoggedSender(t *testing.T, s *store.Store, sender *notify.Sender, log io.Writer) (stop func()) {
	t.Helper()
	format := notify.Format{NewRequest: service.NewRequest}
	running := sending.New(sending.Options{
		Store: s, Log: slog.New(slog.NewTextHandler(log, nil)), BaseURL: func() string { return "https://errand.example" },
		Ways: map[core.WebhookFormat]sending.Way{core.FormatService: {
			Send: func(ctx context.Context, m *notify.Message, to notify.Target) notify.Outcome {
				return sender.Send(ctx, format, m, to)
			},
		}},
		OpenTarget: func(w store.DueWebhook) (notify.Target, error) {
			return notify.Target{URL: core.Secret(w.URL), Secret: "whsec_test"}, nil
		},
	})
	s.OnDeliveries(func(int64) { running.Wake() })
	ctx, end := context.WithCancel(context.Background())
	var ran sync.WaitGroup
	ran.Go(func() { running.Run(ctx) })
	stop = sync.OnceFunc(func() {
		end()
		ran.Wait()
	})
	t.Cleanup(stop)
	return stop
}

func plainSender() *notify.Sender { return notifytest.NewSender(nil, &notifytest.Names{}, timeout) }

// addIssues makes issues that webhooks report.
func addIssues(t *testing.T, s *store.Store, first, n int) {
	t.Helper()
	events := make([]intake.NewEvent, n)
	for i := range events {
		events[i] = storetest.MakeShopEvent(fmt.Sprint("issue ", first+i), first+i, s.Now())
	}
	_, err := s.Intake.AddEvents(t.Context(), events)
	require.NoError(t, err)
}

const delivered = `SELECT count(*)::int FROM deliveries WHERE webhook_id = $1 AND status = 'delivered'`

// Several servers send each delivery once.
func TestServersShareDeliveries(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	sender := notifytest.NewSender(receiver.Trust, &notifytest.Names{}, timeout)
	url := storetest.NewURL(t)
	s := storetest.Open(t, url, time.Now)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	webhook := storetest.MakeWebhook(t, s, store.NewWebhook{URL: receiver.URL})
	startSender(t, s, sender)
	startSender(t, storetest.Open(t, url, time.Now), sender)
	const n = 300

	addIssues(t, s, 0, n)

	require.Eventually(t, func() bool { return storetest.ReadCell[int](t, s, delivered, webhook) == n }, atMost, often)
	received := map[string]int{}
	for _, one := range receiver.Received() {
		received[one.Header.Get("X-Service-Delivery")]++
	}
	require.Len(t, received, n)
	for id, times := range received {
		require.Equal(t, 1, times, id)
	}
	require.Equal(t, 1, storetest.ReadCell[int](t, s, `SELECT max(attempts)::int FROM deliveries`))
}

// Receivers that never answer, however many, hold up nobody else.
func TestDeadReceiversStarveNobody(t *testing.T) {
	t.Parallel()
	dead := notifytest.NewPlainReceiver(t, notifytest.NeverAnswer)
	live := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	s := storetest.New(t)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	for range 60 {
		storetest.MakeWebhook(t, s, store.NewWebhook{URL: dead.URL})
	}
	webhook := storetest.MakeWebhook(t, s, store.NewWebhook{URL: live.URL})
	startSender(t, s, plainSender())
	const n = 50

	start := time.Now()
	addIssues(t, s, 0, n)

	require.Eventually(t, func() bool { return storetest.ReadCell[int](t, s, delivered, webhook) == n }, atMost, often)
	t.Logf("%d deliveries beside 60 dead receivers took %s", n, time.Since(start))
	require.Less(t, len(dead.Received()), 60*5, "a dead one gets an attempt at a time")
}

// A stop waits for the running attempts, cuts off those that take too long, and records all of them.
func TestStopRecordsAttempts(t *testing.T) {
	t.Parallel()
	var began atomic.Int64
	receiver := notifytest.NewPlainReceiver(t, func(w http.ResponseWriter, r *http.Request) {
		began.Add(1)
		notifytest.NeverAnswer(w, r)
	})
	s := storetest.New(t)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	storetest.MakeWebhook(t, s, store.NewWebhook{URL: receiver.URL})
	stop := startSender(t, s, notifytest.NewSender(nil, &notifytest.Names{}, time.Minute))
	addIssues(t, s, 0, 1)
	require.Eventually(t, func() bool { return began.Load() == 1 }, atMost, often)

	start := time.Now()
	stop()

	require.Less(t, time.Since(start), 8*time.Second)
	require.Equal(t, []string{"pending 1 the attempt was cut off, because the server stops"}, storetest.ReadColumn[string](t, s,
		`SELECT status || ' ' || attempts || ' ' || last_error FROM deliveries`))
}

// A delivery is tried 8 times with the waits of the specification, each time under the same id, and then fails.
func TestAttemptsKeepTheSchedule(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusInternalServerError))
	clock := storetest.NewClock()
	s := storetest.NewAt(t, clock.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	storetest.MakeWebhook(t, s, store.NewWebhook{URL: receiver.URL})
	const ended = `SELECT count(*)::int FROM deliveries WHERE attempts = $1 AND last_status = 500`
	addIssues(t, s, 0, 1)
	for attempt := 1; attempt <= notify.MaxAttempts; attempt++ {
		stop := startSender(t, s, plainSender()) // the first look is immediate
		require.Eventually(t, func() bool { return storetest.ReadCell[int](t, s, ended, attempt) == 1 }, atMost, often)
		stop()
		if attempt < notify.MaxAttempts {
			clock.Forward(notify.Waits()[attempt-1] - time.Millisecond)
			due, err := s.ListDueWebhooks(t.Context())
			require.NoError(t, err)
			require.Empty(t, due)
			clock.Forward(time.Millisecond)
		}
	}

	require.Equal(t, 1,
		storetest.ReadCell[int](t, s, `SELECT count(*)::int FROM deliveries WHERE status = 'failed' AND next_attempt_at IS NULL`))
	received := receiver.Received()
	require.Len(t, received, notify.MaxAttempts)
	for _, one := range received {
		require.Equal(t, received[0].Header.Get("X-Service-Delivery"), one.Header.Get("X-Service-Delivery"))
	}
}

// Deliveries about one issue that are due together arrive one after the other.
func TestOrderOfAnIssue(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	s := storetest.New(t)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	webhook := storetest.MakeWebhook(t, s, store.NewWebhook{URL: receiver.URL, SpikeThreshold: 1})
	for i := range 20 { // issue.new and issue.spike together
		_, err := s.Intake.AddEvents(t.Context(), []intake.NewEvent{
			storetest.MakeShopEvent(fmt.Sprint(i), 1, s.Now()), storetest.MakeShopEvent(fmt.Sprint(i), 2, s.Now())})
		require.NoError(t, err)
	}

	startSender(t, s, plainSender())

	require.Eventually(t, func() bool { return storetest.ReadCell[int](t, s, delivered, webhook) == 40 }, atMost, often)
	first := map[int64]string{}
	for _, one := range receiver.Received() {
		var body struct{ Issue struct{ ID int64 } }
		require.NoError(t, json.Unmarshal(one.Body, &body))
		if first[body.Issue.ID] == "" {
			first[body.Issue.ID] = one.Header.Get("X-Service-Event")
		}
	}
	for issue, event := range first {
		require.Equal(t, "issue.new", event, issue)
	}
}
