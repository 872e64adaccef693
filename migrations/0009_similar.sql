-- +goose Up

-- The features that issues are compared by: hashes of the words of the title, types of exceptions, frames and calls. A new
-- issue has dozens of them, and it is cheaper to add several issues to the index together. Each look-up also reads the
-- pending entries, so their list is short: 64 KB.
CREATE TABLE issue_features (
	project_id bigint NOT NULL,
	issue_id   bigint NOT NULL,
	features   integer[] NOT NULL,
	PRIMARY KEY (project_id, issue_id)
);
CREATE INDEX issue_features_features ON issue_features USING gin (features) WITH (fastupdate = on, gin_pending_list_limit = 64);
