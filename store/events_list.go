package store

import (
	"context"

	"errand/core"
	"errand/facets"
	"errand/store/intake"
	"errand/store/pg"
)

const listEventsOfIssue = `
SELECT id, issue_id, project_id, event_id, occurred_at, received_at, level, release, environment, user_hash FROM events`

const listEventsWithTags = `
SELECT id, issue_id, project_id, event_id, occurred_at, received_at, level, release, environment, user_hash, dictionary, payload
FROM events`

// EventFilter selects stored events of an issue. Its zero value selects all.
type EventFilter struct {
	Release, Environment string
	User                 core.UserHash
	Tag                  core.TagFilter
	Since, Until         core.Since // of the time of the event; relative values count from the first page
	core.Paging

	names *storedNames // forms of Release and Environment, looked up by ListIssueEvents
}

// How many events a list with a tag reads per query, and per page: tags are only in the payloads.
const (
	tagChunk   = 100
	maxTagRows = 2000
)

// ListIssueEvents lists the stored events of an issue, most recent first. With a tag, a page may have fewer events than its
// limit although there are more behind its cursor.
func (s *Store) ListIssueEvents(ctx context.Context, issueID int64, f EventFilter) (core.Page[core.EventRow], error) {
	project, err := s.findShownIssueOwner(ctx, issueID)
	if err != nil {
		return core.Page[core.EventRow]{}, err
	}
	names, err := s.findStoredNames(ctx, IssueFilter{ProjectID: project, Release: f.Release, Environment: f.Environment})
	if err != nil {
		return core.Page[core.EventRow]{}, err
	}
	f.names = &names
	if f.Tag != "" {
		return s.listEventsByTag(ctx, project, issueID, f)
	}
	l, err := f.buildList(ctx, project, issueID, s.Now())
	if err != nil {
		return core.Page[core.EventRow]{}, err
	}
	rows, err := pg.ReadPage(ctx, s.db, l, listEventsOfIssue, func(e eventRow) (core.Time, int64) { return e.ReceivedAt, e.ID })
	return pg.ConvertPage(rows, eventRow.toCore), err
}

// buildList bounds received_at too, because the index is sorted by it: by its sender's clock an event happens at most an
// hour after it arrives.
func (f EventFilter) buildList(ctx context.Context, project, issue int64, now core.Time) (*pg.List, error) {
	l := pg.NewList(ctx, "", "received_at", f.Paging)
	start := f.Cursor.Start(now.Time)
	since, err := f.Since.Time(start)
	if err != nil {
		return nil, err
	}
	until, err := f.Until.Time(start)
	if err != nil {
		return nil, err
	}
	if f.Since != "" || f.Until != "" {
		l.Start = core.At(start)
	}
	if f != (EventFilter{Paging: f.Paging, names: f.names}) {
		l.FilterDigest = pg.DigestFilter([]any{f.Release, f.Environment, f.User, f.Tag, since.UTC(), until.UTC()})
	}
	l.WhereArg("project_id = @project_id", "project_id", project)
	l.WhereArg("issue_id = @issue_id", "issue_id", issue)
	if f.Release != "" {
		l.WhereArg("release = ANY (@releases::text[])", "releases", f.names.releases)
	}
	if f.Environment != "" {
		l.WhereArg("environment = ANY (@environments::text[])", "environments", f.names.environments)
	}
	if f.User != "" {
		l.WhereArg("substring(user_hash for length(@user::bytea)) = @user", "user", f.User.Bytes())
	}
	if !since.IsZero() {
		l.WhereArg("occurred_at >= @since AND received_at >= @since::timestamptz - interval '1 hour'", "since", since)
	}
	if !until.IsZero() {
		l.WhereArg("occurred_at < @until", "until", until)
	}
	return l, nil
}

