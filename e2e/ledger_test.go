//go:build e2e

package e2e

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// ledgerEvent is an event in the database.
type ledgerEvent struct {
	Project int64
	EventID string
	ID      int64
	Issue   int64
}

// ledgerIssue is the database's count for an issue.
type ledgerIssue struct {
	Project, ID                        int64
	Title                              string
	TimesSeen, StoredEvents            int64
	InHours, EventIDs, Events, Unkeyed int64
}

// ledger is the contents of a database at one moment.
type ledger struct {
	events   map[string]ledgerEvent // by event id
	issues   map[string]ledgerIssue // by project and title
	projects map[int64]int64        // events counted
}

const (
	ledgerEvents = `SELECT project_id, replace(event_id::text, '-', ''), id, issue_id FROM event_ids WHERE not_stored IS NULL`
	ledgerIssues = `
SELECT i.project_id, i.id, i.title, i.times_seen, i.stored_events,
	(SELECT coalesce(sum(events), 0)::bigint FROM issue_hours h WHERE h.project_id = i.project_id AND h.issue_id = i.id),
	(SELECT count(*) FROM event_ids e WHERE e.project_id = i.project_id AND e.issue_id = i.id AND e.not_stored IS NULL),
	(SELECT count(*) FROM events e WHERE e.project_id = i.project_id AND e.issue_id = i.id),
	(SELECT count(*) FROM events e LEFT JOIN event_ids k ON k.project_id = e.project_id AND k.event_id = e.event_id AND k.id = e.id
		WHERE e.project_id = i.project_id AND e.issue_id = i.id AND k.id IS NULL)
FROM issues i`
	ledgerProjects = `SELECT project_id, sum(events)::bigint FROM project_hours GROUP BY project_id`
)

// readLedger reads all of it in one snapshot.
func readLedger(t *testing.T, database string) ledger {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, database)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	l := ledger{events: map[string]ledgerEvent{}, issues: map[string]ledgerIssue{}, projects: map[int64]int64{}}
	for _, e := range rowsOf[ledgerEvent](t, tx, ledgerEvents) {
		require.Zero(t, l.events[e.EventID], "an event is stored twice")
		l.events[e.EventID] = e
	}
	for _, i := range rowsOf[ledgerIssue](t, tx, ledgerIssues) {
		key := fmt.Sprint(i.Project, " ", i.Title)
		require.Zero(t, l.issues[key], "an issue is there twice")
		l.issues[key] = i
	}
	for _, p := range rowsOf[struct{ ID, Events int64 }](t, tx, ledgerProjects) {
		l.projects[p.ID] = p.Events
	}
	return l
}

func rowsOf[T any](t *testing.T, tx pgx.Tx, sql string) []T {
	t.Helper()
	rows, err := tx.Query(t.Context(), sql)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	require.NoError(t, err)
	return list
}

// checkLedger compares the senders' answers with the database: every event that got a 200 is stored and counted
// exactly once, and all numbers agree with each other. An event that got no 200 may be there or not.
func (l *load) checkLedger(s *server, database string) {
	t := l.t
	t.Helper()
	l.stopSending()
	require.Empty(t, l.wrong, "answers that no event should get")
	book := readLedger(t, database)
	inIssue, inProject := map[string]bounds{}, map[int]bounds{}
	known, ours := map[string]bool{}, map[int64]bool{}
	for _, p := range l.projects {
		ours[p.id] = true
	}
	for _, e := range l.events {
		id, project := hex.EncodeToString(e.id[:]), l.projects[e.project].id
		known[id] = true
		stored, there := book.events[id]
		key := fmt.Sprint(project, " of ", e.issue)
		if !e.isOfHotIssue() {
			require.False(t, e.taken > 0 && !there, "an event that got 200 is not there: %s", id)
		}
		if there && e.taken == 0 && e.refused == e.attempts {
			require.True(t, e.maybe, "no 503 said that the event may be stored: %s", id)
		}
		if there {
			require.Equal(t, project, stored.Project)
			require.Equal(t, book.issues[key].ID, stored.Issue, "the event is of another issue")
			if e.storedAs != 0 {
				require.Equal(t, ledgerEvent{project, id, e.storedAs, e.issueID}, stored, "the answer named another event")
			}
		}
		n := bounds{least: countOf(e.taken > 0), most: 1}
		if !e.isOfHotIssue() {
			n = bounds{countOf(there), countOf(there)}
		}
		inIssue[key] = inIssue[key].addBounds(n)
		inProject[e.project] = inProject[e.project].addBounds(n)
	}
	for id, e := range book.events {
		require.True(t, known[id] || !ours[e.Project], "an event that nobody sent: %s", id)
	}
	counted := map[int64]int64{}
	for key, i := range book.issues {
		n := inIssue[key]
		require.True(t, n.includesCount(i.TimesSeen) || !ours[i.Project], "%s: times_seen is %d, expected %v", key, i.TimesSeen, n)
		require.Equal(t, i.TimesSeen, i.InHours, "%s: the hours", key)
		require.Equal(t, i.StoredEvents, i.Events, "%s: the stored events", key)
		require.Equal(t, i.Events, i.EventIDs, "%s: the event ids", key)
		require.Zero(t, i.Unkeyed, "%s: events without their ids", key)
		counted[i.Project] += i.TimesSeen
	}
	for key, n := range inIssue {
		_, there := book.issues[key]
		require.True(t, there || n.least == 0, "no issue: %s", key)
	}
	for n, p := range l.projects {
		require.Equal(t, counted[p.id], book.projects[p.id], "the hours of the project")
		require.True(t, inProject[n].includesCount(counted[p.id]))
	}
	l.checkAnswers(s, book)
	l.reportCounts(book)
}

