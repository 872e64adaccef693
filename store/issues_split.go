package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"time"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

// SplitIssue moves stored events of an issue to a new unresolved one of the same project, named after the first of them
// that arrived. Each event takes one off times_seen, and its hour moves too. The original keeps at least 1, its users, and
// its fingerprints, so that new events still go to it. An unknown or merged issue is not_found; an event that is unknown or
// another issue's is invalid_request (primary API, Split rules). findType returns the type of a stored event.
func (s *Store) SplitIssue(
	ctx context.Context, actor core.Actor, id int64, eventIDs []int64, findType func(*core.Event) core.Untrusted,
) (core.Issue, error) {
	var issue core.Issue
	project, err := s.findIssueOwner(ctx, id)
	if err != nil {
		return issue, err
	}
	sp := &split{project: project, id: id, eventIDs: eventIDs, findType: findType}
	if err := sp.readEvents(ctx, s); err != nil {
		return issue, err
	}
	err = s.inGroupingTx(ctx, project, func(t *tx) error {
		sp.tx = t
		if err := sp.moveEvents(ctx); err != nil {
			return err
		}
		if err := t.tellStandings(ctx, actor, project, id); err != nil {
			return err
		}
		if err := sp.recordSplit(ctx, actor); err != nil {
			return err
		}
		if err := t.renewClaim(ctx, actor, project, id); err != nil {
			return err
		}
		row, err := readIssue(ctx, t.store.db, t, project, sp.newID, t.Now)
		issue = row.toIssue(t.Now)
		return err
	})
	return issue, err
}

// split is a split in its transaction.
type split struct {
	*tx
	project, id, newID int64
	eventIDs           []int64       // as given by the caller
	events             []chosenEvent // the stored ones among them, in the order of arrival
	first              core.Event    // the first of events
	findType           func(*core.Event) core.Untrusted
}

// chosenEvent is the part of an event that a split needs. It never changes.
type chosenEvent struct {
	ID          int64
	ProjectID   int64
	EventID     [16]byte
	ReceivedAt  core.Time
	OccurredAt  core.Time
	Level       string
	Release     string
	Environment string
	Dictionary  int64
	Payload     []byte // set for the first event only
}

const selectEventsToSplit = `
SELECT id, project_id, event_id, received_at, occurred_at, level, release, environment, dictionary,
	CASE WHEN row_number() OVER (ORDER BY received_at, id) = 1 THEN payload END AS payload
FROM events WHERE id = ANY (@ids) AND (@visible::bigint[] IS NULL OR project_id = ANY (@visible))
ORDER BY received_at, id`

// readEvents reads the events before the transaction, so that nobody waits while the first one is decompressed.
func (sp *split) readEvents(ctx context.Context, s *Store) (err error) {
	sp.events, err = pg.QueryMany[chosenEvent](ctx, s.db.Main, selectEventsToSplit,
		pg.Args{"ids": sp.eventIDs, "visible": core.ReachOf(ctx).Visible()})
	if err != nil || len(sp.events) == 0 {
		return err
	}
	first := sp.events[0]
	sp.first, err = s.Intake.UnpackEvent(ctx, first.ProjectID, intake.Payload{Bytes: first.Payload, Dictionary: first.Dictionary})
	return err
}

const (
	lockSplit = `
SELECT i.id, i.status, i.times_seen, i.stored_events, i.users_affected,
	i.first_seen, i.last_seen, i.level, i.first_release, i.first_release_at, i.last_release, i.last_release_at
FROM issues i WHERE i.project_id = @project_id AND i.id = @id AND i.status <> 'merged' FOR UPDATE OF i`
	selectEventIDs = `SELECT id FROM events WHERE project_id = @project_id AND issue_id = @issue_id AND id = ANY (@ids)`
	splitEvents    = `
UPDATE events SET issue_id = @to WHERE project_id = @project_id AND issue_id = @issue_id AND id = ANY (@ids)
	AND received_at BETWEEN @first AND @last`
)

