-- +goose Up

-- The problems of the management API are listed by pages with numbers, and counted. What passes over pages and counts reads
-- indexes alone, which therefore have what the filters ask for. As listed_from, the class of notices changes rarely: an issue with
-- a thousand stored events was in 11. Up to 3 each number of events has its own.
DROP INDEX issues_listed;
ALTER TABLE issues
	ADD COLUMN notices_class integer GENERATED ALWAYS AS (width_bucket(stored_events, '{1,2,3,4,8,16,32,64,128,256,512}'::bigint[])) STORED;
CREATE INDEX issues_listed ON issues (project_id, listed_from) INCLUDE (id, status, test, notices_class);
CREATE INDEX issues_by_notices ON issues (project_id, notices_class, id) INCLUDE (listed_from, status, test);
-- Apps are listed with how many there are of these.
CREATE INDEX issues_open_problems ON issues (project_id) WHERE NOT test AND status IN ('unresolved', 'regressed', 'fix_pending');
CREATE INDEX issue_tags_tag ON issue_tags (project_id, tag_id, issue_id);
