-- +goose Up

-- The management API lists problems by numbered pages, and counts them. The statements that skip pages and count read only
-- indexes, which therefore have the columns of the filters. Like listed_from, the class of notices changes rarely: a
-- thousand stored events took an issue through 11 classes. Up to 3, each number of events has its own class.
DROP INDEX issues_listed;
ALTER TABLE issues
	ADD COLUMN notices_class integer GENERATED ALWAYS AS (width_bucket(stored_events, '{1,2,3,4,8,16,32,64,128,256,512}'::bigint[])) STORED;
CREATE INDEX issues_listed ON issues (project_id, listed_from) INCLUDE (id, status, test, notices_class);
CREATE INDEX issues_by_notices ON issues (project_id, notices_class, id) INCLUDE (listed_from, status, test);
-- The list of apps shows how many of these each app has.
CREATE INDEX issues_open_problems ON issues (project_id) WHERE NOT test AND status IN ('unresolved', 'regressed', 'fix_pending');
CREATE INDEX issue_tags_tag ON issue_tags (project_id, tag_id, issue_id);
