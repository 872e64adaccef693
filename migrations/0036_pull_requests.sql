-- +goose Up

-- What a fix took the place of: a pull request that is closed without being merged gives its issues back as they were.
ALTER TABLE fixes
	ADD COLUMN status_before text NOT NULL DEFAULT '', -- of the issue when it was linked; empty: not known
	ADD COLUMN replaced_fix_id bigint, -- the open fix in whose place it was linked; NULL: none
	ADD COLUMN given_back boolean NOT NULL DEFAULT false; -- its pull request was closed: it can be linked once more

-- When a pull request last changed, of what was delivered: what is delivered late undoes nothing. Rows are dropped after a while.
CREATE TABLE changed_pull_requests (
	project_id bigint NOT NULL,
	url        text NOT NULL COLLATE "C",
	changed_at timestamptz NOT NULL, -- as source control says it
	heard_at   timestamptz NOT NULL,
	PRIMARY KEY (project_id, url)
);
