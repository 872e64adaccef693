-- +goose Up

-- When an ignored issue returns by itself. The terms count only while ignored_at is status_at: whatever else changes the status, a
-- server that does not know them too, ends them. Events change none of these columns.
ALTER TABLE issues
	ADD COLUMN ignored_at timestamptz, -- status_at of the status ignored that the terms are of; NULL: ignored for good, or not at all
	ADD COLUMN ignored_until timestamptz, -- this and what follows: NULL for never
	ADD COLUMN ignored_to_events bigint, -- times_seen with which it returns
	ADD COLUMN ignored_to_users bigint; -- users_affected with which it returns
CREATE INDEX issues_ignored_until ON issues (ignored_until) WHERE ignored_until IS NOT NULL;
