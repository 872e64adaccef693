package intake

import "errand/store/activity"

// The statements of a batch where the tables are distributed over nodes by project. A batch has one project there, and each statement
// says so by ($1::bigint[])[1], so that it runs on the node of the project alone. Inserts begin with the row that each project has in
// project_seen: it brings them to that node. They need no setting, because each is answered before the next one is sent
// (sendInSteps), and are not combined into larger ones, because such statements cannot insert in a WITH.

const (
	findEventIDsOfProject = findEventIDs + ` AND i.project_id = ($1::bigint[])[1] WHERE e.project_id = ($1::bigint[])[1]`
	findIssuesOfProject   = findIssuesByFingerprint + ` WHERE f.project_id = ($1::bigint[])[1]`
	lockIssuesOfProject   = selectIssuesToLock + ` WHERE i.project_id = @project_id` + inOrderForUpdate
)

// checkQuotasOfProject returns a row for each day that would exceed its quota.
const checkQuotasOfProject = `
SELECT n.day FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::bigint[]) AS n (project_id, day, quota, events)
WHERE n.quota < n.events + (SELECT coalesce(sum(h.events), 0) FROM project_hours h
	WHERE h.project_id = ($1::bigint[])[1] AND h.hour >= n.day AND h.hour < n.day + interval '24 hours')`

// failOverQuotaOfProject is failOverQuota.
const failOverQuotaOfProject = `
SELECT sqrt(CASE WHEN EXISTS (
	SELECT 1 FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[]) AS n (project_id, day, quota)
	WHERE n.quota < (SELECT sum(h.events) FROM project_hours h
		WHERE h.project_id = ($1::bigint[])[1] AND h.hour >= n.day AND h.hour < n.day + interval '24 hours')) THEN -1 ELSE 0 END)`

// addUsersOfProject returns the issue of each user that is new to it.
const addUsersOfProject = `
INSERT INTO issue_users (project_id, issue_id, user_hash)
SELECT s.project_id, n.issue_id, n.user_hash
FROM project_seen s, unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS n (project_id, issue_id, user_hash)
WHERE s.project_id = ($1::bigint[])[1]
ON CONFLICT DO NOTHING
RETURNING issue_id`

// countIssuesOfProject has the result of addUsersOfProject in $15.
const countIssuesOfProject = `
WITH users AS (
	SELECT issue_id, count(*) AS n FROM unnest($15::bigint[]) AS u (issue_id) GROUP BY issue_id
), ` + addCounts + ` AND i.project_id = ($1::bigint[])[1]` + countsAfter + `
)
SELECT array_agg(id), array_agg(stored_events), array_agg(users_affected), array_agg(id) FILTER (WHERE is_over)
FROM counted`

const addFingerprintsOfProject = `
INSERT INTO issue_fingerprints (project_id, version, fingerprint, issue_id)
SELECT s.project_id, n.version, n.fingerprint, n.issue_id
FROM project_seen s, unnest($1::bigint[], $2::int[], $3::bytea[], $4::bigint[]) AS n (project_id, version, fingerprint, issue_id)
WHERE s.project_id = ($1::bigint[])[1]
ON CONFLICT DO NOTHING`

// makeIssuesOfProject takes the arguments of makeIssues except the last one.
const makeIssuesOfProject = `
WITH ` + newIssues + `)
INSERT INTO issues (project_id, ` + newIssueColumns + `)
SELECT s.project_id, ` + newIssueValues + `
FROM project_seen s, new WHERE s.project_id = ($1::bigint[])[1]`

const addFeaturesOfProject = `
INSERT INTO issue_features (project_id, issue_id, features)
SELECT s.project_id, n.issue_id, n.features::integer[]
FROM project_seen s, unnest($1::bigint[], $2::bigint[], $3::text[]) AS n (project_id, issue_id, features)
WHERE s.project_id = ($1::bigint[])[1] AND n.features <> ''`

// tellNewIssuesOfProject makes the deliveries for the new issues of the batch.
const tellNewIssuesOfProject = `
WITH changed AS (
	SELECT id, project_id, issue_id, 'issue.new' AS event, $4::timestamptz AS at, client_at, $6::timestamptz AS client_since
	FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $5::timestamptz[]) AS n (project_id, id, issue_id, client_at)
)` + activity.InsertDeliveriesOfProject + ` AND s.project_id = ($1::bigint[])[1]`

const addEventIDsOfProject = `
INSERT INTO event_ids (project_id, event_id, id, issue_id, received_at, not_stored)
SELECT s.project_id, n.event_id, n.id, n.issue_id, n.received_at, nullif($6::boolean, false)
FROM project_seen s, unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[])
	AS n (project_id, event_id, id, issue_id, received_at)
WHERE s.project_id = ($1::bigint[])[1]`

