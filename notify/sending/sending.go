// Package sending sends the deliveries of webhooks, in a loop beside the queue of jobs.
package sending

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"errand/core"
	"errand/notify"
	"errand/notify/formats"
	"errand/store"
)

// How deliveries are sent.
const (
	// lookEvery is how often to look for due deliveries that nobody has announced: retries, and those from other servers.
	lookEvery = 5 * time.Second
	// lookPause is the shortest time between two looks, so that a busy sender takes several deliveries together.
	lookPause = 10 * time.Millisecond
	// lookWithin bounds one look.
	lookWithin = 20 * time.Second
	// stopLookWithin bounds the rest of a look when the sender stops. A statement that is cancelled immediately
	// leaves an error in the log of Postgres.
	stopLookWithin = 2 * time.Second
	// endAttemptsWithin is how long a stopping server lets attempts run before it cuts them off. recordWithin is how
	// long it then tries to record how they ended.
	endAttemptsWithin = 4 * time.Second
	recordWithin      = 2 * time.Second
)

// waits are the times between attempts.
var waits = notify.Waits()

// Way is how to send deliveries of one format.
type Way struct {
	formats.Form
	// Send makes one attempt.
	Send func(ctx context.Context, m *notify.Message, to notify.Target) notify.Outcome
}

// Options are what a Loop works with.
type Options struct {
	Store *store.Store
	Log   *slog.Logger
	Ways  map[core.WebhookFormat]Way // by format
	// OpenTarget returns the destination of a webhook's deliveries, with its secrets.
	OpenTarget func(store.DueWebhook) (notify.Target, error)
	// BuildBrief returns an issue and its brief, both as of the same moment.
	BuildBrief func(ctx context.Context, issue int64) (*notify.Issue, *notify.Brief, error)
	BaseURL    func() string // for links
	IsHeld     func() bool   // while it reports true, deliveries wait; nil: they never do
	Observe    Observer
}

// Observer is told what a Loop does. Its functions may be nil.
type Observer struct {
	// Attempt is called after each attempt with its outcome: delivered, failed (another attempt follows) or given_up.
	Attempt func(format core.WebhookFormat, outcome string, took time.Duration)
	// Pending is called from time to time with the number of pending deliveries, up to 100,000.
	Pending func(n int64)
}

// Loop sends the deliveries of webhooks. Every server with the role worker has one. They share the deliveries by
// taking them (store.TakeDeliveries). Deliveries are not in the queue, since its jobs start once a second.
type Loop struct {
	o        Options
	wake     chan struct{} // has room for one, since more would say nothing new
	lanes    lanes
	recorder recorder
	latest   map[orderKey]chan struct{} // closed when the attempt that was begun last has ended
	reading  chan struct{}              // a place for each attempt that may query the database
	attempts sync.WaitGroup
	failures core.LineLimit
}

// New returns a Loop that does nothing until Run.
func New(o Options) *Loop {
	s := &Loop{
		o: o, wake: make(chan struct{}, 1), latest: map[orderKey]chan struct{}{}, reading: make(chan struct{}, o.Store.CountWorkers()),
	}
	s.recorder.record, s.recorder.warn, s.recorder.wake = o.Store.RecordDeliveries, s.warn, s.Wake
	s.recorder.added = make(chan struct{}, 1)
	return s
}

// Wake makes the sender look for due deliveries. It returns immediately.
func (s *Loop) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run sends deliveries until ctx ends. Then it begins no more attempts, and returns when the begun ones are recorded,
// after 6 seconds at most.
func (s *Loop) Run(ctx context.Context) {
	attempts, cutAttempts := context.WithCancel(context.WithoutCancel(ctx))
	recording, stopRecording := context.WithCancel(context.WithoutCancel(ctx))
	var recorded sync.WaitGroup
	recorded.Go(func() { s.recorder.recordAll(recording) })
	s.lookAgain(ctx, attempts)
	cut := time.AfterFunc(endAttemptsWithin, cutAttempts)
	s.attempts.Wait()
	cut.Stop()
	cutAttempts()
	s.recorder.finish()
	giveUp := time.AfterFunc(recordWithin, stopRecording)
	recorded.Wait()
	giveUp.Stop()
	stopRecording()
}

