package store

import (
	"context"
	"slices"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
	"errand/store/watch"
)

// moreBriefEvents is how many events before the latest are searched for one with frames of the app.
const moreBriefEvents = 19

const selectLatestEvents = `
SELECT ` + pg.OnePlan + ` e.id, e.issue_id, e.project_id, e.event_id, e.occurred_at, e.received_at, e.level, e.release, e.environment,
	e.user_hash, e.dictionary, e.payload
FROM events e
WHERE e.project_id = @project_id AND e.issue_id = @issue_id
ORDER BY e.received_at DESC, e.id DESC OFFSET @skip LIMIT @rows`

func eventsAfter(project, issue int64, skip, limit int) pg.Args {
	return pg.Args{"project_id": project, "issue_id": issue, "skip": skip, "rows": limit}
}

// chooseEvent returns the newest event with frames of the app, or the latest event if none has any, and the number of newer
// events. It returns nil if no event is stored.
func (s *Store) chooseEvent(ctx context.Context, project, issue int64, latest []storedEvent) (*core.EventDetail, int, error) {
	if len(latest) == 0 {
		return nil, 0, nil
	}
	first, err := s.unpackStored(ctx, latest[0])
	if err != nil || first.Event.HasAppFrames() {
		return &first, 0, err
	}
	before, err := pg.QueryEach[storedEvent](ctx, s.db, s.db.Main, selectLatestEvents, eventsAfter(project, issue, 1, moreBriefEvents),
		[]int64{project})
	if err != nil {
		return nil, 0, err
	}
	for i, row := range before {
		event, err := s.unpackStored(ctx, row)
		if err != nil {
			return nil, 0, err
		}
		if event.Event.HasAppFrames() {
			return &event, i + 1, nil
		}
	}
	return &first, 0, nil
}

func (s *Store) unpackStored(ctx context.Context, row storedEvent) (core.EventDetail, error) {
	event, err := s.Intake.UnpackEvent(ctx, row.ProjectID, intake.Payload{Bytes: row.Payload, Dictionary: row.Dictionary})
	return core.EventDetail{EventRow: row.toCore(), Event: event}, err
}

const selectNotesOfSimilar = `
SELECT a.id, a.at, a.actor_type, coalesce(a.actor_id, 0) AS actor_id, a.actor_name, a.action, a.target_type, a.target_id, a.data
FROM unnest(@projects::bigint[], @ids::bigint[]) AS n (project_id, id)
CROSS JOIN LATERAL (
	SELECT * FROM activity a
	WHERE a.project_id = n.project_id AND a.target_type = 'issue' AND a.target_id = n.id AND a.action = 'issue.note'
		AND /* of some projects: a */ true
	ORDER BY a.at DESC, a.id DESC LIMIT 1
) a`

const selectFixesOfSimilar = `
SELECT ` + watch.Columns + `
FROM unnest(@projects::bigint[], @ids::bigint[]) AS n (project_id, id)
JOIN issues i ON i.project_id = n.project_id AND i.id = n.id AND /* of some projects: i */ true
JOIN fixes f ON f.project_id = i.project_id AND f.id = i.fix_id AND /* of some projects: f */ true`

// ReadKnownSimilar returns each similar issue with its last fix and its last note.
func (s *Store) ReadKnownSimilar(ctx context.Context, similar []core.SimilarIssue) ([]core.KnownSimilar, error) {
	if len(similar) == 0 {
		return nil, nil
	}
	projects, ids, _ := pg.SplitColumns(similar, keyOfSimilar)
	args := pg.Args{"projects": projects, "ids": ids}
	var (
		b     pg.Batch
		notes []core.Activity
		fixed []watch.Fix
	)
	pg.QueueMany(&b, selectNotesOfSimilar, args, &notes)
	pg.QueueMany(&b, selectFixesOfSimilar, args, &fixed)
	if err := b.SendEach(ctx, s.db, projects); err != nil {
		return nil, err
	}
	known := make([]core.KnownSimilar, len(similar))
	for i, issue := range similar {
		known[i].SimilarIssue = issue
		if n := slices.IndexFunc(notes, func(a core.Activity) bool { return a.TargetID == issue.Issue.ID }); n >= 0 {
			known[i].LastNote = &notes[n]
		}
		known[i].Fix = findFixOf(fixed, issue.Issue.ID)
	}
	return known, nil
}