// moveEvents makes the new issue and moves the events to it.
func (sp *split) moveEvents(ctx context.Context) error {
	before, err := pg.QueryOne[issueCounts](ctx, sp, lockSplit, pg.Args{"project_id": sp.project, "id": sp.id})
	if err != nil {
		return err
	}
	if err := sp.checkEvents(ctx); err != nil {
		return err
	}
	if sp.newID, err = sp.store.db.IDs.TakeOne(ctx, intake.IssueIDs); err != nil {
		return err
	}
	_, err = pg.Exec(ctx, sp, splitEvents, pg.Args{
		"project_id": sp.project, "issue_id": sp.id, "to": sp.newID, "ids": sp.eventIDs,
		"first": sp.events[0].ReceivedAt, "last": sp.events[len(sp.events)-1].ReceivedAt,
	})
	if err != nil {
		return err
	}
	ids := make([]intake.EventID, len(sp.events))
	for i, e := range sp.events {
		ids[i] = intake.EventID{EventID: e.EventID}
	}
	if err := intake.MoveEventIDs(ctx, sp.Tx, sp.project, sp.newID, ids); err != nil {
		return err
	}
	if err := sp.makeIssue(ctx); err != nil {
		return err
	}
	return sp.shrinkOriginal(ctx, before)
}

// checkEvents refuses events of other issues.
func (sp *split) checkEvents(ctx context.Context) error {
	ofIssue := pg.Args{"project_id": sp.project, "issue_id": sp.id, "ids": sp.eventIDs}
	rows, err := pg.QueryMany[struct{ ID int64 }](ctx, sp, selectEventIDs, ofIssue)
	if err != nil {
		return err
	}
	mine := map[int64]bool{}
	for _, r := range rows {
		mine[r.ID] = true
	}
	var unknown, foreign []string
	for _, id := range sp.eventIDs {
		switch stored := slices.ContainsFunc(sp.events, func(e chosenEvent) bool { return e.ID == id }); {
		case !stored:
			unknown = append(unknown, fmt.Sprint(id))
		case !mine[id]:
			foreign = append(foreign, fmt.Sprint(id))
		}
	}
	return refuseBroken("event_ids",
		brokenRule{"must name stored events, by their id; unknown", unknown},
		brokenRule{"must name events of this issue; of another", foreign},
	)
}

const (
	addSplitIssue = `
INSERT INTO issues (project_id, id, fingerprint_version, fingerprint, title, culprit, type, level, platform, status, status_at, test,
	times_seen, stored_events, notices_class, users_affected,
	first_seen, first_release, first_release_at, last_seen, last_release, last_release_at, latest_event_id)
SELECT i.project_id, @id, 0, @fingerprint, @title, @culprit, @type, @level, @platform, 'unresolved', @now, i.test,
	@events, @events, width_bucket(@events::bigint, ` + intake.NoticeBounds + `), 0,
	@first_seen, @first_release, @first_release_at, @last_seen, @last_release, @last_release_at, @latest
FROM issues i WHERE i.project_id = @project_id AND i.id = @original`
)

// splitFingerprint returns a fingerprint that no event has: grouping has no version 0, and no fingerprint points at the issue.
func splitFingerprint(id int64) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "split %d", id))
	return sum[:]
}

func (sp *split) makeIssue(ctx context.Context) error {
	moved := sp.movedSpan()
	_, err := pg.Exec(ctx, sp, addSplitIssue, moved.Args(pg.Args{
		"project_id": sp.project, "original": sp.id, "id": sp.newID, "fingerprint": splitFingerprint(sp.newID), "now": sp.Now,
		"title": string(sp.first.Title), "culprit": string(sp.first.Culprit), "type": string(sp.findType(&sp.first)),
		"platform": sp.first.Platform, "events": int64(len(sp.events)), "latest": sp.events[len(sp.events)-1].ID,
	}))
	if err != nil {
		return err
	}
	times := make([]time.Time, len(sp.events))
	environments, releases := map[string]struct{}{}, map[string]struct{}{}
	for i, e := range sp.events {
		times[i] = e.OccurredAt.Time
		if e.Environment != "" {
			environments[e.Environment] = struct{}{}
		}
		if e.Release != "" {
			releases[e.Release] = struct{}{}
		}
	}
	_, err = pg.Exec(ctx, sp, splitHours, pg.Args{
		"project_id": sp.project, "original": sp.id, "id": sp.newID, "times": times, "folded_before": foldedBefore(sp.Now),
	})
	if err != nil {
		return err
	}
	if _, err := pg.Exec(ctx, sp, keepHours, pg.Args{"project_id": sp.project, "original": sp.id, "id": sp.newID}); err != nil {
		return err
	}
	if _, err := pg.Exec(ctx, sp, forgetHours, pg.Args{"project_id": sp.project, "original": sp.id}); err != nil {
		return err
	}
	for sql, names := range map[string]map[string]struct{}{intake.AddEnvironments: environments, intake.AddReleases: releases} {
		list := slices.Sorted(maps.Keys(names))
		if _, err := sp.Exec(ctx, sql, repeatID(sp.project, len(list)), list, repeatID(sp.newID, len(list))); err != nil {
			return err
		}
	}
	return nil
}

