-- +goose Up

-- The order of commits, from pushes: whoever has the commit has the one before it too. A deploy that names one commit
-- brings everything that was pushed before that commit. Rows are dropped after a while.
CREATE TABLE pushed_commits (
	repository text NOT NULL,
	commit     text NOT NULL COLLATE "C", -- in lower case, as before
	before     text NOT NULL COLLATE "C",
	pushed_at  timestamptz NOT NULL,
	PRIMARY KEY (repository, commit, before)
);
CREATE INDEX pushed_commits_pushed ON pushed_commits (pushed_at);

-- Whether the deploy brought everything that was pushed before the commit, because it did not list its commits itself.
ALTER TABLE deploy_commits ADD COLUMN with_pushed boolean NOT NULL DEFAULT false;
