package store

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"

	"errand/core"
	"errand/facets"
	"errand/store/pg"
)

// eventWay is a step from an event (next, previous) or to an end (first, latest).
type eventWay struct {
	isUp    bool // to newer events
	isFirst bool // from the end of the list
}

const listEventMarks = `SELECT id, event_id, occurred_at, received_at FROM events`

const selectEventMark = `
SELECT e.id, e.event_id, e.occurred_at, e.received_at FROM events e
WHERE e.project_id = @project_id AND e.issue_id = @issue_id AND e.id = @id`

type eventMark struct {
	ID         int64
	EventID    [16]byte
	OccurredAt core.Time
	ReceivedAt core.Time
}

func (m *eventMark) toCore() *core.EventMark {
	if m == nil {
		return nil
	}
	return &core.EventMark{ID: m.ID, EventID: hex.EncodeToString(m.EventID[:]), Timestamp: m.OccurredAt, ReceivedAt: m.ReceivedAt}
}

// FindEventsAround returns the events around one of an issue, under the filter, whose page does not count. An empty ref is the latest
// event; one that is not of the issue is not_found.
func (s *Store) FindEventsAround(ctx context.Context, issue int64, ref core.EventRef, f EventFilter) (core.EventsAround, error) {
	around := core.EventsAround{Complete: true}
	project, err := s.findShownIssueOwner(ctx, issue)
	if err != nil {
		return around, err
	}
	names, err := s.findStoredNames(ctx, IssueFilter{ProjectID: project, Release: f.Release, Environment: f.Environment})
	if err != nil {
		return around, err
	}
	f.Paging, f.names = core.Paging{Limit: tagChunk}, &names
	w := &eventWalk{store: s, project: project, issue: issue, filter: f}
	event, err := w.findNamed(ctx, ref)
	if err != nil {
		return around, err
	}
	latest, err := w.findEvent(ctx, eventWay{isFirst: true}, nil)
	if err != nil {
		return around, err
	}
	if event == nil {
		event = latest
	}
	around.Event, around.Latest = event.toCore(), latest.toCore()
	for way, to := range map[eventWay]**core.EventMark{
		{isUp: true, isFirst: true}: &around.First, {}: &around.Previous, {isUp: true}: &around.Next,
	} {
		if event == nil {
			break
		}
		found, err := w.findEvent(ctx, way, event)
		if err != nil {
			return around, err
		}
		*to = found.toCore()
	}
	around.Complete = !w.isCut
	return around, nil
}

// eventWalk looks for events of an issue.
type eventWalk struct {
	store          *Store
	project, issue int64
	filter         EventFilter
	isCut          bool // not all that may pass the filter were read
}

// findNamed returns the event that is named, nil where none is.
func (w *eventWalk) findNamed(ctx context.Context, ref core.EventRef) (*eventMark, error) {
	if ref == "" {
		return nil, nil
	}
	id, _ := ref.ID()
	if eventID, isEventID := ref.EventID(); isEventID {
		found, err := pg.QueryOne[struct{ ProjectID, ID int64 }](ctx, w.store.db.Main, findEventIDs,
			pg.Args{"event_id": eventID, "projects": []int64{w.project}})
		if err != nil {
			return nil, err
		}
		id = found.ID
	}
	event, err := pg.QueryOne[eventMark](ctx, w.store.db.Main, selectEventMark,
		pg.Args{"project_id": w.project, "issue_id": w.issue, "id": id})
	return &event, err
}

// findEvent returns the next event that passes the filter on the way, nil for none.
func (w *eventWalk) findEvent(ctx context.Context, way eventWay, from *eventMark) (*eventMark, error) {
	if way.isFirst {
		from = nil
	}
	if w.filter.Tag == "" {
		rows, err := walkEvents[eventMark](ctx, w, listEventMarks, way, from, 1)
		if err != nil || len(rows) == 0 {
			return nil, err
		}
		return &rows[0], nil
	}
	key, value := w.filter.Tag.Split()
	for range maxTagRows / tagChunk {
		rows, err := walkEvents[storedEvent](ctx, w, listEventsWithTags, way, from, tagChunk)
		if err != nil {
			return nil, err
		}
		var found *eventMark
		err = w.store.visitTags(ctx, rows, func(i int, tags *core.EventTags) bool {
			if facets.HasTag(tags, facets.Tag{Key: key, Value: value}) {
				found = rows[i].toMark()
			}
			return found == nil
		})
		if err != nil || found != nil || len(rows) < tagChunk {
			return found, err
		}
		from = rows[len(rows)-1].toMark()
	}
	w.isCut = true
	return nil, nil
}

func (r eventRow) toMark() *eventMark {
	return &eventMark{ID: r.ID, EventID: r.EventID, OccurredAt: r.OccurredAt, ReceivedAt: r.ReceivedAt}
}

// walkEvents reads events along the way, which begins behind an event where there is one.
func walkEvents[T any](ctx context.Context, w *eventWalk, selectFrom string, way eventWay, from *eventMark, rows int) ([]T, error) {
	l, err := w.filter.buildList(ctx, w.project, w.issue, w.store.Now())
	if err != nil {
		return nil, err
	}
	sign, order := "<", "DESC"
	if way.isUp {
		sign, order = ">", "ASC"
	}
	args := pg.Args{"rows": rows}
	maps.Copy(args, l.Args)
	if from != nil { // the first condition leaves out days
		l.Where(fmt.Sprintf("received_at %[1]s= @from_at AND (received_at, id) %[1]s (@from_at, @from_id)", sign))
		args["from_at"], args["from_id"] = from.ReceivedAt, from.ID
	}
	sql := fmt.Sprintf("%s WHERE %s ORDER BY received_at %[3]s, id %[3]s LIMIT @rows", selectFrom, l.Conditions(), order)
	return pg.QueryMany[T](ctx, w.store.db.Main, sql, args)
}