// lookAgain looks for due deliveries until ctx ends: from time to time, and when somebody wakes it. The attempts run
// under their own context.
func (s *Loop) lookAgain(ctx, attempts context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if err := s.sendDue(ctx, attempts); err != nil && ctx.Err() == nil {
			s.warn("due deliveries were not looked for and will be again", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookPause):
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-ticker.C:
			s.countPending(ctx)
		}
	}
}

// warn logs a temporary failure, at most one in a while.
func (s *Loop) warn(what string, err error) {
	if more, due := s.failures.CountLine(what, time.Now()); due {
		s.o.Log.Warn(what, "error", err, "more_since_the_last_line", more)
	}
}

// withTimeToStop returns a context that ends when a look has taken too long, or a while after ctx.
func withTimeToStop(ctx context.Context) (context.Context, context.CancelFunc) {
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookWithin)
	forget := context.AfterFunc(ctx, func() { time.AfterFunc(stopLookWithin, cancel) })
	return look, func() {
		forget()
		cancel()
	}
}

func (s *Loop) countPending(ctx context.Context) {
	if s.o.Observe.Pending == nil {
		return
	}
	ctx, cancel := withTimeToStop(ctx)
	defer cancel()
	if n, err := s.o.Store.CountPendingDeliveries(ctx); err == nil {
		s.o.Observe.Pending(n)
	}
}

// sendDue takes as many due deliveries as there is room for, and begins their attempts.
func (s *Loop) sendDue(ctx, attempts context.Context) (err error) {
	defer core.CatchPanic(&err)
	if s.o.IsHeld != nil && s.o.IsHeld() {
		return nil
	}
	if s.recorder.isBehind.Load() {
		return nil // the recorder wakes the sender when it has caught up
	}
	ctx, cancel := withTimeToStop(ctx)
	defer cancel()
	due, err := s.o.Store.ListDueWebhooks(ctx)
	if err != nil {
		return err
	}
	taken, err := s.takeDue(ctx, due)
	if err != nil {
		return err
	}
	webhooks := make(map[int64]store.DueWebhook, len(due))
	for _, webhook := range due {
		webhooks[webhook.ID] = webhook
	}
	shared := newSharedReads()
	s.forgetEnded()
	slices.SortFunc(taken, func(a, b store.TakenDelivery) int { // the database returns them in any order
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt.Time), cmp.Compare(a.ID, b.ID))
	})
	for _, delivery := range taken {
		a := &attempt{loop: s, delivery: delivery, webhook: webhooks[delivery.WebhookID], shared: shared, ended: make(chan struct{})}
		key := orderKey{delivery.WebhookID, int64(delivery.IssueID)}
		a.after, s.latest[key] = s.latest[key], a.ended
		s.lanes.begin(delivery.WebhookID)
		s.attempts.Go(func() { a.run(attempts) })
	}
	return nil
}

// forgetEnded removes attempts that have ended from latest.
func (s *Loop) forgetEnded() {
	maps.DeleteFunc(s.latest, func(_ orderKey, ended chan struct{}) bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	})
}

// takeDue takes deliveries of webhooks, as far as there is room. When an attempt ends, it wakes the sender for the others.
func (s *Loop) takeDue(ctx context.Context, due []store.DueWebhook) (taken []store.TakenDelivery, err error) {
	rooms := s.lanes.makeRooms(due)
	if len(rooms) > 0 {
		// A stop does not cut it off, since taken deliveries are counted.
		ctx, cancel := withTimeToStop(ctx)
		defer cancel()
		if taken, err = s.o.Store.TakeDeliveries(ctx, rooms, waits); err != nil {
			return nil, err
		}
	}
	s.lanes.noteTaken(due, rooms, taken)
	return taken, nil
}

// orderKey groups the deliveries that are kept in order: a webhook's deliveries about one issue.
type orderKey struct{ webhook, issue int64 }
