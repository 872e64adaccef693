package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
)

// Noon is in the middle of an hour and a day, far enough back that the template has no partition for it.
var Noon = time.Date(2026, 3, 14, 12, 30, 0, 0, time.UTC)

// Clock is a clock that a test moves. Tests with goroutines leave it alone while they run.
type Clock struct{ Now time.Time }

// NewClock returns a clock that stands at noon.
func NewClock() *Clock { return &Clock{Now: Noon} }

// Tell returns the time: it is a core.Clock.
func (c *Clock) Tell() time.Time { return c.Now }

// Forward moves the clock.
func (c *Clock) Forward(by time.Duration) { c.Now = c.Now.Add(by) }

// At returns the time after, or before, the clock's own.
func (c *Clock) At(by time.Duration) core.Time { return core.At(c.Now.Add(by)) }

// AwayURL is the address of a server that does not exist.
const AwayURL = "postgres:///errand?host=/nonexistent/socket&user=errand"

// Shop is the public id of the project that most tests use.
const Shop = 1_000_000_001

// OpenShop returns a store at noon that has the project shop.
func OpenShop(t testing.TB) (*store.Store, *Clock) {
	t.Helper()
	c := NewClock()
	s := NewAt(t, c.Tell)
	MakeProject(t, s, Shop, "Shop")
	return s, c
}

// OpenPair returns two stores on one database with the project shop, for two servers.
func OpenPair(t testing.TB) ([2]*store.Store, *Clock) {
	t.Helper()
	c, url := NewClock(), NewURL(t)
	pair := [2]*store.Store{Open(t, url, c.Tell), Open(t, url, c.Tell)}
	MakeProject(t, pair[0], Shop, "Shop")
	return pair, c
}

// MakeProject stores a project with this id.
func MakeProject(t testing.TB, s *store.Store, id int64, name string) store.StoredProject {
	t.Helper()
	project := store.NewProject{ID: id, Name: name, Platform: "go", PublicKey: fmt.Sprintf("key%d", id)}
	p, err := s.CreateProject(t.Context(), core.NewBootstrapActor(), project)
	require.NoError(t, err)
	return p
}

// HideProject marks a project as deleted.
func HideProject(t testing.TB, s *store.Store, id int64) {
	t.Helper()
	ChangeRows(t, s, `UPDATE projects SET deleted_at = $2 WHERE id = $1`, id, Noon)
}

// MakeEvent makes the n-th event of a group, at a time.
func MakeEvent(project int64, group string, n int, at core.Time) intake.NewEvent {
	e := intake.NewEvent{
		ProjectID: project, OccurredAt: at, ReceivedAt: at, Version: 1, Title: "Error: " + group, Culprit: "shop in pay", Type: "Error",
		Level: "error", Platform: "go", Release: "1.0", Environment: "production", Source: core.SourceServer,
		Payload: intake.PackPlain(fmt.Appendf(nil, `{"event_id":"%032x","platform":"go","message":"%s"}`, n, group)),
	}
	e.Fingerprint = sha256.Sum256([]byte(group))
	id := sha256.Sum256(fmt.Append(nil, group, n))
	copy(e.EventID[:], id[:])
	return e
}

// MakeShopEvent makes the n-th event of a group of the project shop.
func MakeShopEvent(group string, n int, at core.Time) intake.NewEvent {
	return MakeEvent(Shop, group, n, at)
}

// HashUser returns the hash of the n-th user.
func HashUser(n int) (hash [16]byte) {
	sum := sha256.Sum256(fmt.Append(nil, "user", n))
	copy(hash[:], sum[:])
	return hash
}

// AddEvents adds events and returns the outcome of the last one.
func AddEvents(t testing.TB, s *store.Store, events ...intake.NewEvent) intake.Added {
	t.Helper()
	var last intake.Added
	for _, part := range splitBatch(events) {
		added, err := s.Intake.AddEvents(t.Context(), part)
		require.NoError(t, err)
		require.Len(t, added, len(part))
		last = added[len(added)-1]
	}
	return last
}

// splitBatch returns the events as one batch, except on Citus, where the projects of a batch have to be in one shard.
func splitBatch(events []intake.NewEvent) (parts [][]intake.NewEvent) {
	if !isOnCitus() {
		return [][]intake.NewEvent{events}
	}
	for begin := 0; begin < len(events); {
		end := begin + 1
		for end < len(events) && events[end].ProjectID == events[begin].ProjectID {
			end++
		}
		parts = append(parts, events[begin:end])
		begin = end
	}
	return parts
}

// MakeIssue returns the id of a new issue with one event, now.
func MakeIssue(t testing.TB, s *store.Store, group string) int64 {
	t.Helper()
	return AddEvents(t, s, MakeShopEvent(group, 1, s.Now())).IssueID
}

// MakeActor is an actor with a token.
func MakeActor(id int64, scopes ...core.Scope) core.Actor {
	return core.Actor{Type: core.ActorToken, ID: core.OptInt(id), Name: fmt.Sprintf("agent-%d", id), Scopes: scopes}
}

// DeleteProject deletes a project as an approved request does.
func DeleteProject(ctx context.Context, s *store.Store, by core.Actor, id int64) error {
	_, err := s.CarryOut(ctx, by, store.DeleteProject{ID: id})
	return err
}

// KeepFew makes issues keep as few stored events as the settings allow.
var KeepFew = map[string]string{"STORED_EVENTS_PER_ISSUE": strconv.Itoa(intake.MinKeep)}

// DropExpired deletes the stored events from before the given number of days, and returns the number deleted per partition.
func DropExpired(t *testing.T, s *store.Store, days int) map[string]int64 {
	t.Helper()
	dropped, err := s.Intake.DropExpired(t.Context(), days)
	require.NoError(t, err)
	events := map[string]int64{}
	for _, day := range dropped {
		events[day.Partition] = day.Events
	}
	return events
}

// SinceTime formats an instant for filters.
func SinceTime(at time.Time) core.Since { return core.Since(at.Format(time.RFC3339Nano)) }

// OpenHot returns a store that keeps few events, with an issue that has as many of them as it keeps.
func OpenHot(t testing.TB) (s *store.Store, c *Clock, issueID int64) {
	t.Helper()
	return OpenHotAt(t, NewURL(t))
}

// OpenHotAt is OpenHot on an existing database.
func OpenHotAt(t testing.TB, url string) (s *store.Store, c *Clock, issueID int64) {
	t.Helper()
	c = NewClock()
	s = OpenWith(t, store.Options{URL: url, Clock: c.Tell, Settings: KeepFew})
	MakeProject(t, s, Shop, "Shop")
	var events []intake.NewEvent
	for n := range intake.MinKeep {
		events = append(events, MakeShopEvent("hot", n, c.At(0)))
	}
	return s, c, AddEvents(t, s, events...).IssueID
}

// MergeIssues merges the sources into the target and returns it.
func MergeIssues(t testing.TB, s *store.Store, target int64, sources ...int64) core.Issue {
	t.Helper()
	merged, err := s.CarryOut(t.Context(), MakeActor(1), store.MergeIssues{Target: target, Sources: sources})
	require.NoError(t, err)
	return merged.Issue
}

// MergeByHand leaves the rows as a merge does: the source's fingerprints point at the target.
func MergeByHand(t testing.TB, s *store.Store, source, target int64) {
	t.Helper()
	ChangeRows(t, s, `UPDATE issue_fingerprints SET issue_id = $2 WHERE issue_id = $1`, source, target)
	ChangeRows(t, s, `UPDATE issues SET status = 'merged', merged_into = $2 WHERE id = $1`, source, target)
}
