-- +goose Up

-- Keys with which agents set applications up. Their ids are of the series of the tokens, so that the id of an actor is one
-- credential's.
CREATE TABLE setup_keys (
	id           bigint PRIMARY KEY,
	created_at   timestamptz NOT NULL,
	expires_at   timestamptz NOT NULL,
	connected_at timestamptz, -- when it was used first
	revoked_at   timestamptz,
	apps         bigint NOT NULL DEFAULT 0, -- that it ever registered, and the tokens that it ever made: deleting one frees no place
	tokens       bigint NOT NULL DEFAULT 0,
	hash         bytea NOT NULL UNIQUE, -- SHA-256 of the key
	prefix       text NOT NULL,
	created_by   text NOT NULL,
	agent        text NOT NULL DEFAULT '' -- the program that uses it, as it calls itself
);
CREATE INDEX setup_keys_active ON setup_keys (expires_at) WHERE revoked_at IS NULL;

-- How far the setup of a project is.
CREATE TABLE setup_apps (
	project_id           bigint PRIMARY KEY,
	setup_key_id         bigint NOT NULL, -- what registered it; 0: an admin
	created_at           timestamptz NOT NULL,
	connected_at         timestamptz,
	sdk_installed_at     timestamptz,
	deploy_configured_at timestamptz,
	test_begun_at        timestamptz, -- when its test event began to be sent; NULL: never, or that failed
	test_event_at        timestamptz, -- when it was taken in
	test_event_id        bytea,
	name                 text, -- under which it was registered; NULL: it was not
	agent                text NOT NULL DEFAULT ''
);
CREATE INDEX setup_apps_key ON setup_apps (setup_key_id, created_at DESC);

ALTER TABLE tokens
	ADD COLUMN setup_key_id bigint, -- what made it; NULL: an admin
	ADD COLUMN is_agent boolean NOT NULL DEFAULT false; -- it was made by a setup
CREATE INDEX tokens_setup_key ON tokens (setup_key_id) WHERE setup_key_id IS NOT NULL;
