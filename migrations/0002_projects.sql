-- +goose Up

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
	deleted_at      timestamptz,
	purged_at       timestamptz -- when the last row of a deleted project's data was deleted; NULL: never, or not yet
);
CREATE UNIQUE INDEX projects_slug ON projects (slug) WHERE deleted_at IS NULL;
CREATE INDEX projects_unpurged ON projects (deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
-- There is at most one demo project.
CREATE UNIQUE INDEX projects_demo ON projects (demo) WHERE demo AND deleted_at IS NULL;

CREATE TABLE project_keys (
	public_key text PRIMARY KEY,
	project_id bigint NOT NULL REFERENCES projects (id),
	created_at timestamptz NOT NULL,
	revoked_at timestamptz
);
CREATE INDEX project_keys_project ON project_keys (project_id);

-- When a project was last active, apart from its settings: ingest writes here all the time.
CREATE TABLE project_seen (
	project_id     bigint PRIMARY KEY,
	last_event_at  timestamptz,
	server_seen_at timestamptz,
	client_seen_at timestamptz,
	-- When the last event, session or transaction arrived, even one that was refused: for the verification of fixes. A
	-- server writes it at most once a minute.
	alive_at       timestamptz
);

CREATE TABLE project_hours (
	project_id bigint NOT NULL,
	hour       timestamptz NOT NULL, -- its start, UTC
	events     bigint NOT NULL,
	PRIMARY KEY (project_id, hour)
);
