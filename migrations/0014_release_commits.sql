-- +goose Up

-- The commits of releases. sentry-cli names them before it reports a deploy, which then names none.
CREATE TABLE release_commits (
	project_id bigint NOT NULL,
	release    text NOT NULL,
	kept_at    timestamptz NOT NULL, -- when the release first had commits
	commits    text[] NOT NULL, -- newest first, in lower case
	PRIMARY KEY (project_id, release)
);
CREATE INDEX release_commits_kept ON release_commits (project_id, kept_at DESC);
