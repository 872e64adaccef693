package intake

import (
	"cmp"
	"slices"
	"time"

	"errand/core"
)

// counts is a batch summed up: one row for each issue, hour and project that it touches, sorted by key, so that a hot
// issue costs one update however many events it has, and so that two servers lock rows in the same order.
type counts struct {
	issues   []issueCount
	made     []issueCount // of the issues that the batch makes, in the order of batch.firsts
	hours    []hourCount
	projects []projectCount
	users    []userKey
	places   []placeKey
}

type issueCount struct {
	project, issue int64
	seen, stored   int64
	latestEvent    int64
	users          int64 // of an issue that the batch makes
	Span
}

type hourCount struct {
	project, issue int64
	hour           time.Time
	events         int64
}

type projectCount struct {
	project        int64
	hour           time.Time
	events         int64
	last           core.Time
	server, client core.Time
	quota          *int64
}

func dayOf(t core.Time) time.Time { return t.Truncate(24 * time.Hour) }

// sum sums the batch up. What is known already is left out.
func (b *batch) sum(k *known) {
	issues, hours, projects := map[int64]*issueCount{}, map[hourCount]int64{}, map[projectCount]*projectCount{}
	users, places := map[userKey]struct{}{}, map[placeKey]struct{}{}
	b.fresh(func(e *NewEvent, a *Added) {
		c := issues[a.IssueID]
		if c == nil {
			c = &issueCount{project: e.ProjectID, issue: a.IssueID}
			issues[a.IssueID] = c
		}
		c.add(e, a)
		hour := e.OccurredAt.Truncate(time.Hour)
		hours[hourCount{project: e.ProjectID, issue: a.IssueID, hour: hour}]++
		// A project's hours are those of arrival: quotas are counted in them.
		key := projectCount{project: e.ProjectID, hour: e.ReceivedAt.Truncate(time.Hour)}
		p := projects[key]
		if p == nil {
			p = &projectCount{project: key.project, hour: key.hour}
			projects[key] = p
		}
		p.add(e)
		known := e.knownAs(a.IssueID)
		if u := (userKey{e.ProjectID, a.IssueID, e.User}); e.User != [16]byte{} && k.wantsUser(known, u) {
			users[u] = struct{}{}
		}
		if known.places == k.placesOf(e) {
			return
		}
		for _, place := range []placeKey{{e.ProjectID, a.IssueID, false, e.Environment}, {e.ProjectID, a.IssueID, true, e.Release}} {
			if place.name != "" && !has(k, place) {
				places[place] = struct{}{}
			}
		}
	})
	b.counts = counts{users: sorted(users, compareUsers), places: sorted(places, comparePlaces)}
	b.takeMade(issues)
	for _, c := range issues {
		b.counts.issues = append(b.counts.issues, *c)
	}
	for h, n := range hours {
		h.events = n
		b.counts.hours = append(b.counts.hours, h)
	}
	for _, p := range projects {
		b.counts.projects = append(b.counts.projects, *p)
	}
	slices.SortFunc(b.counts.issues, func(a, b issueCount) int {
		return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.issue, b.issue))
	})
	slices.SortFunc(b.counts.hours, func(a, b hourCount) int {
		return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.issue, b.issue), a.hour.Compare(b.hour))
	})
	slices.SortFunc(b.counts.projects, func(a, b projectCount) int {
		return cmp.Or(cmp.Compare(a.project, b.project), a.hour.Compare(b.hour))
	})
}

func (c *issueCount) add(e *NewEvent, a *Added) {
	c.seen++
	if a.ID != 0 {
		c.stored++
		c.latestEvent = max(c.latestEvent, a.ID)
	}
	c.IncludeEvent(e.OccurredAt, e.Level, e.Release)
}

func (p *projectCount) add(e *NewEvent) {
	p.events++
	p.quota = e.DailyQuota
	seen := &p.client
	if e.Source == core.SourceServer {
		seen = &p.server
	}
	for _, t := range []*core.Time{seen, &p.last} {
		if e.ReceivedAt.After(t.Time) {
			*t = e.ReceivedAt
		}
	}
}

func sorted[K comparable](set map[K]struct{}, compare func(a, b K) int) []K {
	list := make([]K, 0, len(set))
	for k := range set {
		list = append(list, k)
	}
	slices.SortFunc(list, compare)
	return list
}

func compareUsers(a, b userKey) int {
	return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.issue, b.issue), slices.Compare(a.user[:], b.user[:]))
}

func comparePlaces(a, b placeKey) int {
	return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.name, b.name), cmp.Compare(a.issue, b.issue))
}

// The statements of a batch. They take arrays by position: naming the arguments would cost more than running them.

