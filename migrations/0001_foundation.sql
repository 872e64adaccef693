-- +goose Up

-- Rules that let this schema run on a distributed Postgres: project_id comes first in every key of project data; no
-- sequences, triggers or foreign keys across shards; install-wide tables are small enough to be copied everywhere.

-- Ids come in blocks, one UPDATE per block and server, so that no sequence is shared.
CREATE TABLE id_blocks (
	name    text PRIMARY KEY,
	next_id bigint NOT NULL
);

-- Install-wide.

CREATE TABLE projects (
	id              bigint PRIMARY KEY, -- the public id
	name            text NOT NULL,
	slug            text NOT NULL,
	platform        text NOT NULL DEFAULT '',
	repository      text NOT NULL DEFAULT '',
	trust_setting   text,
	daily_quota     bigint,
	scrub_keys      text[] NOT NULL DEFAULT '{}',
	scrub_patterns  text[] NOT NULL DEFAULT '{}',
	allowed_origins text[],
	demo            boolean NOT NULL DEFAULT false,
	created_at      timestamptz NOT NULL,
	updated_at      timestamptz NOT NULL,
	deleted_at      timestamptz
);
CREATE UNIQUE INDEX projects_slug ON projects (slug) WHERE deleted_at IS NULL;

CREATE TABLE project_keys (
	public_key text PRIMARY KEY,
	project_id bigint NOT NULL REFERENCES projects (id),
	created_at timestamptz NOT NULL,
	revoked_at timestamptz
);
CREATE INDEX project_keys_project ON project_keys (project_id);

CREATE TABLE tokens (
	id           bigint PRIMARY KEY,
	name         text NOT NULL,
	hash         bytea NOT NULL UNIQUE, -- SHA-256 of the token
	prefix       text NOT NULL,
	scopes       text[] NOT NULL,
	project_id   bigint REFERENCES projects (id), -- NULL: all apps
	created_at   timestamptz NOT NULL,
	created_by   text NOT NULL,
	last_used_at timestamptz,
	revoked_at   timestamptz
);

-- Secrets that all servers of the installation share, such as the key of the users' hashes.
CREATE TABLE install_secrets (
	name  text PRIMARY KEY,
	value bytea NOT NULL
);

-- Project data.

-- When a project was last heard of, apart from its settings: ingest writes here all the time.
CREATE TABLE project_seen (
	project_id     bigint PRIMARY KEY,
	last_event_at  timestamptz,
	server_seen_at timestamptz,
	client_seen_at timestamptz
);

CREATE TABLE project_hours (
	project_id bigint NOT NULL,
	hour       timestamptz NOT NULL, -- its start, UTC
	events     bigint NOT NULL,
	PRIMARY KEY (project_id, hour)
);

CREATE TABLE issues (
	project_id          bigint NOT NULL,
	id                  bigint NOT NULL,
	fingerprint         bytea NOT NULL,
	fingerprint_version integer NOT NULL,
	title               text NOT NULL,
	culprit             text NOT NULL,
	type                text NOT NULL,
	level               text NOT NULL,
	platform            text NOT NULL,
	status              text NOT NULL,
	status_at           timestamptz NOT NULL, -- of the last change of status
	merged_into         bigint,
	test                boolean NOT NULL DEFAULT false,
	times_seen          bigint NOT NULL,
	stored_events       bigint NOT NULL,
	users_affected      bigint NOT NULL,
	first_seen          timestamptz NOT NULL,
	last_seen           timestamptz NOT NULL,
	first_release       text NOT NULL,
	last_release        text NOT NULL,
	latest_event_id     bigint, -- NULL: no event is stored
	claim_type          text NOT NULL DEFAULT '', -- type of the actor that holds the claim
	claim_token_id      bigint NOT NULL DEFAULT 0, -- 0: the ADMIN_TOKEN
	claim_holder        text NOT NULL DEFAULT '',
	claim_expires_at    timestamptz,
	PRIMARY KEY (project_id, id)
);
-- The one look-up that has no project: it resolves an id to its project, once, and the answer is kept.
CREATE INDEX issues_id ON issues (id);
CREATE INDEX issues_last_seen ON issues (project_id, last_seen DESC, id DESC);
CREATE INDEX issues_last_seen_everywhere ON issues (last_seen DESC, id DESC);

-- Which issue a fingerprint's events go to; a merge points the source's fingerprints at the target.
CREATE TABLE issue_fingerprints (
	project_id  bigint NOT NULL,
	version     integer NOT NULL,
	fingerprint bytea NOT NULL,
	issue_id    bigint NOT NULL,
	PRIMARY KEY (project_id, version, fingerprint)
);

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
CREATE TABLE issue_releases (
	project_id bigint NOT NULL,
	release    text NOT NULL,
	issue_id   bigint NOT NULL,
	PRIMARY KEY (project_id, release, issue_id)
);

-- One partition a day, made ahead; retention drops whole partitions.
CREATE TABLE events (
	project_id  bigint NOT NULL,
	issue_id    bigint NOT NULL,
	id          bigint NOT NULL,
	received_at timestamptz NOT NULL,
	occurred_at timestamptz NOT NULL,
	event_id    uuid NOT NULL,
	level       text NOT NULL,
	release     text NOT NULL,
	environment text NOT NULL,
	dictionary  bigint NOT NULL, -- with which payload is compressed; 0: none
	payload     bytea NOT NULL   -- the normalised event, zstd
) PARTITION BY RANGE (received_at);
CREATE INDEX events_issue ON events (project_id, issue_id, received_at DESC, id DESC);
CREATE INDEX events_id ON events (id); -- as issues_id

-- What the events of a project have in common, for compressing them. Never deleted while an event needs it.
CREATE TABLE dictionaries (
	project_id bigint NOT NULL,
	id         bigint NOT NULL,
	created_at timestamptz NOT NULL,
	content    bytea NOT NULL,
	PRIMARY KEY (project_id, id)
);

-- The event ids that are stored, so that an event sent again is known. Apart from events because a partitioned table
-- cannot be unique without its day.
CREATE TABLE event_ids (
	project_id  bigint NOT NULL,
	event_id    uuid NOT NULL,
	id          bigint NOT NULL,
	issue_id    bigint NOT NULL,
	received_at timestamptz NOT NULL,
	PRIMARY KEY (project_id, event_id)
);
CREATE INDEX event_ids_received ON event_ids USING brin (received_at); -- for the retention

CREATE TABLE activity (
	project_id  bigint NOT NULL, -- 0: of no project
	id          bigint NOT NULL,
	at          timestamptz NOT NULL,
	actor_type  text NOT NULL,
	actor_id    bigint,
	actor_name  text NOT NULL,
	action      text NOT NULL,
	target_type text NOT NULL,
	target_id   bigint NOT NULL,
	data        jsonb,
	PRIMARY KEY (project_id, id)
);
CREATE INDEX activity_target ON activity (project_id, target_type, target_id, at DESC, id DESC);
CREATE INDEX activity_at ON activity (at DESC, id DESC);