func repeatID(n int64, times int) []int64 { return slices.Repeat([]int64{n}, times) }

// movedSpan returns the span of the events.
func (sp *split) movedSpan() (moved intake.Span) {
	for _, e := range sp.events {
		moved.IncludeEvent(e.OccurredAt, e.Level, e.Release)
	}
	return moved
}

const (
	selectStoredSpan = `
SELECT min(occurred_at) AS first_seen, max(occurred_at) AS last_seen,
	coalesce((array_agg(level ORDER BY occurred_at DESC, received_at DESC, id DESC))[1], '') AS level,
	coalesce((array_agg(release ORDER BY occurred_at, received_at, id) FILTER (WHERE release <> ''))[1], '') AS first_release,
	min(occurred_at) FILTER (WHERE release <> '') AS first_release_at,
	coalesce((array_agg(release ORDER BY occurred_at DESC, received_at DESC, id DESC) FILTER (WHERE release <> ''))[1], '') AS last_release,
	max(occurred_at) FILTER (WHERE release <> '') AS last_release_at
FROM events WHERE project_id = @project_id AND issue_id = @id`
	shrinkIssue = `
UPDATE issues SET times_seen = greatest(times_seen - @events, 1), stored_events = stored_events - @events,
	notices_class = width_bucket(stored_events - @events, ` + intake.NoticeBounds + `),
	was_split = true, first_seen_lowered_at = @now, latest_event_id = (
		SELECT e.id FROM events e WHERE e.project_id = @project_id AND e.issue_id = @id ORDER BY e.received_at DESC, e.id DESC LIMIT 1),
	first_seen = @first_seen, last_seen = @last_seen, level = @level,
	first_release = @first_release, first_release_at = @first_release_at, last_release = @last_release, last_release_at = @last_release_at
WHERE project_id = @project_id AND id = @id`
)

// shrinkOriginal takes the events off the original. Its facts about its first and last event then come from the first and
// last that are still stored.
func (sp *split) shrinkOriginal(ctx context.Context, before issueCounts) error {
	left, err := pg.QueryOne[intake.Span](ctx, sp, selectStoredSpan, pg.Args{"project_id": sp.project, "id": sp.id})
	if err != nil {
		return err
	}
	before.RemoveEvents(sp.movedSpan(), left)
	_, err = pg.Exec(ctx, sp, shrinkIssue, before.Args(pg.Args{
		"project_id": sp.project, "id": sp.id, "now": sp.Now, "events": int64(len(sp.events)),
	}))
	return err
}

// recordSplit writes a row for each of the two issues.
func (sp *split) recordSplit(ctx context.Context, actor core.Actor) error {
	err := sp.recordOfIssue(ctx, actor, sp.project, sp.id, core.ActionIssueSplit, splitData{sp.newID, sp.eventIDs})
	if err != nil {
		return err
	}
	return sp.recordOfIssue(ctx, actor, sp.project, sp.newID, core.ActionIssueSplitFrom, splitFromData{sp.id})
}

// splitData is the data of a split in the activity of the original.
type splitData struct {
	NewIssueID int64   `json:"new_issue_id"`
	EventIDs   []int64 `json:"event_ids"`
}

// splitFromData is the data of a split in the activity of the new issue.
type splitFromData struct {
	IssueID int64 `json:"issue_id"`
}
