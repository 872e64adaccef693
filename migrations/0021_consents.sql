-- +goose Up

-- The consents of people to MCP clients that sign in by URL. A row is made by a consent, never by a client alone, and is
-- dropped after a day: until then a second use of a code revokes the token that was given for it.
CREATE TABLE consents (
	expires_at   timestamptz NOT NULL,
	token_id     bigint NOT NULL DEFAULT 0, -- the token given for the code; 0: none yet
	actor_id     bigint NOT NULL,           -- the credential that allowed it; 0 for the ADMIN_TOKEN
	project_id   bigint NOT NULL,           -- the project that the credential is bound to; 0 for none
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
