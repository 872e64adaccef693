-- +goose Up

-- What a person sees of the own sessions. An older server adds rows without it: they are valid, end with the generation that their
-- data names, and are not listed.
ALTER TABLE sessions
	ADD COLUMN id bigint,
	ADD COLUMN user_id bigint REFERENCES users ON DELETE CASCADE,
	ADD COLUMN generation bigint, -- NULL: the one in data
	ADD COLUMN created_at timestamptz,
	ADD COLUMN seen_at timestamptz, -- written at most once a minute
	ADD COLUMN address text, -- where the person signed in from
	ADD COLUMN user_agent text; -- of the browser
CREATE INDEX sessions_user ON sessions (user_id, id) WHERE user_id IS NOT NULL;

-- How a person likes the pages.
ALTER TABLE users
	ADD COLUMN without_keys boolean NOT NULL DEFAULT false, -- single keys do nothing
	ADD COLUMN oldest_first boolean NOT NULL DEFAULT false, -- the outermost frame of a stack comes first
	ADD COLUMN zone text NOT NULL DEFAULT ''; -- such as Europe/Berlin; empty for that of the browser

