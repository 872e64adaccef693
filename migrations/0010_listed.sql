-- +goose Up

-- listed_from is last_seen by five minutes, and takes the place of listed_at, which is by the minute: with many issues in
-- use, most events were the first of their issue's minute, and each of those wrote an entry into every index. What a page
-- sorts grows, to the issues seen in five minutes. Servers from before read listed_at, which a later migration drops; while
-- they live beside this one their lists are right, but slow.
ALTER TABLE issues
	ADD COLUMN listed_from timestamptz NOT NULL GENERATED ALWAYS AS (date_bin('5 minutes', last_seen, '2000-01-01 00:00:00+00')) STORED;
DROP INDEX issues_listed, issues_listed_everywhere, issues_test, issues_quiet, issues_quiet_everywhere;
CREATE INDEX issues_listed ON issues (project_id, listed_from);
CREATE INDEX issues_listed_everywhere ON issues (listed_from);
CREATE INDEX issues_test ON issues (project_id, listed_from) WHERE test;
CREATE INDEX issues_quiet ON issues (project_id, quiet_weight, listed_from) WHERE quiet;
CREATE INDEX issues_quiet_everywhere ON issues (quiet_weight, listed_from) WHERE quiet;
