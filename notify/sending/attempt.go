package sending

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"errand/core"
	"errand/notify"
	"errand/store"
)

const (
	// readWithin bounds the reads before an attempt.
	readWithin = 10 * time.Second
	// waitForOrder is how long a delivery waits for the one before it of the same issue. It ends long before another
	// server could take one of the two.
	waitForOrder = 20 * time.Second
)

// attempt is one attempt at a delivery.
type attempt struct {
	loop     *Loop
	delivery store.TakenDelivery
	webhook  store.DueWebhook
	shared   *sharedReads
	after    chan struct{} // closed when the delivery before it of the same issue has ended; nil: there is none
	ended    chan struct{}
	took     time.Duration // the time that the receiver took
}

// run makes the attempt and passes its outcome to the recorder.
func (a *attempt) run(ctx context.Context) {
	defer close(a.ended)
	a.waitForOrder(ctx)
	way, isKnown := a.loop.o.Ways[a.webhook.Format]
	outcome := notify.Outcome{Error: "this server cannot send the format " + string(a.webhook.Format)}
	if isKnown {
		outcome = a.send(ctx, way)
	}
	if a.loop.lanes.end(a.webhook.ID, outcome.Delivered, a.took) {
		a.loop.Wake()
	}
	recorded := a.describeOutcome(outcome, way)
	a.loop.recorder.add(recorded)
	if observe := a.loop.o.Observe.Attempt; observe != nil {
		observe(a.webhook.Format, nameOutcome(recorded.Status), a.took)
	}
}

func nameOutcome(status core.DeliveryStatus) string {
	switch status {
	case core.DeliveryDelivered:
		return "delivered"
	case core.DeliveryFailed:
		return "given_up"
	}
	return "failed"
}

func (a *attempt) waitForOrder(ctx context.Context) {
	if a.after == nil {
		return
	}
	select {
	case <-a.after:
	case <-time.After(waitForOrder):
	case <-ctx.Done():
	}
}

// send makes the message and sends it. A panic counts as a failed attempt.
func (a *attempt) send(ctx context.Context, way Way) (outcome notify.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			a.loop.o.Log.ErrorContext(ctx, "sending a delivery panicked", "delivery", a.delivery.ID, "panic", p, "stack", string(debug.Stack()))
			outcome = notify.Outcome{Error: "the request could not be made"}
		}
	}()
	target, err := a.loop.o.OpenTarget(a.webhook)
	if err != nil {
		a.loop.warn("the secrets of a webhook cannot be read", err)
		return notify.Outcome{Error: "the secrets of the webhook cannot be read: the key that they were encrypted with is not in ENCRYPTION_KEYS"}
	}
	target.Recipients, target.IssueNumber = a.webhook.Recipients, a.delivery.IssueNumber
	message, err := a.makeMessage(ctx, way)
	if err != nil {
		a.loop.warn("a delivery could not be made", err)
		return notify.Outcome{Error: "the request could not be made: the issue could not be read"}
	}
	start := time.Now()
	defer func() { a.took = time.Since(start) }()
	return way.Send(ctx, message, target)
}

// makeMessage reads the present contents of the message.
func (a *attempt) makeMessage(ctx context.Context, way Way) (*notify.Message, error) {
	base := a.loop.o.BaseURL()
	message := &notify.Message{
		Event: a.delivery.Event, DeliveryID: a.delivery.ID, WebhookID: a.delivery.WebhookID, CreatedAt: a.delivery.CreatedAt,
		Project: a.delivery.ProjectName, Link: base,
	}
	if issue := int64(a.delivery.IssueID); issue != 0 {
		ctx, cancel := context.WithTimeout(ctx, readWithin)
		defer cancel()
		var err error
		if message.Issue, message.Brief, err = a.shared.ofIssue(issue).readIssue(ctx, a.loop, way.HasBrief); err != nil {
			return nil, err
		}
		message.Link = fmt.Sprintf("%s/issues/%d", base, issue)
	}
	message.SentAt = time.Now()
	return message, nil
}

// describeOutcome returns what to record about the attempt.
func (a *attempt) describeOutcome(outcome notify.Outcome, way Way) store.DeliveryOutcome {
	now := a.loop.o.Store.Now()
	described := store.DeliveryOutcome{
		TakenDelivery: a.delivery, Status: core.DeliveryDelivered, LastStatus: int64(outcome.Status), LastError: outcome.Error, EndedAt: now,
		NewIssueNumber: a.delivery.IssueNumber,
	}
	if !outcome.Delivered {
		described.Status = core.DeliveryFailed
		if next, more := notify.NextAttempt(now.Time, int(a.delivery.Attempt)); more {
			described.Status, described.NextAttemptAt = core.DeliveryPending, core.At(next)
		}
	}
	if way.ReadNumber != nil {
		described.NewIssueNumber = way.ReadNumber(a.delivery.IssueNumber, outcome)
	}
	return described
}

// sharedReads are reads, one for each issue, that deliveries which were taken together share.
type sharedReads struct {
	mu     sync.Mutex
	issues map[int64]*issueRead
}

func newSharedReads() *sharedReads { return &sharedReads{issues: map[int64]*issueRead{}} }

// issueRead is an issue as read for several webhooks.
type issueRead struct {
	id    int64
	mu    sync.Mutex
	issue *notify.Issue
	brief *notify.Brief
}

func (r *sharedReads) ofIssue(id int64) *issueRead {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.issues[id] == nil {
		r.issues[id] = &issueRead{id: id}
	}
	return r.issues[id]
}

// readIssue returns the issue, with its brief if wanted. It reads them unless another delivery already has.
func (r *issueRead) readIssue(ctx context.Context, s *Loop, withBrief bool) (_ *notify.Issue, _ *notify.Brief, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !withBrief && r.issue == nil:
		defer s.takeReadingPlace()()
		var detail core.IssueDetail
		if detail, err = s.o.Store.ReadIssue(ctx, r.id); err == nil {
			r.issue = notify.DescribeIssue(&detail)
		}
	case withBrief && r.brief == nil:
		defer s.takeReadingPlace()()
		r.issue, r.brief, err = s.o.BuildBrief(ctx, r.id)
	}
	if !withBrief {
		return r.issue, nil, err
	}
	return r.issue, r.brief, err
}

// takeReadingPlace waits until the attempt may query the database, so that deliveries leave most connections to others.
func (s *Loop) takeReadingPlace() (leave func()) {
	s.reading <- struct{}{}
	return func() { <-s.reading }
}