// countIssues locks the issues, and adds to them and their users when the batch can proceed and no event of it is known. Its
// snapshot does not have what another server adds while it waits for the locks: the same event in the same moment fails by
// its key in event_ids.
//
// Issues are found by their id alone, which is unique: by project and id, the planner may take the index of the list for
// a table that it does not know yet, and read all issues of the project for each. They are updated once, and usually
// nothing that is indexed changes (see the table issues).
const countIssues = `
WITH ` + lockCounted + `, checked AS MATERIALIZED (
	SELECT set_config('errand.proceeds', (` + proceeds + ` AND ` + countable + ` = cardinality($2::bigint[]) AND NOT EXISTS (
		SELECT FROM unnest($4::bigint[], $5::uuid[]) AS n (project_id, event_id)
		JOIN event_ids e ON e.project_id = n.project_id AND e.event_id = n.event_id))::text, true) = 'true' AS proceeds
), added AS (
	INSERT INTO issue_users (project_id, issue_id, user_hash)
	SELECT * FROM unnest($6::bigint[], $7::bigint[], $8::bytea[]) WHERE (SELECT proceeds FROM checked)
	ON CONFLICT DO NOTHING
	RETURNING issue_id
), users AS (
	SELECT issue_id, count(*) AS n FROM added GROUP BY issue_id
), counted AS (
	UPDATE issues i SET
		times_seen = i.times_seen + n.seen,
		stored_events = i.stored_events + n.stored,
		users_affected = least($9::bigint, i.users_affected + coalesce(u.n, 0)),
		first_release = CASE WHEN n.first_release_at < coalesce(i.first_release_at, 'infinity') THEN n.first_release ELSE i.first_release END,
		first_release_at = least(n.first_release_at, i.first_release_at),
		first_seen = least(i.first_seen, n.first_at),
		first_seen_lowered_at = CASE WHEN n.first_at < i.first_seen THEN $10 ELSE i.first_seen_lowered_at END,
		last_release = CASE WHEN n.last_release_at >= coalesce(i.last_release_at, '-infinity') THEN n.last_release ELSE i.last_release END,
		last_release_at = greatest(n.last_release_at, i.last_release_at),
		level = CASE WHEN n.last_at >= i.last_seen THEN n.level ELSE i.level END,
		last_seen = greatest(i.last_seen, n.last_at),
		quiet = false,
		latest_event_id = coalesce(nullif(n.latest_event, 0), i.latest_event_id)
	FROM unnest($2::bigint[], $20::timestamptz[], $11::bigint[], $12::bigint[], $13::bigint[], $14::timestamptz[], $15::text[],
		$16::text[], $17::timestamptz[], $18::text[], $19::timestamptz[])
		AS n (issue_id, last_at, seen, stored, latest_event, first_at, level,
			first_release, first_release_at, last_release, last_release_at)
		LEFT JOIN users u ON u.issue_id = n.issue_id
	WHERE i.id = n.issue_id AND (SELECT proceeds FROM checked)
	RETURNING i.id, i.stored_events, i.users_affected
)
SELECT array_agg(id), array_agg(stored_events), array_agg(users_affected), (SELECT proceeds FROM checked) FROM counted`

// addCounted adds the ids of events that are not stored.
const addCounted = `
INSERT INTO event_ids (project_id, event_id, id, issue_id, received_at, not_stored)
SELECT *, true FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[]) WHERE ` + proceeds

// addEvents adds the events and their ids.
const addEvents = `
WITH ids AS (
	INSERT INTO event_ids (project_id, event_id, id, issue_id, received_at)
	SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[]) WHERE ` + proceeds + `
)
INSERT INTO events (project_id, event_id, id, issue_id, received_at, occurred_at, level, release, environment, dictionary, payload)
SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::timestamptz[],
	$7::text[], $8::text[], $9::text[], $10::bigint[], $11::bytea[]) WHERE ` + proceeds

// countHours adds to the hours of the issues and of the projects, and says when these were heard of. client_seen_at is
// written at most once an hour (primary API, Project).
const countHours = `
WITH of_issues AS (
	INSERT INTO issue_hours (project_id, issue_id, hour, events)
	SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::bigint[]) WHERE ` + proceeds + `
	ON CONFLICT (project_id, issue_id, hour) DO UPDATE SET events = issue_hours.events + excluded.events
), of_projects AS (
	INSERT INTO project_hours (project_id, hour, events)
	SELECT * FROM unnest($5::bigint[], $6::timestamptz[], $7::bigint[]) WHERE ` + proceeds + `
	ON CONFLICT (project_id, hour) DO UPDATE SET events = project_hours.events + excluded.events
)
INSERT INTO project_seen (project_id, last_event_at, server_seen_at, client_seen_at)
SELECT project_id, max(last_at), max(server_at), max(client_at)
FROM unnest($5::bigint[], $8::timestamptz[], $9::timestamptz[], $10::timestamptz[]) AS t (project_id, last_at, server_at, client_at)
WHERE ` + proceeds + `
GROUP BY project_id ORDER BY project_id
ON CONFLICT (project_id) DO UPDATE SET
	last_event_at = greatest(project_seen.last_event_at, excluded.last_event_at),
	server_seen_at = greatest(project_seen.server_seen_at, excluded.server_seen_at),
	client_seen_at = CASE WHEN project_seen.client_seen_at > excluded.client_seen_at - interval '1 hour'
		THEN project_seen.client_seen_at ELSE greatest(project_seen.client_seen_at, excluded.client_seen_at) END`

const (
	environments = `
INSERT INTO issue_environments (project_id, environment, issue_id) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])`
	releases = `
INSERT INTO issue_releases (project_id, release, issue_id) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])`

	AddEnvironments   = environments + unlessThere
	AddReleases       = releases + unlessThere
	countEnvironments = environments + ` WHERE ` + proceeds + unlessThere
	countReleases     = releases + ` WHERE ` + proceeds + unlessThere
	unlessThere       = ` ON CONFLICT DO NOTHING`
)
