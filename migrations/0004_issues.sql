-- +goose Up

-- An event that changes nothing indexed costs no index entry (a heap-only update), and on a page with free room nothing
-- else. So the columns that the lists are sorted by change rarely: listed_from is last_seen rounded down to five minutes,
-- and quiet_weight, the class of weight by which the order of priority finds issues without an event in the last day, is
-- set only after a background job has marked an issue as quiet. Both are derived, so they cannot be wrong.
CREATE TABLE issues (
	project_id            bigint NOT NULL,
	id                    bigint NOT NULL,
	listed_from           timestamptz NOT NULL GENERATED ALWAYS AS (date_bin('5 minutes', last_seen, '2000-01-01 00:00:00+00')) STORED,
	last_seen             timestamptz NOT NULL,
	first_seen            timestamptz NOT NULL,
	status_at             timestamptz NOT NULL, -- when status last changed
	times_seen            bigint NOT NULL,
	stored_events         bigint NOT NULL,
	users_affected        bigint NOT NULL,
	claim_token_id        bigint NOT NULL DEFAULT 0, -- 0: the ADMIN_TOKEN
	fingerprint_version   integer NOT NULL,
	quiet                 boolean NOT NULL DEFAULT false, -- marked by a background job, until the next event
	test                  boolean NOT NULL DEFAULT false,
	has_grams             boolean NOT NULL DEFAULT false, -- it has a row in issue_grams, which a background job adds
	-- A split has moved stored events out of the issue, or out of one that was merged into it. Its rows in
	-- issue_environments and issue_releases may then come from the moved events alone, as where an issue has counted more
	-- events than it has stored.
	was_split             boolean NOT NULL DEFAULT false,
	status                text NOT NULL,
	-- Weights are in classes: one for each weight up to 16, then four for each doubling.
	quiet_weight          integer GENERATED ALWAYS AS (CASE WHEN quiet THEN width_bucket((1 + users_affected) * CASE status WHEN 'regressed' THEN 2 ELSE 1 END,
		'{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,20,24,28,32,40,48,56,64,80,96,112,128,160,192,224,256,320,384,448,512,640,768,896,1024,1280,1536,1792}'::bigint[]) END) STORED,
	-- When an event arrived that lies before all others of its issue, or a merge or split changed first_seen: the issue may
	-- no longer be new, and then falls in the order of priority. Nothing else that an event does makes it fall.
	first_seen_lowered_at timestamptz,
	-- When the events of first_release and last_release happened. They are not always the first and last events, since an
	-- event without a release changes neither. NULL without a release.
	first_release_at      timestamptz,
	last_release_at       timestamptz,
	latest_event_id       bigint, -- NULL: no event is stored
	merged_into           bigint,
	claim_expires_at      timestamptz,
	handled               boolean, -- what triage says about the first event, as in crash_site
	first_release         text NOT NULL,
	last_release          text NOT NULL,
	level                 text NOT NULL,
	platform              text NOT NULL,
	crash_site            text NOT NULL DEFAULT '', -- empty: nobody has looked at its events yet, as after a split; a background job will
	claim_type            text NOT NULL DEFAULT '', -- type of the actor that holds the claim
	claim_holder          text NOT NULL DEFAULT '',
	type                  text NOT NULL,
	fingerprint           bytea NOT NULL,
	title                 text NOT NULL,
	culprit               text NOT NULL,
	PRIMARY KEY (project_id, id)
) WITH (fillfactor = 80);
-- The one look-up without a project: it resolves an id to its project, once, and the answer is kept.
CREATE INDEX issues_id ON issues (id);
CREATE INDEX issues_listed ON issues (project_id, listed_from);
CREATE INDEX issues_listed_everywhere ON issues (listed_from);
CREATE INDEX issues_active ON issues (project_id, id) WHERE NOT quiet;
CREATE INDEX issues_quiet ON issues (project_id, quiet_weight, listed_from) WHERE quiet;
CREATE INDEX issues_quiet_everywhere ON issues (quiet_weight, listed_from) WHERE quiet;
CREATE INDEX issues_merged_into ON issues (project_id, merged_into) WHERE merged_into IS NOT NULL;
-- The few issues that are claimed, or of a test, for their lists.
CREATE INDEX issues_claimed ON issues (project_id, claim_expires_at) WHERE claim_expires_at IS NOT NULL;
CREATE INDEX issues_test ON issues (project_id, listed_from) WHERE test;
-- Work left for background jobs.
CREATE INDEX issues_unread ON issues (project_id, id) WHERE crash_site = '';
CREATE INDEX issues_without_grams ON issues (project_id, id) WHERE NOT has_grams;

-- Which issue the events of a fingerprint go to. A merge points the source's fingerprints at the target.
CREATE TABLE issue_fingerprints (
	project_id  bigint NOT NULL,
	version     integer NOT NULL,
	fingerprint bytea NOT NULL,
	issue_id    bigint NOT NULL,
	PRIMARY KEY (project_id, version, fingerprint)
);
-- A merge finds the rows that it moves by the issue, here and below.
CREATE INDEX issue_fingerprints_issue ON issue_fingerprints (project_id, issue_id);

CREATE TABLE issue_hours (
	project_id bigint NOT NULL,
	issue_id   bigint NOT NULL,
	hour       timestamptz NOT NULL,
	events     bigint NOT NULL,
	PRIMARY KEY (project_id, issue_id, hour)
);

CREATE TABLE issue_users (
	project_id bigint NOT NULL,
	issue_id   bigint NOT NULL,
	user_hash  bytea NOT NULL,
	PRIMARY KEY (project_id, issue_id, user_hash)
);

-- The environments and releases of an issue's stored events, for the filters of the issue list.
CREATE TABLE issue_environments (
	project_id  bigint NOT NULL,
	environment text NOT NULL,
	issue_id    bigint NOT NULL,
	PRIMARY KEY (project_id, environment, issue_id)
);
CREATE INDEX issue_environments_issue ON issue_environments (project_id, issue_id);

CREATE TABLE issue_releases (
	project_id bigint NOT NULL,
	release    text NOT NULL,
	issue_id   bigint NOT NULL,
	PRIMARY KEY (project_id, release, issue_id)
);
CREATE INDEX issue_releases_issue ON issue_releases (project_id, issue_id);
