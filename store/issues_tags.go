package store

import (
	"context"

	"errand/core"
	"errand/facets"
	"errand/store/pg"
)

// Bounds of a list with a tag: how many issues it searches for one page, how many of them it lists at a time, for how many
// it reads events at a time, and how many of the newest stored events of each it reads. An event's tags are only in its payload.
const (
	maxTaggedIssues = 300
	taggedListed    = 50
	taggedRead      = 10
	maxTaggedEvents = 20
)

const selectNewestOfIssues = `
SELECT e.* FROM unnest(@projects::bigint[], @ids::bigint[]) AS n (project_id, id)
CROSS JOIN LATERAL (
	SELECT id, issue_id, project_id, event_id, occurred_at, received_at, level, release, environment, user_hash, dictionary, payload
	FROM events
	WHERE project_id = n.project_id AND issue_id = n.id AND /* of some projects: events */ true
	ORDER BY received_at DESC, id DESC LIMIT @rows
) e`

// listIssuesByTag lists the issues with the tag on one of their newest stored events. A page may be shorter than its limit
// although more issues follow its cursor.
func (s *Store) listIssuesByTag(ctx context.Context, f IssueFilter) (found core.Page[core.Issue], err error) {
	wanted := f.Limit
	for range maxTaggedIssues / taggedListed {
		f.Limit = taggedListed
		page, err := s.listIssues(ctx, f)
		if err != nil {
			return found, err
		}
		for start := 0; start < len(page.Data); start += taggedRead {
			some := page.Data[start:min(start+taggedRead, len(page.Data))]
			tagged, err := s.findTagged(ctx, some, f.Tag)
			if err != nil {
				return found, err
			}
			for i, issue := range some {
				if !tagged[issue.ID] {
					continue
				}
				found.Data = append(found.Data, issue)
				if len(found.Data) == wanted {
					found.NextCursor, err = s.findCursorBehind(ctx, f, page, start+i)
					return found, err
				}
			}
		}
		found.NextCursor, f.Cursor = page.NextCursor, page.NextCursor
		if page.NextCursor == "" {
			break
		}
	}
	return found, nil
}

// findCursorBehind returns the cursor after the n-th issue of a page. In a list by priority only the list itself knows the
// score for the cursor, so the page is listed again up to that issue.
func (s *Store) findCursorBehind(ctx context.Context, f IssueFilter, page core.Page[core.Issue], n int) (core.Cursor, error) {
	if n == len(page.Data)-1 {
		return page.NextCursor, nil
	}
	f.Limit = n + 1
	cut, err := s.listIssues(ctx, f)
	return cut.NextCursor, err
}

// findTagged returns which of the issues have the tag.
func (s *Store) findTagged(ctx context.Context, issues []core.Issue, filter core.TagFilter) (map[int64]bool, error) {
	key, value := filter.Split()
	tagged, tag := map[int64]bool{}, facets.Tag{Key: key, Value: value}
	projects, ids, _ := pg.SplitColumns(issues, func(i core.Issue) (project, issue int64, _ struct{}) {
		return i.ProjectID, i.ID, struct{}{}
	})
	rows, err := pg.QueryEach[storedEvent](ctx, s.db, s.db.Main, selectNewestOfIssues,
		pg.Args{"projects": projects, "ids": ids, "rows": maxTaggedEvents}, projects)
	if err != nil {
		return nil, err
	}
	err = s.visitTags(ctx, rows, func(i int, tags *core.EventTags) bool {
		if facets.HasTag(tags, tag) {
			tagged[rows[i].IssueID] = true
		}
		return true
	})
	return tagged, err
}
