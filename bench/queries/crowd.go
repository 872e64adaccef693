package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"errand/bench"
)

// A crowd is a project whose issues were all last seen within the same five minutes, the step of the lists' indexes. Each has had
// more events than are stored, and no stored one has goneEnvironment.
const (
	crowdSize       = 10_000
	goneEnvironment = "gone"
)

// loadCrowd adds the crowd beside the loaded data, and returns its project.
func loadCrowd(ctx context.Context, s *bench.Server, before *dataset) (int64, error) {
	crowd, err := s.MakeProject(ctx, "Crowd")
	if err != nil {
		return 0, err
	}
	bucket := time.Now().UTC().Truncate(5 * time.Minute)
	random := rand.New(rand.NewPCG(seed, crowdSize))
	seen := make([]time.Time, crowdSize)
	for n := range seen {
		seen[n] = bucket.Add(time.Duration(random.Int64N(int64(5 * time.Minute)))).Truncate(time.Millisecond)
	}
	for _, sql := range []string{`
INSERT INTO issues (project_id, id, fingerprint, fingerprint_version, title, culprit, type, level, platform, status, status_at,
	times_seen, stored_events, users_affected, first_seen, last_seen, first_release, last_release, crash_site, has_grams)
SELECT $1, $2 + n, int8send(n), 1, 'TimeoutError: timed out waiting for cart ' || n, 'shop.cart.read in wait', 'TimeoutError', 'error',
	'node', 'unresolved', seen, 1000, 2, n % 50, seen - interval '1 day', seen, 'shop@1.0', 'shop@1.1', 'app', true
FROM unnest($3::timestamptz[]) WITH ORDINALITY s (seen, n)`, `
INSERT INTO issue_hours (project_id, issue_id, hour, events)
SELECT $1, $2 + n, date_trunc('hour', seen) - h * interval '1 hour', 3
FROM unnest($3::timestamptz[]) WITH ORDINALITY s (seen, n), generate_series(0, 9) h`, `
INSERT INTO issue_environments (project_id, issue_id, environment)
SELECT $1, $2 + n, environment
FROM unnest($3::timestamptz[]) WITH ORDINALITY s (seen, n), unnest('{production,` + goneEnvironment + `}'::text[]) environment`, `
INSERT INTO events (project_id, issue_id, id, received_at, occurred_at, event_id, level, release, environment, dictionary, payload)
SELECT $1, $2 + n, 2000000000 + 2 * n + e, now(), seen, gen_random_uuid(), 'error', 'shop@1.1', 'production', 0, ''
FROM unnest($3::timestamptz[]) WITH ORDINALITY s (seen, n), generate_series(0, 1) e`,
	} {
		if _, err := s.DB.Exec(ctx, sql, crowd.ID, len(before.issues), seen); err != nil {
			return 0, fmt.Errorf("loading the crowd: %w", err)
		}
	}
	_, err = s.DB.Exec(ctx, `VACUUM ANALYZE`)
	return crowd.ID, err
}

func (c *client) crowdQueries(project int64) []query {
	one := fmt.Sprintf("/issues?project=%d&", project)
	return []query{
		{"list by last_seen, one project, 10,000 issues in five minutes", one, "p95 10"},
		{"list by last_seen, all projects, 10,000 issues in five minutes", "/issues?", "p95 10"},
		{"list by last_seen, all, 10,000 issues in five minutes, page 10", c.findPage("/issues?", 10), ""},
		{"list by last_seen, 10,000 trimmed issues, an environment of all", one + "environment=production", "bounded"},
		{"list by last_seen, 10,000 issues that lost an environment", one + "environment=" + goneEnvironment, "bounded"},
		{"list by priority, 10,000 issues that lost an environment", one + "sort=priority&environment=" + goneEnvironment, "bounded"},
	}
}
