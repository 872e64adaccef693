package intake

import "errand/store/activity"

// The statements of a batch where the tables are distributed over nodes by project. The projects of a batch are in one shard there, and
// each statement says so by = ANY ($1::bigint[]), so that it runs on the node of that shard alone. Inserts begin with the row that each
// project has in project_seen: it brings them to that node. They need no setting, because each is answered before the next one is
// sent (sendInSteps), and are not combined into larger ones, because such statements cannot insert in a WITH. An insert that read
// a reference table would go to all nodes, so webhooks are read before.

const (
	findEventIDsInShard = findEventIDs + ` AND i.project_id = ANY ($1::bigint[]) WHERE e.project_id = ANY ($1::bigint[])`
	findIssuesInShard   = findIssuesByFingerprint + ` WHERE f.project_id = ANY ($1::bigint[])`
	lockIssuesInShard   = selectIssuesToLock + ` WHERE i.project_id = ANY (@projects::bigint[])` + inOrderForUpdate
)

// checkQuotasInShard returns a row for each day that would exceed its quota.
const checkQuotasInShard = `
SELECT n.day FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::bigint[]) AS n (project_id, day, quota, events)
WHERE n.quota < n.events + (SELECT coalesce(sum(h.events), 0) FROM project_hours h
	WHERE h.project_id = ANY ($1::bigint[]) AND h.project_id = n.project_id AND h.hour >= n.day AND h.hour < n.day + interval '24 hours')`

// failOverQuotaInShard is failOverQuota.
const failOverQuotaInShard = `
SELECT sqrt(CASE WHEN EXISTS (
	SELECT 1 FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[]) AS n (project_id, day, quota)
	WHERE n.quota < (SELECT sum(h.events) FROM project_hours h
		WHERE h.project_id = ANY ($1::bigint[]) AND h.project_id = n.project_id AND h.hour >= n.day AND h.hour < n.day + interval '24 hours'))
	THEN -1 ELSE 0 END)`

// addUsersInShard returns the issue of each user that is new to it.
const addUsersInShard = `
INSERT INTO issue_users (project_id, issue_id, user_hash)
SELECT s.project_id, n.issue_id, n.user_hash
FROM project_seen s JOIN unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS n (project_id, issue_id, user_hash)
	ON n.project_id = s.project_id
WHERE s.project_id = ANY ($1::bigint[])
ON CONFLICT DO NOTHING
RETURNING issue_id`

// countIssuesInShard has the result of addUsersInShard in $15.
const countIssuesInShard = `
WITH users AS (
	SELECT issue_id, count(*) AS n FROM unnest($15::bigint[]) AS u (issue_id) GROUP BY issue_id
), ` + addCounts + ` AND i.project_id = ANY ($1::bigint[])` + countsAfter + `
)
SELECT array_agg(id), array_agg(stored_events), array_agg(users_affected), array_agg(id) FILTER (WHERE is_over)
FROM counted`

const addFingerprintsInShard = `
INSERT INTO issue_fingerprints (project_id, version, fingerprint, issue_id)
SELECT s.project_id, n.version, n.fingerprint, n.issue_id
FROM project_seen s JOIN unnest($1::bigint[], $2::int[], $3::bytea[], $4::bigint[]) AS n (project_id, version, fingerprint, issue_id)
	ON n.project_id = s.project_id
WHERE s.project_id = ANY ($1::bigint[])
ON CONFLICT DO NOTHING`

// makeIssuesInShard takes the arguments of makeIssues except the last one.
const makeIssuesInShard = `
WITH ` + newIssues + `)
INSERT INTO issues (project_id, ` + newIssueColumns + `)
SELECT s.project_id, ` + newIssueValues + `
FROM project_seen s JOIN new ON new.project_id = s.project_id WHERE s.project_id = ANY ($1::bigint[])`

const addFeaturesInShard = `
INSERT INTO issue_features (project_id, issue_id, features)
SELECT s.project_id, n.issue_id, n.features::integer[]
FROM project_seen s JOIN unnest($1::bigint[], $2::bigint[], $3::text[]) AS n (project_id, issue_id, features) ON n.project_id = s.project_id
WHERE s.project_id = ANY ($1::bigint[]) AND n.features <> ''`

// hearOfNewIssues finds the deliveries for the new issues of the batch.
const hearOfNewIssues = `
WITH changed AS (
	SELECT id, project_id, issue_id, 'issue.new' AS event, $4::timestamptz AS at, client_at, $6::timestamptz AS client_since
	FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $5::timestamptz[]) AS n (project_id, id, issue_id, client_at)
)` + activity.FindDeliveries + ` AND s.project_id = ANY ($1::bigint[])`

const addEventIDsInShard = `
INSERT INTO event_ids (project_id, event_id, id, issue_id, received_at, not_stored)
SELECT s.project_id, n.event_id, n.id, n.issue_id, n.received_at, nullif($6::boolean, false)
FROM project_seen s JOIN unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[])
	AS n (project_id, event_id, id, issue_id, received_at) ON n.project_id = s.project_id
WHERE s.project_id = ANY ($1::bigint[])`

