package intake

import "errand/store/activity"

// The statements of a batch are one round trip and one transaction. They lock its issues and check that it can be counted
// as it is. The result is in the transaction's setting errand.proceeds; when it is false, the other statements do nothing.
// A failing statement would have the same effect, but leave an error in the log of Postgres for an everyday event. Outside
// the transaction the setting is unknown or empty.
//
// They take arrays by position, and their results are read by position: names would cost more than running the statements.

// checkIssues runs first in a batch that makes issues, which are only made if the batch can proceed. It locks the batch's
// issues and finds out whether each can be counted on. undecided_at is the time of the newest event, or long ago if the
// long way has already decided what the batch does to its issues. harmless_fix is set when all the issue's events are
// harmless to that fix, unless there was a deploy since.
const checkIssues = `
WITH locked AS MATERIALIZED (
	SELECT i.project_id, i.status, i.fix_id, i.reopens_after, n.project_id AS wanted, n.undecided_at, n.harmless_fix, n.deploys
	FROM issues i
	JOIN unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::bigint[], $5::bigint[])
		AS n (project_id, id, undecided_at, harmless_fix, deploys) ON i.id = n.id
	ORDER BY i.project_id, i.id
	FOR UPDATE OF i
)
SELECT set_config('errand.proceeds', (
	current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
	AND cardinality($2::bigint[]) = ( -- none is missing
		SELECT count(*) FROM locked
		WHERE project_id = wanted
			AND status <> 'merged' -- its events go elsewhere
			-- an event after reopens_after may reopen it; earlier ones, and those harmless to the fix, only count
			AND (undecided_at > reopens_after IS NOT TRUE OR harmless_fix = fix_id AND status IN ('fix_pending', 'verified')
				AND deploys = (SELECT o.deploys FROM deploy_order o WHERE o.project_id = wanted))
	))::text, true)`

// countIssues locks the issues, and adds to them and their users if the batch can proceed and none of its events is stored
// or counted already. Webhooks may want spikes only if the batch says so: then it has countSpikes. Its snapshot misses rows that
// another server adds while it waits for the locks: the same event at the same moment fails by its key in event_ids, or by failCounted.
//
// Issues are found by their id alone, which is unique: by project and id, the planner may choose the index of the list for
// a table without statistics, and read all issues of the project for each one. They are updated once, and usually no
// indexed column changes (see the table issues).
const countIssues = `
WITH locked AS MATERIALIZED ( -- as in checkIssues
	SELECT i.project_id, i.status, i.fix_id, i.reopens_after, n.project_id AS wanted, n.undecided_at, n.harmless_fix, n.deploys
	FROM issues i
	JOIN unnest($1::bigint[], $2::bigint[], $15::timestamptz[], $21::bigint[], $22::bigint[])
		AS n (project_id, id, undecided_at, harmless_fix, deploys) ON i.id = n.id
	ORDER BY i.project_id, i.id
	FOR UPDATE OF i
), checked AS MATERIALIZED (
	SELECT set_config('errand.proceeds', (
		current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
		AND (SELECT count(*) FROM locked
			WHERE project_id = wanted
				AND status <> 'merged'
				AND (undecided_at > reopens_after IS NOT TRUE OR harmless_fix = fix_id AND status IN ('fix_pending', 'verified')
					AND deploys = (SELECT o.deploys FROM deploy_order o WHERE o.project_id = wanted))
		) = cardinality($2::bigint[])
		AND ($23::boolean OR NOT ` + spikesWanted + `)
		AND NOT EXISTS (
			SELECT 1 FROM unnest($16::bigint[], $17::uuid[]) AS n (project_id, event_id)
			JOIN event_ids e ON e.project_id = n.project_id AND e.event_id = n.event_id)
	)::text, true) = 'true' AS proceeds
), added AS (
	INSERT INTO issue_users (project_id, issue_id, user_hash)
	SELECT * FROM unnest($18::bigint[], $19::bigint[], $20::bytea[])
	WHERE (SELECT proceeds FROM checked)
	ON CONFLICT DO NOTHING
	RETURNING issue_id
), users AS (
	SELECT issue_id, count(*) AS n FROM added GROUP BY issue_id
), counted AS (
	UPDATE issues i SET
		times_seen = i.times_seen + n.seen,
		stored_events = i.stored_events + n.stored,
		notices_class = CASE WHEN ` + mayKeepClass + ` THEN i.notices_class
			ELSE width_bucket(i.stored_events + n.stored, ` + NoticeBounds + `) END,
		users_affected = least($13::bigint, i.users_affected + coalesce(u.n, 0)),
		first_release = CASE WHEN n.first_release_at < coalesce(i.first_release_at, 'infinity') THEN n.first_release ELSE i.first_release END,
		first_release_at = least(n.first_release_at, i.first_release_at),
		first_seen = least(i.first_seen, n.first_at),
		first_seen_lowered_at = CASE WHEN n.first_at < i.first_seen THEN $14 ELSE i.first_seen_lowered_at END,
		last_release = CASE WHEN n.last_release_at >= coalesce(i.last_release_at, '-infinity') THEN n.last_release ELSE i.last_release END,
		last_release_at = greatest(n.last_release_at, i.last_release_at),
		level = CASE WHEN n.last_at >= i.last_seen THEN n.level ELSE i.level END,
		last_seen = greatest(i.last_seen, n.last_at),
		quiet = false,
		latest_event_id = coalesce(nullif(n.latest_event, 0), i.latest_event_id)
	FROM unnest($2::bigint[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::bigint[], $7::timestamptz[], $8::text[],
		$9::text[], $10::timestamptz[], $11::text[], $12::timestamptz[])
		AS n (issue_id, last_at, seen, stored, latest_event, first_at, level,
			first_release, first_release_at, last_release, last_release_at)
	LEFT JOIN users u ON u.issue_id = n.issue_id
	WHERE i.id = n.issue_id AND (SELECT proceeds FROM checked)
	RETURNING i.id, i.stored_events, i.users_affected,
		i.ignored_at = i.status_at AND i.status = 'ignored' -- as IsTermOver
			AND (i.ignored_until <= $14 OR i.times_seen >= i.ignored_to_events OR i.users_affected >= i.ignored_to_users) AS is_over
)
SELECT array_agg(id), array_agg(stored_events), array_agg(users_affected), array_agg(id) FILTER (WHERE is_over),
	(SELECT proceeds FROM checked)
FROM counted`

