-- +goose Up

-- Rules that let this schema run on a distributed Postgres: project_id comes first in every key of project data; no
-- sequences, triggers or foreign keys across shards; install-wide tables are small enough to be copied everywhere.
--
-- In a table that is read a lot, columns of a fixed width come first and texts last: Postgres finds a column behind a text
-- only by walking over the text.

-- Ids come in blocks, one UPDATE per block and server, so that no sequence is shared.
CREATE TABLE id_blocks (
	name    text PRIMARY KEY,
	next_id bigint NOT NULL
);

-- Secrets that all servers of the installation share, such as the key that hashes users.
CREATE TABLE install_secrets (
	name  text PRIMARY KEY,
	value bytea NOT NULL
);

-- Settings of the installation, not of one of its servers.
CREATE TABLE install_settings (
	name   text PRIMARY KEY, -- the variable's
	value  text, -- NULL: it was unset, so the default holds
	set_by text NOT NULL,
	set_at timestamptz NOT NULL
);

-- When things last happened that all servers should know about, such as a refusal of ingest.
CREATE TABLE install_times (
	name text PRIMARY KEY,
	at   timestamptz NOT NULL
);
