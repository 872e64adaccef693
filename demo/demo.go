// Package demo fills a project with examples, so that somebody who tries Errand sees life in it: events of the last days
// in several languages, which go the way of all events, and what became of the issues that they make. The texts are made
// up and stand in the folder issues.
package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"

	"errand/core"
)

// Options says what the demo is made with.
type Options struct {
	Registry *core.Registry
	Ingest   http.Handler // takes the events in
	Clock    core.Clock
	Project  core.ListedProject // to fill; it has a DSN

	// At returns the operations as they were at a time: a deploy is of the moment in which it is reported.
	At func(time.Time) *core.Registry
	// Verify verifies the fixes whose error stayed away.
	Verify func(context.Context) error
}

// Summary says what the demo project has.
type Summary struct {
	Events   int // that its issues have counted
	Added    int // of them by this call
	Issues   int
	ByStatus map[core.Status]int
}

// actor is who acts in the demo's timeline.
func actor() core.Actor {
	a := core.NewSystemActor("demo")
	a.Scopes = core.List[core.Scope]{core.IssuesRead, core.IssuesWrite, core.ReleasesWrite}
	return a
}

// Fill sends the events and does what was done about the issues. Done again, it sends the events that are missing, and
// leaves the issues alone about which something was done.
func Fill(ctx context.Context, o Options) (Summary, error) {
	f := filler{o, o.Clock()}
	list, err := examples()
	if err != nil {
		return Summary{}, err
	}
	before, err := f.issues(ctx)
	if err != nil {
		return Summary{}, err
	}
	summary := Summary{ByStatus: map[core.Status]int{}}
	for _, e := range list {
		if err := f.send(ctx, e.events(o.Project.ID, f.now)); err != nil {
			return summary, err
		}
	}
	found, err := f.issues(ctx)
	if err != nil {
		return summary, err
	}
	for _, e := range list {
		if issue, ok := found[e.Title]; ok { // else it was merged into another one
			if err := f.act(ctx, e, issue.ID); err != nil {
				return summary, err
			}
		}
	}
	if err := f.deployFixes(ctx, list, found); err != nil {
		return summary, err
	}
	after, err := f.issues(ctx)
	for title, issue := range after {
		summary.Issues++
		summary.ByStatus[issue.Status]++
		summary.Events += int(issue.TimesSeen)
		summary.Added += int(issue.TimesSeen - before[title].TimesSeen)
	}
	return summary, err
}

type filler struct {
	Options
	now time.Time
}

// issues gives the issues of the project by their titles.
func (f filler) issues(ctx context.Context) (map[string]core.Issue, error) {
	var page core.IssuePage
	err := f.call(ctx, core.ListIssues.Operation, map[string]any{"project": fmt.Sprint(f.Project.ID), "limit": 100}, &page)
	found := make(map[string]core.Issue, len(page.Data))
	for _, issue := range page.Data {
		found[string(issue.Title)] = issue
	}
	return found, err
}

// call runs an operation and reads its answer.
func (f filler) call(ctx context.Context, op *core.Operation, args map[string]any, into any) error {
	return f.callOf(ctx, f.Registry, op, args, into)
}

func (f filler) callOf(ctx context.Context, registry *core.Registry, op *core.Operation, args map[string]any, into any) error {
	answer, failure := registry.Call(ctx, op, core.Call{Actor: actor()}, args)
	if failure != nil {
		return fmt.Errorf("demo: %s: %w", op.Name, failure)
	}
	if answer.IsHeld { // nobody will decide it while the demo is made
		return fmt.Errorf("demo: %s: %s", op.Name, core.HeldStatus)
	}
	return json.Unmarshal(answer.Body, into)
}

// act does what was done about an example, unless something was done about the issue already.
func (f filler) act(ctx context.Context, e example, issue int64) error {
	var done core.Page[core.Activity]
	if err := f.call(ctx, core.ListIssueActivity.Operation, map[string]any{"id": issue, "limit": 1}, &done); err != nil || len(done.Data) > 0 {
		return err
	}
	for _, text := range e.Notes {
		if err := f.do(ctx, core.AddNote.Operation, map[string]any{"id": issue, "text": text}); err != nil {
			return err
		}
	}
	switch e.Outcome {
	case claimed:
		return f.do(ctx, core.ClaimIssue.Operation, map[string]any{"id": issue, "minutes": 1440})
	case ignored:
		return f.do(ctx, core.IgnoreIssue.Operation, map[string]any{"id": issue})
	case resolved:
		return f.do(ctx, core.ResolveIssue.Operation, map[string]any{"id": issue})
	case returned:
		if err := f.do(ctx, core.ResolveIssue.Operation, map[string]any{"id": issue}); err != nil {
			return err
		}
		// A second ahead, so that it is newer than the resolve for every clock.
		return f.send(ctx, []sent{e.last(f.Project.ID, f.Clock().Add(time.Second))})
	default:
		return nil
	}
}

func (f filler) do(ctx context.Context, op *core.Operation, args map[string]any) error {
	var answer json.RawMessage
	return f.call(ctx, op, args, &answer)
}

// atOnce is how many events are on their way at a time, so that they share commits.
const atOnce = 16

// send sends events as an SDK does, each in an envelope.
func (f filler) send(ctx context.Context, events []sent) error {
	dsn, err := url.Parse(f.Project.DSNs[0])
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	senders, ctx := errgroup.WithContext(ctx)
	senders.SetLimit(atOnce)
	for _, s := range events {
		senders.Go(func() error { return f.sendOne(ctx, dsn.User.Username(), s) })
	}
	return senders.Wait()
}

func (f filler) sendOne(ctx context.Context, key string, s sent) error {
	body, err := envelope(s)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("/api/%d/envelope/", f.Project.ID), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	r.Header.Set("X-Sentry-Auth", "Sentry sentry_version=7, sentry_client=errand-demo/1, sentry_key="+key)
	w := answer{header: http.Header{}}
	f.Ingest.ServeHTTP(&w, r)
	if w.status != http.StatusOK || w.header.Get("X-Sentry-Error") != "" {
		return fmt.Errorf("demo: an event was refused: %d %s %s", w.status, w.body.Bytes(), w.header.Get("X-Sentry-Error"))
	}
	return nil
}

// envelope writes the envelope of an event.
func envelope(s sent) ([]byte, error) {
	event, err := json.Marshal(s.ev)
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	return fmt.Appendf(nil, "{\"event_id\":%q}\n{\"type\":\"event\"}\n%s\n", s.id, event), nil
}

// answer holds what the handler answers.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }
