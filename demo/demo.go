// Package demo fills a project with examples, so that somebody who tries Errand sees it in use: events of the last days in
// several languages, which go through ingest like all events, and the later history of their issues. The texts are made up and
// are in the folder issues.
package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"errand/core"
)

// Options are the parts that the demo needs.
type Options struct {
	Registry *core.Registry
	Clock    core.Clock
	Project  core.ListedProject // the project to fill; it has a DSN

	// At returns the operations at a past time: a deploy belongs to the moment of its report.
	At func(time.Time) *core.Registry
	// IngestAt takes events in at a past time: the charts of projects and releases count events by their arrival.
	IngestAt func(time.Time) http.Handler
	// Verify verifies the fixes whose error stayed away.
	Verify func(context.Context) error
}

// Summary describes the demo project.
type Summary struct {
	Events   int // counted by its issues
	Added    int // added by this call
	Issues   int
	ByStatus map[core.Status]int
}

// demoActor returns the actor in the demo's timeline.
func demoActor() core.Actor {
	a := core.NewSystemActor("demo")
	a.Scopes = core.List[core.Scope]{core.IssuesRead, core.IssuesWrite, core.ReleasesWrite}
	return a
}

// FillProject sends the events and performs the actions on the issues. Called again, it sends only missing events, and leaves
// issues with actions alone.
func FillProject(ctx context.Context, o Options) (Summary, error) {
	f := filler{o, o.Clock()}
	list, err := readExamples()
	if err != nil {
		return Summary{}, err
	}
	before, err := f.listIssues(ctx)
	if err != nil {
		return Summary{}, err
	}
	summary := Summary{ByStatus: map[core.Status]int{}}
	var events []exampleEvent
	for _, e := range list {
		events = append(events, e.makeEvents(o.Project.ID, f.now)...)
	}
	if err := f.sendEvents(ctx, events); err != nil {
		return summary, err
	}
	found, err := f.listIssues(ctx)
	if err != nil {
		return summary, err
	}
	for _, e := range list {
		if issue, ok := found[e.Title]; ok { // otherwise it was merged into another issue
			if err := f.actOnIssue(ctx, e, issue.ID); err != nil {
				return summary, err
			}
		}
	}
	if err := f.deployFixes(ctx, list, found); err != nil {
		return summary, err
	}
	after, err := f.listIssues(ctx)
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

// listIssues returns the issues of the project by their titles.
func (f filler) listIssues(ctx context.Context) (map[string]core.Issue, error) {
	var page core.IssuePage
	err := f.callOperation(ctx, core.ListIssues.Operation, map[string]any{"project": fmt.Sprint(f.Project.ID), "limit": 100}, &page)
	found := make(map[string]core.Issue, len(page.Data))
	for _, issue := range page.Data {
		found[string(issue.Title)] = issue.Issue
	}
	return found, err
}

// callOperation runs an operation and reads its answer.
func (f filler) callOperation(ctx context.Context, op *core.Operation, args map[string]any, into any) error {
	return f.callRegistry(ctx, f.Registry, op, args, into)
}

// callRegistry runs an operation of a registry, which may have another clock.
func (f filler) callRegistry(ctx context.Context, registry *core.Registry, op *core.Operation, args map[string]any, into any) error {
	answer, failure := registry.Call(ctx, op, core.Call{Actor: demoActor()}, args)
	if failure != nil {
		return fmt.Errorf("demo: %s: %w", op.Name, failure)
	}
	if answer.IsHeld { // nobody will approve it while the demo is made
		return fmt.Errorf("demo: %s: %s", op.Name, core.HeldStatus)
	}
	return json.Unmarshal(answer.Body, into)
}

// actOnIssue performs an example's actions, unless the issue already has some.
func (f filler) actOnIssue(ctx context.Context, e example, issue int64) error {
	var done core.Page[core.Activity]
	if err := f.callOperation(ctx, core.ListIssueActivity.Operation, map[string]any{"id": issue, "limit": 1}, &done); err != nil ||
		len(done.Data) > 0 {
		return err
	}
	for _, text := range e.Notes {
		if err := f.changeIssue(ctx, core.AddNote.Operation, map[string]any{"id": issue, "text": text}); err != nil {
			return err
		}
	}
	switch e.Outcome {
	case outcomeClaimed:
		return f.changeIssue(ctx, core.ClaimIssue.Operation, map[string]any{"id": issue, "minutes": 1440})
	case outcomeIgnored:
		return f.changeIssue(ctx, core.IgnoreIssue.Operation, map[string]any{"id": issue})
	case outcomeResolved:
		return f.changeIssue(ctx, core.ResolveIssue.Operation, map[string]any{"id": issue})
	case outcomeReturned:
		if err := f.changeIssue(ctx, core.ResolveIssue.Operation, map[string]any{"id": issue}); err != nil {
			return err
		}
		// A second ahead, so that it is newer than the resolve on every clock.
		return f.sendEvents(ctx, []exampleEvent{e.makeLastEvent(f.Project.ID, f.Clock().Add(time.Second))})
	default:
		return nil
	}
}

func (f filler) changeIssue(ctx context.Context, op *core.Operation, args map[string]any) error {
	var answer json.RawMessage
	return f.callOperation(ctx, op, args, &answer)
}

// eventsAtOnce is how many events are sent concurrently, so that they share commits.
const eventsAtOnce = 16

// sendEvents sends events like an SDK, each in an envelope. Those of an hour arrive together, when the last one happened.
func (f filler) sendEvents(ctx context.Context, events []exampleEvent) error {
	dsn, err := url.Parse(f.Project.DSNs[0])
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	sortEvents(events)
	for len(events) > 0 {
		hour := events[0].at.Truncate(time.Hour)
		next := slices.IndexFunc(events, func(e exampleEvent) bool { return !e.at.Truncate(time.Hour).Equal(hour) })
		if next < 0 {
			next = len(events)
		}
		if err := f.sendTogether(ctx, dsn.User.Username(), events[:next]); err != nil {
			return err
		}
		events = events[next:]
	}
	return nil
}

func (f filler) sendTogether(ctx context.Context, key string, events []exampleEvent) error {
	ingest := f.IngestAt(events[len(events)-1].at)
	senders, ctx := errgroup.WithContext(ctx)
	senders.SetLimit(eventsAtOnce)
	for _, s := range events {
		senders.Go(func() error { return f.sendEvent(ctx, ingest, key, s) })
	}
	return senders.Wait()
}

func (f filler) sendEvent(ctx context.Context, ingest http.Handler, key string, s exampleEvent) error {
	body, err := writeEnvelope(s)
	if err != nil {
		return err
	}
	httpRequest, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("/api/%d/envelope/", f.Project.ID), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	httpRequest.Header.Set("X-Sentry-Auth", "Sentry sentry_version=7, sentry_client=errand-demo/1, sentry_key="+key)
	answer := ingestAnswer{header: http.Header{}}
	ingest.ServeHTTP(&answer, httpRequest)
	if answer.status != http.StatusOK || answer.header.Get("X-Sentry-Error") != "" {
		return fmt.Errorf("demo: an event was refused: %d %s %s", answer.status, answer.body.Bytes(), answer.header.Get("X-Sentry-Error"))
	}
	return nil
}

// writeEnvelope writes the envelope of an event.
func writeEnvelope(s exampleEvent) ([]byte, error) {
	event, err := json.Marshal(s.body)
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	return fmt.Appendf(nil, "{\"event_id\":%q}\n{\"type\":\"event\"}\n%s\n", s.id, event), nil
}

// ingestAnswer holds the handler's answer.
type ingestAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *ingestAnswer) Header() http.Header         { return a.header }
func (a *ingestAnswer) WriteHeader(status int)      { a.status = status }
func (a *ingestAnswer) Write(b []byte) (int, error) { return a.body.Write(b) }
