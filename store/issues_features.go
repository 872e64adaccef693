package store

import (
	"context"
	"sync"
	"time"

	"errand/core"
	"errand/similar"
	"errand/store/intake"
	"errand/store/pg"
	"errand/triage"
)

// Arrays of different lengths are sent as texts.
const addFeatures = `
INSERT INTO issue_features (project_id, issue_id, features)
SELECT n.project_id, n.issue_id, n.features::integer[]
FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS n (project_id, issue_id, features)
ON CONFLICT DO NOTHING`

// inspectAtOnce bounds the issues that one call of InspectIssues reads.
const inspectAtOnce = 200

const listUnreadIssues = `
SELECT i.project_id, i.id, i.title, i.culprit, i.type FROM issues i WHERE i.crash_site = '' ORDER BY i.project_id, i.id LIMIT @limit`

type unreadIssue struct {
	ProjectID, ID        int64
	Title, Culprit, Type string
}

// InspectIssues reads an event of each issue that has not been looked at: issues from before triage existed, and issues
// that a split made. It reads a bounded number and returns how many. Several servers may read the same ones.
func (s *Store) InspectIssues(ctx context.Context) (int, error) {
	issues, err := pg.QueryMany[unreadIssue](ctx, s.db.Main, listUnreadIssues, pg.Args{"limit": inspectAtOnce})
	if err != nil {
		return 0, err
	}
	for n, i := range issues {
		if err := s.inspectIssue(ctx, i); err != nil {
			return n, err
		}
	}
	return len(issues), nil
}

const selectNewestEvent = `
SELECT e.payload, e.dictionary FROM events e WHERE e.project_id = @project_id AND e.issue_id = @issue_id
ORDER BY e.received_at DESC, e.id DESC LIMIT 1`

const setCrash = `
UPDATE issues SET crash_site = @site, handled = @handled WHERE project_id = @project_id AND id = @issue_id AND crash_site = ''`

// inspectIssue reads the newest stored event of an issue. If there is none, or it cannot be read, the title has to do.
func (s *Store) inspectIssue(ctx context.Context, i unreadIssue) error {
	rows, err := pg.QueryMany[struct {
		Payload    []byte
		Dictionary int64
	}](ctx, s.db.Main, selectNewestEvent, pg.Args{"project_id": i.ProjectID, "issue_id": i.ID})
	if err != nil {
		return err
	}
	crash, features := triage.Crash{Site: triage.NoStack}, similar.FeaturesOfIssue(i.Title, i.Type, i.Culprit)
	if len(rows) > 0 {
		event, err := s.Intake.UnpackEvent(ctx, i.ProjectID, intake.Payload{Bytes: rows[0].Payload, Dictionary: rows[0].Dictionary})
		if core.HasCode(err, core.Unavailable) {
			return err
		}
		if err == nil {
			event.Title, event.Culprit = core.Untrusted(i.Title), core.Untrusted(i.Culprit)
			crash, features = triage.FindCrash(&event), similar.FeaturesOfEvent(&event)
		}
	}
	return s.inTx(ctx, func(t *tx) error {
		n, err := pg.Exec(ctx, t, setCrash, pg.Args{
			"site": string(crash.Site), "handled": crash.Handled, "project_id": i.ProjectID, "issue_id": i.ID,
		})
		if err != nil || n == 0 {
			return err // another server was faster
		}
		_, err = t.Exec(ctx, addFeatures, []int64{i.ProjectID}, []int64{i.ID}, []string{pg.ArrayText(features)})
		return err
	})
}

// frequenciesAge is how long the frequencies of features are remembered.
const frequenciesAge = time.Minute

// frequencies remembers how common features are.
type frequencies struct {
	mu sync.Mutex
	at time.Time
	similar.Frequencies
}

// Postgres knows the most common features from its own statistics, which autovacuum maintains. In a table of counts, all
// writers of new issues would wait for the same rows. The last three frequencies are the bounds of the others.
const selectFrequencies = `
SELECT greatest(c.reltuples, 0)::double precision AS issues, s.most_common_elems::text::integer[] AS features,
	s.most_common_elem_freqs::double precision[] AS shares
FROM pg_class c
LEFT JOIN pg_stats s ON s.schemaname = c.relnamespace::regnamespace::text AND s.tablename = c.relname AND s.attname = 'features'
WHERE c.oid = 'issue_features'::regclass`

func (s *Store) readFrequencies(ctx context.Context) (similar.Frequencies, error) {
	f := &s.frequencies
	f.mu.Lock()
	defer f.mu.Unlock()
	now := s.Now().Time
	if f.Of != nil && now.Sub(f.at).Abs() < frequenciesAge {
		return f.Frequencies, nil
	}
	row, err := pg.QueryOne[struct {
		Issues   float64
		Features []int32
		Shares   []float64
	}](ctx, s.db.Main, selectFrequencies, pg.Args{})
	if err != nil {
		return similar.Frequencies{}, err
	}
	f.at, f.Frequencies = now, similar.Frequencies{Issues: row.Issues, Of: make(map[int32]float64, len(row.Features))}
	for i, feature := range row.Features[:min(len(row.Features), len(row.Shares))] {
		f.Of[feature] = row.Shares[i] * row.Issues
	}
	return f.Frequencies, nil
}