// listEventsByTag reads events until the page is full or maxTagRows have been read.
func (s *Store) listEventsByTag(ctx context.Context, project, issue int64, f EventFilter) (page core.Page[core.EventRow], err error) {
	key, value := f.Tag.Split()
	tag, wanted := facets.Tag{Key: key, Value: value}, f.Limit
	f.Limit = tagChunk
	for range maxTagRows / tagChunk {
		l, err := f.buildList(ctx, project, issue, s.Now())
		if err != nil {
			return page, err
		}
		chunk, err := pg.ReadPage(ctx, s.db, l, listEventsWithTags, func(e storedEvent) (core.Time, int64) { return e.ReceivedAt, e.ID })
		if err != nil {
			return page, err
		}
		end := chunk.NextCursor
		err = s.visitTags(ctx, chunk.Data, func(i int, tags *core.EventTags) bool {
			if facets.HasTag(tags, tag) {
				row := chunk.Data[i]
				page.Data = append(page.Data, row.toCore())
				if len(page.Data) == wanted && i < len(chunk.Data)-1 {
					end = l.CursorBehind(row.ReceivedAt, row.ID)
				}
			}
			return len(page.Data) < wanted
		})
		if err != nil || len(page.Data) == wanted {
			page.NextCursor = end
			return page, err
		}
		if f.Cursor = chunk.NextCursor; f.Cursor == "" {
			break
		}
	}
	page.NextCursor = f.Cursor
	return page, nil
}

// visitTags calls visit with the tags of each readable event, until it returns false.
func (s *Store) visitTags(ctx context.Context, rows []storedEvent, visit func(i int, tags *core.EventTags) bool) error {
	for i, row := range rows {
		tags, err := s.Intake.UnpackTags(ctx, row.ProjectID, intake.Payload{Bytes: row.Payload, Dictionary: row.Dictionary})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if core.HasCode(err, core.Unavailable) {
			return err
		}
		if err == nil && !visitSafely(visit, i, &tags) {
			return nil
		}
	}
	return nil
}

// visitSafely skips an event that makes visit panic: the sender controls its text, and its tags must not hide the other events.
func visitSafely(visit func(i int, tags *core.EventTags) bool, i int, tags *core.EventTags) (more bool) {
	var err error
	defer func() { more = more || err != nil }()
	defer core.CatchPanic(&err)
	return visit(i, tags)
}

const selectNewestTags = `
SELECT ` + pg.OnePlan + ` id, issue_id, project_id, event_id, occurred_at, received_at, level, release, environment, user_hash,
	dictionary, payload
FROM events
WHERE project_id = @project_id AND issue_id = @issue_id
ORDER BY received_at DESC, id DESC LIMIT @rows`

// CountTags counts the tags of an issue's newest stored events. It reads at most newest events, and returns at most values
// values of each tag, the most frequent ones.
func (s *Store) CountTags(ctx context.Context, issue int64, newest, values int) ([]core.TagShares, error) {
	project, err := s.findIssueOwner(ctx, issue)
	if err != nil {
		return nil, err
	}
	shares, err := s.countTags(ctx, project, issue, newest, values)
	return shares.Tags, err
}

// Bounds of the shares of an issue's tags.
const (
	sharedEvents = 200
	sharedTags   = 30
	sharedValues = 10
)

// ReadShares counts the tags of an issue's newest stored events.
func (s *Store) ReadShares(ctx context.Context, issue int64) (core.IssueShares, error) {
	project, err := s.findShownIssueOwner(ctx, issue)
	if err != nil {
		return core.IssueShares{}, err
	}
	shares, err := s.countTags(ctx, project, issue, sharedEvents, sharedValues)
	shares.Tags = shares.Tags[:min(len(shares.Tags), sharedTags)]
	return shares, err
}

func (s *Store) countTags(ctx context.Context, project, issue int64, newest, values int) (core.IssueShares, error) {
	rows, err := pg.QueryEach[storedEvent](ctx, s.db, s.db.Main, selectNewestTags,
		pg.Args{"project_id": project, "issue_id": issue, "rows": newest}, []int64{project})
	if err != nil {
		return core.IssueShares{}, err
	}
	var counter facets.Counter
	err = s.visitTags(ctx, rows, func(i int, tags *core.EventTags) bool {
		counter.Add(tags, string(core.ShowUserHash(rows[i].UserHash)))
		return true
	})
	return core.IssueShares{Events: int64(len(rows)), Tags: counter.Shares(values)}, err
}
