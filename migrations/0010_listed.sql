-- +goose Up

-- listed_at is last_seen by five minutes, no longer by the minute: with many issues in use, most events were the first of
-- their issue's minute, and each of those wrote an entry into every index. What a page sorts grows, to the issues seen in
-- five minutes. The expression of a generated column cannot be changed: the column and its indexes are made anew.
ALTER TABLE issues
	DROP COLUMN listed_at,
	ADD COLUMN listed_at timestamptz NOT NULL GENERATED ALWAYS AS (date_bin('5 minutes', last_seen, '2000-01-01 00:00:00+00')) STORED;
CREATE INDEX issues_listed ON issues (project_id, listed_at);
CREATE INDEX issues_listed_everywhere ON issues (listed_at);
CREATE INDEX issues_test ON issues (project_id, listed_at) WHERE test;
CREATE INDEX issues_quiet ON issues (project_id, quiet_weight, listed_at) WHERE quiet;
CREATE INDEX issues_quiet_everywhere ON issues (quiet_weight, listed_at) WHERE quiet;
