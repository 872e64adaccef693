package demo

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

//go:embed issues/*.json
var exampleFiles embed.FS

// outcome is the later history of an example.
type outcome string

const (
	outcomeOpen     outcome = "open"
	outcomeClaimed  outcome = "claimed"  // somebody works on it
	outcomeResolved outcome = "resolved" // and quiet since
	outcomeReturned outcome = "returned" // it was resolved, and an event came after that
	outcomeIgnored  outcome = "ignored"

	// The outcomes of linked fixes.
	outcomeVerified  outcome = "verified"
	outcomeDeployed  outcome = "deployed" // an hour ago, and quiet since but for old clients
	outcomeRegressed outcome = "regressed"
)

// example is an issue of the demo project: its file in the folder issues.
type example struct {
	name    string         // of the file
	Title   string         // of its issue
	Events  int            // how many it has
	Users   int            // affected users; 0 for events without users
	Days    int            // over how many days they are spread, up to now
	Until   int            // how many days ago the last one was; 0: up to now
	Outcome outcome        // its later history
	Fix     string         // the commit that fixes it; empty without a linked fix
	Notes   []string       // added to it
	Event   map[string]any // the common part of its events, as an SDK sends it
}

// readExamples reads the files.
func readExamples() ([]example, error) {
	names, err := fs.Glob(exampleFiles, "issues/*.json")
	list := make([]example, len(names))
	for i, name := range names {
		text, err := exampleFiles.ReadFile(name)
		if err == nil {
			list[i].name = name
			err = json.Unmarshal(text, &list[i])
		}
		if err != nil {
			return nil, fmt.Errorf("demo: %s: %w", name, err)
		}
	}
	return list, err
}

// The releases of the demo shop, oldest first; the last one is a day old. The hotfix after it is only an hour old: it has no
// events yet.
var releases = []string{"demo-shop@2.3.0", "demo-shop@2.3.1", "demo-shop@2.4.0"}

// releaseTime is how long each release was the newest.
const releaseTime = 36 * time.Hour

// exampleEvent is one event of an example.
type exampleEvent struct {
	id   string
	at   time.Time
	body map[string]any
}

// makeEvents makes the example's events, oldest first, the last one a few minutes old. They are the same each time except for the
// hour, and have the same ids, so that a project is not filled twice.
func (e example) makeEvents(project int64, now time.Time) []exampleEvent {
	random := rand.New(rand.NewPCG(uint64(e.Events), uint64(len(e.name))))
	list := make([]exampleEvent, e.Events)
	for n := range list {
		id := e.eventID(project, n)
		// More of them are recent: the error grows.
		const day = 24 * time.Hour
		ago := time.Duration(e.Until)*day +
			time.Duration(random.Float64()*random.Float64()*float64(e.Days-e.Until)*float64(day))
		at := now.Add(-ago - 3*time.Minute)
		event := maps.Clone(e.Event)
		event["event_id"], event["timestamp"] = id, at.UTC().Format(time.RFC3339Nano)
		event["release"] = releases[max(0, len(releases)-1-int(ago/releaseTime))]
		event["environment"] = "production"
		if n%9 == 4 {
			event["environment"] = "staging"
		}
		if e.Users > 0 {
			user := random.IntN(e.Users)
			event["user"] = map[string]any{"id": fmt.Sprintf("u-%d", 1000+user), "email": fmt.Sprintf("customer%d@shop.example", user)}
		}
		list[n] = exampleEvent{id, at, event}
	}
	sortEvents(list)
	return list
}

// sortEvents sorts events by their time.
func sortEvents(list []exampleEvent) {
	slices.SortFunc(list, func(a, b exampleEvent) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) })
}

// makeLastEvent makes the event that reopens a resolved example.
func (e example) makeLastEvent(project int64, at time.Time) exampleEvent {
	event := maps.Clone(e.Event)
	id := e.eventID(project, e.Events)
	event["event_id"], event["timestamp"] = id, at.UTC().Format(time.RFC3339Nano)
	event["release"], event["environment"] = releases[len(releases)-1], "production"
	return exampleEvent{id, at, event}
}

// eventID returns the event id of the n-th event.
func (e example) eventID(project int64, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %d", project, e.name, n))
	return hex.EncodeToString(sum[:16])
}
