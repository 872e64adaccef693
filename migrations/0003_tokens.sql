-- +goose Up

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
