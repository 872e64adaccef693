-- +goose Up

-- The state that a fix replaced. When a pull request is closed without being merged, its issues return to that state.
ALTER TABLE fixes
	ADD COLUMN status_before text NOT NULL DEFAULT '', -- the issue's status when it was linked; empty: not known
	ADD COLUMN replaced_fix_id bigint, -- the open fix that it replaced; NULL: none
	ADD COLUMN given_back boolean NOT NULL DEFAULT false; -- its pull request was closed, or no longer names the issue: it can be linked again

-- When each pull request last changed, according to deliveries: a late delivery undoes nothing. Rows are dropped after a while.
CREATE TABLE changed_pull_requests (
	project_id bigint NOT NULL,
	url        text NOT NULL COLLATE "C",
	changed_at timestamptz NOT NULL, -- the time given by source control
	heard_at   timestamptz NOT NULL,
	PRIMARY KEY (project_id, url)
);