// addFingerprints waits for other servers that make the same issues. If they have made them, the batch cannot proceed.
const addFingerprints = `
WITH added AS (
	INSERT INTO issue_fingerprints (project_id, version, fingerprint, issue_id)
	SELECT * FROM unnest($1::bigint[], $2::int[], $3::bytea[], $4::bigint[])
	WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
	ON CONFLICT DO NOTHING
	RETURNING 1
)
SELECT set_config('errand.proceeds', (count(*) = cardinality($4::bigint[]))::text, true) FROM added`

// makeIssues makes the issues and their features, or removes their fingerprints if the batch cannot proceed. Arrays of
// different lengths are sent as texts. An event that was not looked at has no features, and its issue is read later.
const makeIssues = `
WITH new AS (
	SELECT * FROM unnest($1::bigint[], $2::int[], $3::bytea[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
		$10::bool[], $11::text[], $12::boolean[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[],
		$18::timestamptz[], $19::timestamptz[], $20::text[], $21::timestamptz[], $22::text[], $23::timestamptz[], $24::text[],
		$25::bigint[], $26::timestamptz[], $27::boolean[])
		AS n (project_id, version, fingerprint, id, title, culprit, type, level, platform, test, site, handled, seen, stored, users, latest,
			first_seen, last_seen, first_release, first_release_at, last_release, last_release_at, features, change_id, client_at,
			noise)
), taken_back AS (
	DELETE FROM issue_fingerprints f USING new n
	WHERE NOT current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
		AND f.project_id = n.project_id AND f.version = n.version AND f.fingerprint = n.fingerprint AND f.issue_id = n.id
), compared AS (
	INSERT INTO issue_features (project_id, issue_id, features)
	SELECT project_id, id, features::integer[] FROM new
	WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
		AND features <> ''
), changed AS (
	SELECT change_id AS id, project_id, id AS issue_id, 'issue.new' AS event, $13::timestamptz AS at, client_at,
		$28::timestamptz AS client_since
	FROM new
	WHERE NOT test -- the test issue of a setup is not an error; a ping tests a webhook
		AND current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
), told AS (` + activity.InsertDeliveries + `
	RETURNING 1
)
INSERT INTO issues (project_id, fingerprint_version, fingerprint, id, title, culprit, type, level, platform, test, crash_site, handled,
	noise, times_seen, stored_events, notices_class, users_affected, latest_event_id, first_seen, last_seen,
	first_release, first_release_at, last_release, last_release_at, status, status_at)
SELECT project_id, version, fingerprint, id, title, culprit, type, level, platform, test, site, handled,
	noise, seen, stored, width_bucket(stored, ` + NoticeBounds + `), users, nullif(latest, 0), first_seen, last_seen,
	first_release, first_release_at, last_release, last_release_at, 'unresolved', $13::timestamptz
FROM new WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
RETURNING (SELECT count(*) FROM told)`

// addEvents adds the events and their ids.
const addEvents = `
WITH ids AS (
	INSERT INTO event_ids (project_id, event_id, id, issue_id, received_at)
	SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[])
	WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
)
INSERT INTO events (project_id, event_id, id, issue_id, received_at, occurred_at, level, release, environment, dictionary, payload,
	user_hash)
SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::timestamptz[],
	$7::text[], $8::text[], $9::text[], $10::bigint[], $11::bytea[], $12::bytea[])
WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'`

// These add the environments and releases of a batch's events to their issues, if the batch proceeds.
const (
	countEnvironments = `
INSERT INTO issue_environments (project_id, environment, issue_id)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])
WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
ON CONFLICT DO NOTHING`
	countReleases = `
INSERT INTO issue_releases (project_id, release, issue_id)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])
WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
ON CONFLICT DO NOTHING`
)
