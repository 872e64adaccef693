package intake

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"errand/core"
	"errand/store/pg"
)

// planIssues gives an id to each issue that the batch has to make: one for each fingerprint without an issue. Its first
// event names it.
func (w *Writer) planIssues(ctx context.Context, b *batch) error {
	b.firsts = b.firstsOfNewGroups()
	if len(b.firsts) == 0 {
		return nil
	}
	ids, err := w.db.IDs.TakeMany(ctx, IssueIDs, len(b.firsts))
	if err != nil {
		return err
	}
	planned := make(map[issueKey]int64, len(ids))
	for i, e := range b.firsts {
		planned[e.group()] = ids[i]
	}
	b.fresh(func(e *NewEvent, a *Added) {
		if a.IssueID == 0 {
			a.IssueID = planned[e.group()]
		}
	})
	return nil
}

// firstsOfNewGroups returns the first event of each fingerprint without an issue, sorted, so that two servers that make the
// same issues meet in the same order.
func (b *batch) firstsOfNewGroups() []*NewEvent {
	var firsts []*NewEvent
	seen := map[issueKey]bool{}
	b.fresh(func(e *NewEvent, a *Added) {
		if a.IssueID == 0 && !seen[e.group()] {
			seen[e.group()] = true
			firsts = append(firsts, e)
		}
	})
	slices.SortFunc(firsts, func(a, b *NewEvent) int {
		return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), bytes.Compare(a.Fingerprint[:], b.Fingerprint[:]), cmp.Compare(a.Version, b.Version))
	})
	return firsts
}

// takeMade takes the issues that the batch makes out of what is counted on issues: they are made with their counts.
func (b *batch) takeMade(issues map[int64]*issueCount) {
	if len(b.firsts) == 0 {
		return
	}
	users := map[int64]int64{}
	for _, u := range b.counts.users {
		users[u.issue]++
	}
	for _, e := range b.firsts {
		id := b.added[b.first[e.key()]].IssueID
		c := issues[id]
		c.users = min(users[id], MaxUsers)
		b.counts.made = append(b.counts.made, *c)
		delete(issues, id)
	}
}

// addFingerprints waits for other servers that are making the same issues. The batch cannot proceed when they did.
const addFingerprints = `
WITH added AS (
	INSERT INTO issue_fingerprints (project_id, version, fingerprint, issue_id)
	SELECT * FROM unnest($1::bigint[], $2::int[], $3::bytea[], $4::bigint[]) WHERE ` + proceeds + `
	ON CONFLICT DO NOTHING
	RETURNING 1
)
SELECT set_config('errand.proceeds', (count(*) = cardinality($4::bigint[]))::text, true) FROM added`

// makeIssues makes the issues and what they are compared by, or takes their fingerprints back. Arrays of different lengths
// cannot be sent as one, but as their texts; an event that was not looked at has none, and its issue is read later.
const makeIssues = `
WITH new AS (
	SELECT * FROM unnest($1::bigint[], $2::int[], $3::bytea[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
		$10::bool[], $11::text[], $12::boolean[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[],
		$18::timestamptz[], $19::timestamptz[], $20::text[], $21::timestamptz[], $22::text[], $23::timestamptz[], $24::text[])
		AS n (project_id, version, fingerprint, id, title, culprit, type, level, platform, test, site, handled, seen, stored, users, latest,
			first_seen, last_seen, first_release, first_release_at, last_release, last_release_at, features)
), taken_back AS (
	DELETE FROM issue_fingerprints f USING new n
	WHERE NOT ` + proceeds + ` AND f.project_id = n.project_id AND f.version = n.version AND f.fingerprint = n.fingerprint AND f.issue_id = n.id
), compared AS (
	INSERT INTO issue_features (project_id, issue_id, features)
	SELECT project_id, id, features::integer[] FROM new WHERE ` + proceeds + ` AND features <> ''
), told AS (
	INSERT INTO issue_alerts (project_id, issue_id, alert, at) SELECT project_id, id, 'issue.new', $13 FROM new WHERE ` + proceeds + `
)
INSERT INTO issues (project_id, fingerprint_version, fingerprint, id, title, culprit, type, level, platform, test, crash_site, handled,
	times_seen, stored_events, users_affected, latest_event_id, first_seen, last_seen,
	first_release, first_release_at, last_release, last_release_at, status, status_at)
SELECT project_id, version, fingerprint, id, title, culprit, type, level, platform, test, site, handled,
	seen, stored, users, nullif(latest, 0), first_seen, last_seen, first_release, first_release_at, last_release, last_release_at, 'unresolved', $13
FROM new WHERE ` + proceeds

func (b *batch) queueFingerprints(q *pgx.Batch) {
	if len(b.firsts) > 0 {
		project, version, fingerprint := b.newFingerprints()
		q.Queue(addFingerprints, project, version, fingerprint, newSpanArrays(b.counts.made).issue)
	}
}

func (b *batch) newFingerprints() (project []int64, version []int32, fingerprint [][]byte) {
	return pg.SplitColumns(b.firsts, func(e *NewEvent) (int64, int32, []byte) { return e.ProjectID, int32(e.Version), e.Fingerprint[:] })
}

func (b *batch) queueNewIssues(q *pgx.Batch, now core.Time) {
	if len(b.firsts) == 0 {
		return
	}
	project, version, fingerprint := b.newFingerprints()
	title, culprit, kind := pg.SplitColumns(b.firsts, func(e *NewEvent) (string, string, string) { return e.Title, e.Culprit, e.Type })
	platform, test, features := pg.SplitColumns(b.firsts, func(e *NewEvent) (string, bool, string) { return e.Platform, e.Test, e.featuresText() })
	site, handled, users := make([]string, len(b.firsts)), make([]*bool, len(b.firsts)), make([]int64, len(b.firsts))
	for i, e := range b.firsts {
		site[i], handled[i], users[i] = string(e.Crash.Site), e.Crash.Handled, b.counts.made[i].users
	}
	c := newSpanArrays(b.counts.made)
	q.Queue(makeIssues, project, version, fingerprint, c.issue, title, culprit, kind, c.level, platform, test, site, handled, now,
		c.seen, c.stored, users, c.latest, c.first, c.last, c.firstRelease, c.firstKnown, c.lastRelease, c.lastKnown, features)
}

// featuresText is empty for an event that was not looked at.
func (e *NewEvent) featuresText() string {
	if e.Crash.Site == "" {
		return ""
	}
	return pg.ArrayText(e.Features)
}
