-- +goose Up

-- The last event, session or transaction that arrived, also of those that were not taken: for the verification of fixes.
-- A server writes it at most once a minute.
ALTER TABLE project_seen ADD COLUMN alive_at timestamptz;

-- Install-wide: when things happened last that all servers should know of, such as a refusal of ingest.
CREATE TABLE install_times (
	name text PRIMARY KEY,
	at   timestamptz NOT NULL
);