// bounds are how many events there may be.
type bounds struct{ least, most int64 }

func (b bounds) addBounds(c bounds) bounds  { return bounds{b.least + c.least, b.most + c.most} }
func (b bounds) includesCount(n int64) bool { return b.least <= n && n <= b.most }

func countOf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// checkAnswers checks the same numbers over REST.
func (l *load) checkAnswers(s *server, book ledger) {
	t := l.t
	t.Helper()
	day := time.Now().UTC().Day()
	var list struct {
		Data []struct {
			ID          int64
			EventsToday int64 `json:"events_today"`
		}
	}
	require.Eventually(t, func() bool { // a read may get a dead connection, and is answered 503
		return s.callAPI(adminToken, "GET", "/v1/projects", "", &list) == http.StatusOK
	}, 10*time.Second, 50*time.Millisecond)
	for _, p := range list.Data {
		if time.Now().UTC().Day() == day && day == l.pauses.first.UTC().Day() { // otherwise midnight came between
			require.Equal(t, book.projects[p.ID], p.EventsToday, "events_today")
		}
	}
	const first = "/v1/issues?limit=100"
	seen, path := 0, first
	for range len(book.issues)/100 + 2 {
		var page struct {
			Data []struct {
				ProjectID int64 `json:"project_id"`
				Title     string
				TimesSeen int64 `json:"times_seen"`
			}
			Next string `json:"next_cursor"`
		}
		require.Equal(t, http.StatusOK, s.callAPI(adminToken, "GET", path, "", &page))
		for _, i := range page.Data {
			require.Equal(t, book.issues[fmt.Sprint(i.ProjectID, " ", i.Title)].TimesSeen, i.TimesSeen)
			seen++
		}
		if page.Next == "" {
			break
		}
		path = first + "&cursor=" + page.Next
	}
	require.Len(t, book.issues, seen)
}

// reportCounts logs the load, and how much of it the database has.
func (l *load) reportCounts(book ledger) {
	var taken, refused, silent, again, unsaid int
	for _, e := range l.events {
		switch {
		case e.taken > 0:
			taken++
			again += int(countOf(e.attempts > 1))
		case e.refused > 0:
			refused++
		default:
			silent++
		}
		if _, there := book.events[hex.EncodeToString(e.id[:])]; there && e.taken == 0 {
			unsaid++
		}
	}
	var hot, counted int64
	for _, i := range book.issues {
		counted += i.TimesSeen
		if i.Title == "of "+hotIssue {
			hot = i.TimesSeen
		}
	}
	require.Greater(l.t, hot, int64(storedPerIssue), "one issue goes over the cap")
	l.t.Logf("%d events taken (%d sent more than once, %d of one issue that keeps %d), %d stored, %d counted, %d refused with 503, "+
		"%d without an answer; "+
		"%d are stored though they got no 200; the slowest answer took %v; no 200 for %v",
		taken, again, hot, storedPerIssue, len(book.events), counted, refused, silent, unsaid, l.slowest.Round(time.Millisecond), l.outages)
}
