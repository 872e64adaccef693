-- +goose Up

-- The deliveries that the source-control webhook has taken: the same delivery again does nothing. Rows are dropped after a
-- while. The keys are hashes, because a sender chooses the ids of its deliveries.
CREATE TABLE scm_deliveries (
	key         text PRIMARY KEY,
	received_at timestamptz NOT NULL
);
CREATE INDEX scm_deliveries_received ON scm_deliveries (received_at);

-- The merge commits of pull requests: a fix may be linked after its merge.
CREATE TABLE merged_pull_requests (
	project_id bigint NOT NULL,
	url        text NOT NULL COLLATE "C",
	commit     text NOT NULL COLLATE "C", -- in lower case
	merged_at  timestamptz NOT NULL,
	PRIMARY KEY (project_id, url)
);

CREATE INDEX projects_repository ON projects (repository) WHERE repository <> '' AND deleted_at IS NULL;
CREATE INDEX fixes_ref ON fixes (project_id, ref);
