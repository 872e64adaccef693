package store_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// noon is a time inside an hour and a day, far enough back that the template has no partition for it.
var noon = time.Date(2026, 3, 14, 12, 30, 0, 0, time.UTC)

// clock is a clock that a test moves. Tests with goroutines leave it alone while they run.
type clock struct{ now time.Time }

func (c *clock) tell() time.Time               { return c.now }
func (c *clock) forward(by time.Duration)      { c.now = c.now.Add(by) }
func (c *clock) at(by time.Duration) core.Time { return core.At(c.now.Add(by)) }

// shop is the public id of the project that most tests use.
const shop = 1_000_000_001

// openShop gives a store at noon that has the project shop.
func openShop(t testing.TB) (*store.Store, *clock) {
	t.Helper()
	c := &clock{noon}
	s := storetest.NewAt(t, c.tell)
	makeProject(t, s, shop, "Shop")
	return s, c
}

// openPair gives two stores, as two servers have them, on one database with the project shop.
func openPair(t testing.TB) ([2]*store.Store, *clock) {
	t.Helper()
	c, url := &clock{noon}, storetest.URL(t)
	pair := [2]*store.Store{storetest.Open(t, url, c.tell), storetest.Open(t, url, c.tell)}
	makeProject(t, pair[0], shop, "Shop")
	return pair, c
}

func makeProject(t testing.TB, s *store.Store, id int64, name string) store.StoredProject {
	t.Helper()
	p, err := s.CreateProject(t.Context(), core.Bootstrap(), store.NewProject{ID: id, Name: name, Platform: "go", PublicKey: fmt.Sprintf("key%d", id)})
	require.NoError(t, err)
	return p
}

// deleteProject marks a project as deleted.
func deleteProject(t testing.TB, s *store.Store, id int64) {
	t.Helper()
	change(t, s, `UPDATE projects SET deleted_at = $2 WHERE id = $1`, id, noon)
}

// event makes the n-th event of a group, at a time.
func event(project int64, group string, n int, at core.Time) store.NewEvent {
	e := store.NewEvent{
		ProjectID: project, OccurredAt: at, ReceivedAt: at, Version: 1, Title: "Error: " + group, Culprit: "shop in pay", Type: "Error",
		Level: "error", Platform: "go", Release: "1.0", Environment: "production", Source: core.SourceServer,
		Payload: store.Pack(fmt.Appendf(nil, `{"event_id":"%032x","platform":"go","message":"%s"}`, n, group)),
	}
	e.Fingerprint = sha256.Sum256([]byte(group))
	id := sha256.Sum256(fmt.Append(nil, group, n))
	copy(e.EventID[:], id[:])
	return e
}

// user gives the hash of the n-th user.
func user(n int) (hash [16]byte) {
	sum := sha256.Sum256(fmt.Append(nil, "user", n))
	copy(hash[:], sum[:])
	return hash
}

// add adds events and gives the outcome of the last one.
func add(t testing.TB, s *store.Store, events ...store.NewEvent) store.Added {
	t.Helper()
	added, err := s.AddEvents(t.Context(), events)
	require.NoError(t, err)
	require.Len(t, added, len(events))
	return added[len(added)-1]
}

// makeIssue gives the id of a new issue with one event, now.
func makeIssue(t testing.TB, s *store.Store, group string) int64 {
	t.Helper()
	return add(t, s, event(shop, group, 1, s.Now())).IssueID
}

func issue(t testing.TB, s *store.Store, id int64) core.IssueDetail {
	t.Helper()
	i, err := s.Issue(t.Context(), id)
	require.NoError(t, err)
	return i
}

// activity gives all activity rows of an issue, oldest first, without the rows' ids.
func activity(t testing.TB, s *store.Store, id int64) []core.Activity {
	t.Helper()
	page, err := s.IssueActivity(t.Context(), id, core.Paging{Limit: 100})
	require.NoError(t, err)
	require.Empty(t, page.NextCursor)
	list := make([]core.Activity, len(page.Data))
	for i, a := range page.Data {
		require.Positive(t, a.ID)
		a.ID = 0
		list[len(list)-1-i] = a
	}
	return list
}

// person is an actor with a token.
func person(id int64, scopes ...core.Scope) core.Actor {
	return core.Actor{Type: core.ActorToken, ID: core.OptInt(id), Name: fmt.Sprintf("agent-%d", id), Scopes: scopes}
}

// column looks behind the methods: it gives the first column of a query's rows.
func column[T any](t testing.TB, s *store.Store, sql string, args ...any) []T {
	t.Helper()
	rows, err := storetest.SQL(t.Context(), s, sql, args...)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[T])
	require.NoError(t, err)
	return list
}

// cell gives the one value of a query.
func cell[T any](t testing.TB, s *store.Store, sql string, args ...any) T {
	t.Helper()
	list := column[T](t, s, sql, args...)
	require.Len(t, list, 1)
	return list[0]
}

// untilLocked waits until a statement on the store's database waits for a lock.
func untilLocked(t testing.TB, s *store.Store) {
	t.Helper()
	require.Eventually(t, func() bool {
		return cell[int64](t, s, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
	}, 10*time.Second, 5*time.Millisecond)
}

// change changes rows behind the methods' backs.
func change(t testing.TB, s *store.Store, sql string, args ...any) {
	t.Helper()
	rows, err := storetest.SQL(t.Context(), s, sql, args...)
	require.NoError(t, err)
	rows.Close()
	require.NoError(t, rows.Err())
	require.Positive(t, rows.CommandTag().RowsAffected(), "nothing was changed by %s", sql)
}

func requireCode(t testing.TB, code core.Code, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, code, core.AsError(err).Code, "%v", err)
}

// together runs fn n times at once, numbered from 0, and gives the errors by number.
func together(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			<-start
			errs[i] = fn(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	return errs
}

// noErrors fails for the first error of together.
func noErrors(t testing.TB, errs []error) {
	t.Helper()
	for _, err := range errs {
		require.NoError(t, err)
	}
}

func doDeleteProject(ctx context.Context, s *store.Store, by core.Actor, id int64) error {
	_, err := s.CarryOut(ctx, by, store.DeleteProject{ID: id})
	return err
}

// keepFew has issues keep as few stored events as they may.
var keepFew = map[string]string{"STORED_EVENTS_PER_ISSUE": strconv.Itoa(store.MinKeep)}

// dropExpired deletes the stored events of the days before so many, and returns how many there were by partition.
func dropExpired(t *testing.T, s *store.Store, days int) map[string]int64 {
	t.Helper()
	dropped, err := s.DropExpired(t.Context(), days)
	require.NoError(t, err)
	events := map[string]int64{}
	for _, day := range dropped {
		events[day.Partition] = day.Events
	}
	return events
}

// sinceTime writes an instant as filters take it.
func sinceTime(at time.Time) core.Since { return core.Since(at.Format(time.RFC3339Nano)) }

// connect opens a connection beside the store's, until the test ends.
func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
