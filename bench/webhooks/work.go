package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"errand/bench"
)

const (
	issues      = 500
	eventSender = 8 // that send events concurrently
	waitAtMost  = 2 * time.Minute
)

// work is a server with a project, issues and a live webhook.
type work struct {
	server   *bench.Server
	receiver *receiver
	project  bench.Project
	key      string
	live     int64
	nextID   int64
	sent     atomic.Int64
}

func prepareWork(ctx context.Context, server *bench.Server, r *receiver) (*work, error) {
	w := &work{server: server, receiver: r, nextID: 1 << 40} // beyond the ids that the server takes
	var err error
	if w.project, err = server.MakeProject(ctx, "Shop"); err != nil {
		return nil, err
	}
	dsn, err := url.Parse(w.project.DSN)
	if err != nil {
		return nil, err
	}
	w.key = dsn.User.Username()
	for range issues {
		if err := w.sendEvent(ctx); err != nil {
			return nil, err
		}
	}
	w.live, err = w.makeWebhook(ctx, r.server.URL)
	return w, err
}

// makeWebhook makes a webhook whose deliveries come only from rows written into its table, so that all of them are there
// together.
func (w *work) makeWebhook(ctx context.Context, location string) (int64, error) {
	text, err := w.server.Call(ctx, http.MethodPost, "/v1/webhooks",
		fmt.Sprintf(`{"name":"bench","url":%q,"events":["issue.verified"],"min_trust":"low"}`, location))
	if err != nil {
		return 0, err
	}
	var made struct{ Data struct{ ID int64 } }
	err = json.Unmarshal(text, &made)
	return made.Data.ID, err
}

// sendEvent sends the next event, for one of the issues.
func (w *work) sendEvent(ctx context.Context) error {
	n := w.sent.Add(1)
	body := fmt.Sprintf(`{"platform":"go","exception":{"type":"Error%d","value":"it broke","stacktrace":{"frames":[`+
		`{"function":"handle","filename":"shop/pay.go","lineno":12,"in_app":true,"context_line":"pay(order)"}]}}}`, n%issues)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+w.server.Addr+"/v1/ingest", strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("X-Service-Key", w.key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("an event was answered with %s", answer.Status)
	}
	return nil
}

// sendEvents sends events for a while and returns how many a second were taken.
func (w *work) sendEvents(ctx context.Context, length time.Duration) (float64, error) {
	start, before := time.Now(), w.sent.Load()
	var sending sync.WaitGroup
	errs := make([]error, eventSender)
	for i := range eventSender {
		sending.Go(func() {
			for errs[i] == nil && time.Since(start) < length && ctx.Err() == nil {
				errs[i] = w.sendEvent(ctx)
			}
		})
	}
	sending.Wait()
	return float64(w.sent.Load()-before) / time.Since(start).Seconds(), errors.Join(errs...)
}

const insertDeliveries = `
INSERT INTO deliveries (project_id, id, webhook_id, issue_id, created_at, due_at, next_attempt_at, event)
SELECT $1, $2::bigint + n, $3, CASE WHEN $4 THEN (SELECT min(id) FROM issues) + n % $5 END, $6, $6, $6,
	CASE WHEN $4 THEN 'issue.new' ELSE 'ping' END
FROM generate_series(0, $7::bigint - 1) AS n`

// addDeliveries makes deliveries that are due now.
func (w *work) addDeliveries(ctx context.Context, webhook int64, n int, ofIssues bool) error {
	first := w.nextID
	w.nextID += int64(n)
	_, err := w.server.DB.Exec(ctx, insertDeliveries, w.project.ID, first, webhook, ofIssues, issues, time.Now(), n)
	return err
}

// sendDeliveries returns how many deliveries a second arrive, from the first one to the last.
func (w *work) sendDeliveries(ctx context.Context, n int, ofIssues bool) (float64, error) {
	before := w.receiver.received.Load()
	if err := w.addDeliveries(ctx, w.live, n, ofIssues); err != nil {
		return 0, err
	}
	var start time.Time
	ticks := time.NewTicker(time.Millisecond)
	defer ticks.Stop()
	deadline := time.After(waitAtMost)
	for {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-deadline:
			return 0, fmt.Errorf("%d of %d deliveries came", w.receiver.received.Load()-before, n)
		case <-ticks.C:
		}
		switch came := w.receiver.received.Load() - before; {
		case came >= int64(n):
			return float64(n) / time.Since(start).Seconds(), nil
		case came > 0 && start.IsZero():
			start = time.Now() // the server looks for unannounced deliveries every few seconds
		}
	}
}

// warmUp lets the server find out that the receiver is alive.
func (w *work) warmUp(ctx context.Context) error {
	_, err := w.sendDeliveries(ctx, 200, false)
	return err
}

// sendBesideEvents is sendDeliveries while events arrive.
func (w *work) sendBesideEvents(ctx context.Context, n int) (float64, error) {
	loading, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = w.sendEvents(loading, waitAtMost)
	}()
	rate, err := w.sendDeliveries(ctx, n, false)
	stop()
	<-done
	return rate, err
}

// addDead makes webhooks with pending deliveries whose receiver never answers, and waits until they hold all places that they may
// hold.
func (w *work) addDead(ctx context.Context, webhooks, each int) error {
	for range webhooks {
		id, err := w.makeWebhook(ctx, "https://"+w.receiver.dead.Addr().String())
		if err != nil {
			return err
		}
		if err := w.addDeliveries(ctx, id, each, false); err != nil {
			return err
		}
	}
	_, err := w.sendDeliveries(ctx, 10, false) // after these the server has looked
	return err
}