const addEventsOfProject = `
INSERT INTO events (project_id, event_id, id, issue_id, received_at, occurred_at, level, release, environment, dictionary, payload,
	user_hash)
SELECT s.project_id, n.event_id, n.id, n.issue_id, n.received_at, n.occurred_at, n.level, n.release, n.environment, n.dictionary,
	n.payload, n.user_hash
FROM project_seen s, unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::timestamptz[],
	$7::text[], $8::text[], $9::text[], $10::bigint[], $11::bytea[], $12::bytea[])
	AS n (project_id, event_id, id, issue_id, received_at, occurred_at, level, release, environment, dictionary, payload, user_hash)
WHERE s.project_id = ($1::bigint[])[1]`

// AddEnvironments and AddReleases add names to issues of one project, also to an issue that a split makes.
const (
	AddEnvironments = `
INSERT INTO issue_environments (project_id, environment, issue_id)
SELECT s.project_id, n.name, n.issue_id
FROM project_seen s, unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (project_id, name, issue_id)
WHERE s.project_id = ($1::bigint[])[1]
ON CONFLICT DO NOTHING`
	AddReleases = `
INSERT INTO issue_releases (project_id, release, issue_id)
SELECT s.project_id, n.name, n.issue_id
FROM project_seen s, unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (project_id, name, issue_id)
WHERE s.project_id = ($1::bigint[])[1]
ON CONFLICT DO NOTHING`
)

// addHoursOfProject returns the new counts, which decide which issues spike.
const addHoursOfProject = `
INSERT INTO issue_hours (project_id, issue_id, hour, events, fives)
SELECT s.project_id, n.issue_id, n.hour, n.events, n.fives
FROM project_seen s, unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::bigint[], $5::int[])
	AS n (project_id, issue_id, hour, events, fives)
WHERE s.project_id = ($1::bigint[])[1]
` + addToHour + `
RETURNING issue_id, hour, events`

const addProjectHours = `
INSERT INTO project_hours (project_id, hour, events)
SELECT s.project_id, n.hour, n.events
FROM project_seen s, unnest($1::bigint[], $2::timestamptz[], $3::bigint[]) AS n (project_id, hour, events)
WHERE s.project_id = ($1::bigint[])[1]
ON CONFLICT (project_id, hour) DO UPDATE SET events = project_hours.events + excluded.events`

// seeProject is seeProjects. An hour before the time of the client is an argument, because an interval may not be taken off here.
const seeProject = `
UPDATE project_seen SET
	last_event_at = greatest(last_event_at, $2::timestamptz),
	server_seen_at = greatest(server_seen_at, $3::timestamptz),
	client_seen_at = CASE WHEN client_seen_at > $5::timestamptz THEN client_seen_at ELSE greatest(client_seen_at, $4::timestamptz) END
WHERE project_id = $1`

const countNewIssuesOfProject = `
UPDATE project_hours h SET new_issues = h.new_issues + n.made
FROM unnest($1::bigint[], $2::timestamptz[], $3::int[]) AS n (project_id, hour, made)
WHERE h.project_id = ($1::bigint[])[1] AND h.hour = n.hour
RETURNING ln(CASE WHEN h.new_issues > $4::bigint THEN 0 ELSE 1 END)`

// insertSpikesOfProject is insertSpikes, with the counts that addHoursOfProject returned.
const insertSpikesOfProject = `
INSERT INTO spikes (project_id, issue_id, webhook_id, hour)
SELECT s.project_id, h.issue_id, w.id, h.hour
FROM project_seen s
CROSS JOIN unnest($2::bigint[], $3::timestamptz[], $4::bigint[]) AS h (issue_id, hour, events)
JOIN webhooks w ON coalesce(w.project_id, $1) = $1 AND h.events > w.spike_threshold
JOIN projects p ON p.id = $1
CROSS JOIN LATERAL (SELECT greatest(s.client_seen_at, $6::timestamptz) AS client_seen, $7::timestamptz AS client_since) t
WHERE s.project_id = $1
	AND h.hour = date_trunc('hour', $5::timestamptz, 'UTC')
	AND w.deleted_at IS NULL
	AND p.deleted_at IS NULL
	AND (NOT p.demo OR w.project_id IS NOT NULL)
	AND (w.min_trust = 'low' OR ` + activity.IsTrusted + `)
	AND NOT EXISTS (
		SELECT 1 FROM spikes k
		WHERE k.project_id = $1 AND k.issue_id = h.issue_id AND k.webhook_id = w.id AND k.hour = h.hour)
LIMIT $8
ON CONFLICT DO NOTHING
RETURNING issue_id, webhook_id`

const tellSpikesOfProject = `
INSERT INTO deliveries (project_id, id, webhook_id, issue_id, created_at, due_at, next_attempt_at, event)
SELECT s.project_id, $2::bigint - 1 + row_number() OVER (ORDER BY n.issue_id, n.webhook_id), n.webhook_id, n.issue_id, $5::timestamptz,
	$5, $5, 'issue.spike'
FROM project_seen s CROSS JOIN unnest($3::bigint[], $4::bigint[]) AS n (issue_id, webhook_id)
WHERE s.project_id = $1`
