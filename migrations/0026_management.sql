-- +goose Up

-- Keys of the management API. Their ids come from the series of the tokens, so that an actor's id belongs to one credential.
CREATE TABLE api_keys (
	id           bigint PRIMARY KEY,
	created_at   timestamptz NOT NULL,
	last_used_at timestamptz, -- written at most once a minute
	revoked_at   timestamptz,
	hash         bytea NOT NULL UNIQUE, -- SHA-256 of the key
	name         text NOT NULL,
	prefix       text NOT NULL,
	permissions  text[] NOT NULL,
	created_by   text NOT NULL
);

-- The fields that an app of the management API has beyond those that a project has.
ALTER TABLE projects
	ADD COLUMN updated_at timestamptz, -- NULL: never
	ADD COLUMN environment text,
	ADD COLUMN notify_on_new_problem boolean NOT NULL DEFAULT true,
	ADD COLUMN notify_on_reoccurrence boolean NOT NULL DEFAULT true;

-- Words that people put on issues. All projects share them.
CREATE TABLE tags (
	id   bigint PRIMARY KEY,
	name text NOT NULL UNIQUE
);

CREATE TABLE issue_tags (
	project_id bigint NOT NULL,
	issue_id   bigint NOT NULL,
	tag_id     bigint NOT NULL,
	PRIMARY KEY (project_id, issue_id, tag_id)
);
