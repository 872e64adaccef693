-- +goose Up

-- Keys with which agents set applications up. Their ids come from the series of the tokens, so that an actor's id belongs
-- to one credential.
CREATE TABLE setup_keys (
	id           bigint PRIMARY KEY,
	created_at   timestamptz NOT NULL,
	expires_at   timestamptz NOT NULL,
	connected_at timestamptz, -- when it was first used
	revoked_at   timestamptz,
	apps         bigint NOT NULL DEFAULT 0, -- all apps that it ever registered and all tokens that it ever made: deleting one frees no place
	tokens       bigint NOT NULL DEFAULT 0,
	hash         bytea NOT NULL UNIQUE, -- SHA-256 of the key
	prefix       text NOT NULL,
	created_by   text NOT NULL,
	agent        text NOT NULL DEFAULT '' -- the program that uses it, as it calls itself
);
CREATE INDEX setup_keys_active ON setup_keys (expires_at) WHERE revoked_at IS NULL;

-- How far the setup of a project has got.
CREATE TABLE setup_apps (
	project_id           bigint PRIMARY KEY,
	setup_key_id         bigint NOT NULL, -- the key that registered it; 0: an admin
	created_at           timestamptz NOT NULL,
	connected_at         timestamptz,
	sdk_installed_at     timestamptz,
	deploy_configured_at timestamptz,
	test_begun_at        timestamptz, -- when sending its test event began; NULL: never, or sending failed
	test_event_at        timestamptz, -- when the test event was taken in
	test_event_id        bytea,
	name                 text, -- the name that it was registered under; NULL: it was not registered
	agent                text NOT NULL DEFAULT ''
);
CREATE INDEX setup_apps_key ON setup_apps (setup_key_id, created_at DESC);

ALTER TABLE tokens
	ADD COLUMN setup_key_id bigint, -- the key that made it; NULL: an admin
	ADD COLUMN is_agent boolean NOT NULL DEFAULT false; -- it was made by a setup
CREATE INDEX tokens_setup_key ON tokens (setup_key_id) WHERE setup_key_id IS NOT NULL;