const addEventsInShard = `
INSERT INTO events (project_id, event_id, id, issue_id, received_at, occurred_at, level, release, environment, dictionary, payload,
	user_hash)
SELECT s.project_id, n.event_id, n.id, n.issue_id, n.received_at, n.occurred_at, n.level, n.release, n.environment, n.dictionary,
	n.payload, n.user_hash
FROM project_seen s JOIN unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::timestamptz[],
	$7::text[], $8::text[], $9::text[], $10::bigint[], $11::bytea[], $12::bytea[])
	AS n (project_id, event_id, id, issue_id, received_at, occurred_at, level, release, environment, dictionary, payload, user_hash)
	ON n.project_id = s.project_id
WHERE s.project_id = ANY ($1::bigint[])`

// AddEnvironments and AddReleases add names to issues of projects in one shard, also to an issue that a split makes.
const (
	AddEnvironments = `
INSERT INTO issue_environments (project_id, environment, issue_id)
SELECT s.project_id, n.name, n.issue_id
FROM project_seen s JOIN unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (project_id, name, issue_id) ON n.project_id = s.project_id
WHERE s.project_id = ANY ($1::bigint[])
ON CONFLICT DO NOTHING`
	AddReleases = `
INSERT INTO issue_releases (project_id, release, issue_id)
SELECT s.project_id, n.name, n.issue_id
FROM project_seen s JOIN unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (project_id, name, issue_id) ON n.project_id = s.project_id
WHERE s.project_id = ANY ($1::bigint[])
ON CONFLICT DO NOTHING`
)

// addHoursInShard returns the new counts, which decide which issues spike.
const addHoursInShard = `
INSERT INTO issue_hours (project_id, issue_id, hour, events, fives)
SELECT s.project_id, n.issue_id, n.hour, n.events, n.fives
FROM project_seen s JOIN unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::bigint[], $5::int[])
	AS n (project_id, issue_id, hour, events, fives) ON n.project_id = s.project_id
WHERE s.project_id = ANY ($1::bigint[])
` + addToHour + `
RETURNING project_id, issue_id, hour, events`

const addProjectHours = `
INSERT INTO project_hours (project_id, hour, events)
SELECT s.project_id, n.hour, n.events
FROM project_seen s JOIN unnest($1::bigint[], $2::timestamptz[], $3::bigint[]) AS n (project_id, hour, events)
	ON n.project_id = s.project_id
WHERE s.project_id = ANY ($1::bigint[])
ON CONFLICT (project_id, hour) DO UPDATE SET events = project_hours.events + excluded.events`

// seeProjectsInShard is seeProjects. An hour before the time of the client is an argument, because an interval may not be taken off here.
const seeProjectsInShard = `
UPDATE project_seen s SET
	last_event_at = greatest(s.last_event_at, n.last_at),
	server_seen_at = greatest(s.server_seen_at, n.server_at),
	client_seen_at = CASE WHEN s.client_seen_at > n.hour_before THEN s.client_seen_at ELSE greatest(s.client_seen_at, n.client_at) END
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[])
	AS n (project_id, last_at, server_at, client_at, hour_before)
WHERE s.project_id = n.project_id AND s.project_id = ANY ($1::bigint[])`

const countNewIssuesInShard = `
UPDATE project_hours h SET new_issues = h.new_issues + n.made
FROM unnest($1::bigint[], $2::timestamptz[], $3::int[]) AS n (project_id, hour, made)
WHERE h.project_id = n.project_id AND h.project_id = ANY ($1::bigint[]) AND h.hour = n.hour
RETURNING ln(CASE WHEN h.new_issues > $4::bigint THEN 0 ELSE 1 END)`

// These are insertSpikes with the counts that addHoursInShard returned.
const (
	findSpikes = `
SELECT s.project_id, h.issue_id, w.id, h.hour
FROM project_seen s
JOIN unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::bigint[], $5::timestamptz[])
	AS h (project_id, issue_id, hour, events, client_at) ON h.project_id = s.project_id
JOIN webhooks w ON coalesce(w.project_id, s.project_id) = s.project_id AND h.events > w.spike_threshold
JOIN projects p ON p.id = s.project_id
CROSS JOIN LATERAL (SELECT greatest(s.client_seen_at, h.client_at) AS client_seen, $7::timestamptz AS client_since) t
WHERE s.project_id = ANY ($1::bigint[])
	AND h.hour = date_trunc('hour', $6::timestamptz, 'UTC')
	AND w.deleted_at IS NULL
	AND p.deleted_at IS NULL
	AND (NOT p.demo OR w.project_id IS NOT NULL)
	AND (w.min_trust = 'low' OR ` + activity.IsTrusted + `)
	AND NOT EXISTS (
		SELECT 1 FROM spikes k
		WHERE k.project_id = ANY ($1::bigint[]) AND k.project_id = h.project_id AND k.issue_id = h.issue_id AND k.webhook_id = w.id
			AND k.hour = h.hour)
LIMIT $8`
	addSpikes = `
INSERT INTO spikes (project_id, issue_id, webhook_id, hour)
SELECT s.project_id, n.issue_id, n.webhook_id, n.hour
FROM project_seen s JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::timestamptz[]) AS n (project_id, issue_id, webhook_id, hour)
	ON n.project_id = s.project_id
WHERE s.project_id = ANY ($1::bigint[])
ON CONFLICT DO NOTHING
RETURNING project_id, issue_id, webhook_id, hour`
)
