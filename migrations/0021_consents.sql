-- +goose Up

-- What people allowed clients of MCP that sign in by URL. A row is made by a consent, never by a client alone, and is
-- dropped after a day: until then a code that comes twice revokes the token that it was exchanged for.
CREATE TABLE consents (
	expires_at   timestamptz NOT NULL,
	token_id     bigint NOT NULL DEFAULT 0, -- that the code was exchanged for; 0: none yet
	actor_id     bigint NOT NULL,           -- whose credential allowed it; 0 for the ADMIN_TOKEN
	project_id   bigint NOT NULL,           -- to which that credential is bound; 0 for none
	code_hash    bytea PRIMARY KEY,
	client_hash  bytea NOT NULL,
	client_name  text NOT NULL,
	redirect_uri text NOT NULL,
	challenge    text NOT NULL,
	scopes       text[] NOT NULL,
	actor_type   text NOT NULL,
	actor_name   text NOT NULL
);
CREATE INDEX consents_expires ON consents (expires_at);
