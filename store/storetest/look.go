package storetest

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
)

// ReadIssue returns an issue, which must exist.
func ReadIssue(t testing.TB, s *store.Store, id int64) core.IssueDetail {
	t.Helper()
	i, err := s.ReadIssue(t.Context(), id)
	require.NoError(t, err)
	return i
}

// ReadActivity returns all activity rows of an issue, oldest first, without the rows' ids.
func ReadActivity(t testing.TB, s *store.Store, id int64) []core.Activity {
	t.Helper()
	page, err := s.ListIssueActivity(t.Context(), id, core.AllActivity, core.Paging{Limit: 100})
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

// ReadColumn bypasses the store's methods: it returns the first column of a query's rows.
func ReadColumn[T any](t testing.TB, s *store.Store, sql string, args ...any) []T {
	t.Helper()
	rows, err := QuerySQL(t.Context(), s, sql, args...)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[T])
	require.NoError(t, err)
	return list
}

// ReadCell returns the one value of a query.
func ReadCell[T any](t testing.TB, s *store.Store, sql string, args ...any) T {
	t.Helper()
	list := ReadColumn[T](t, s, sql, args...)
	require.Len(t, list, 1)
	return list[0]
}

// WaitUntilLocked waits until a statement on the store's database waits for a lock.
func WaitUntilLocked(t testing.TB, s *store.Store) {
	t.Helper()
	require.Eventually(t, func() bool {
		return ReadCell[int64](t, s, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
	}, 10*time.Second, 5*time.Millisecond)
}

// ChangeRows changes rows without the store's methods.
func ChangeRows(t testing.TB, s *store.Store, sql string, args ...any) {
	t.Helper()
	rows, err := QuerySQL(t.Context(), s, sql, args...)
	require.NoError(t, err)
	rows.Close()
	require.NoError(t, rows.Err())
	require.Positive(t, rows.CommandTag().RowsAffected(), "nothing was changed by %s", sql)
}

// RequireCode fails the test unless err has the code.
func RequireCode(t testing.TB, code core.Code, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, code, core.AsError(err).Code, "%v", err)
}

// RunTogether runs fn n times in parallel, numbered from 0, and returns the errors by number.
func RunTogether(n int, fn func(i int) error) []error {
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

// RequireNoErrors fails for the first error of RunTogether.
func RequireNoErrors(t testing.TB, errs []error) {
	t.Helper()
	for _, err := range errs {
		require.NoError(t, err)
	}
}

// ConnectTo opens a connection beside the store's, until the test ends.
func ConnectTo(t *testing.T, databaseURL string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// MakeRole makes a role that may sign in to the database, with further options, until the test ends. It returns the database's URL
// with the role, and the name of the role.
func MakeRole(t *testing.T, databaseURL, prefix, options string) (roleURL, role string) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	role = prefix + "_" + strings.TrimPrefix(u.Path, "/")
	root := ConnectTo(t, databaseURL)
	_, err = root.Exec(t.Context(), `CREATE ROLE `+role+` LOGIN `+options)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := root.Exec(context.Background(), `DROP OWNED BY `+role+`; DROP ROLE `+role)
		require.NoError(t, err)
	})
	u.User = url.User(role)
	return u.String(), role
}

// ListStoredIDs returns the ids of an issue's stored events, newest first.
func ListStoredIDs(t testing.TB, s *store.Store, issue int64) []int64 {
	t.Helper()
	var ids []int64
	paging := core.Paging{Limit: 100}
	for {
		page, err := s.ListIssueEvents(t.Context(), issue, store.EventFilter{Paging: paging})
		require.NoError(t, err)
		for _, e := range page.Data {
			ids = append(ids, e.ID)
		}
		if page.NextCursor == "" {
			return ids
		}
		require.Less(t, len(ids), 10_000, "the pages do not end")
		paging.Cursor = page.NextCursor
	}
}

// FormatHour writes day and hour, as "31 23".
func FormatHour(t core.Time) string { return t.UTC().Format("02 15") }

// ListHours writes counts by hour as "31 23=4", sorted.
func ListHours(counts map[string]int) []string {
	list := []string{}
	for hour, n := range counts {
		list = append(list, fmt.Sprintf("%s=%d", hour, n))
	}
	slices.Sort(list)
	return list
}

// CountDeadlocks returns the number of deadlocks in a database, once all stores' connections to it have ended: each
// connection reports its own at its end.
func CountDeadlocks(t testing.TB, databaseURL string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	for others, asked := 1, 0; others > 0; asked++ {
		require.Less(t, asked, 10_000, "connections stay open")
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'errand'`).Scan(&others))
	}
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`).Scan(&n))
	return n
}

// withoutDatabase are the operations that answer from the caller's token alone, once that is known, and the one that needs a process
// to examine.
var withoutDatabase = []*core.Operation{core.Whoami.Operation, core.ExamineServer.Operation}

// NeedsNoDatabase reports whether the handler of an operation works while the database is away.
func NeedsNoDatabase(op *core.Operation) bool { return slices.Contains(withoutDatabase, op) }
