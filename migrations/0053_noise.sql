-- +goose Up

-- Whether an issue is noise, as its triage says, for the filter of lists. An older server makes issues without it; a background job
-- judges them, and all again after each start of a server, whose rules may be new. No event changes it.
ALTER TABLE issues
	ADD COLUMN noise boolean; -- NULL: not judged yet
CREATE INDEX issues_noise ON issues (project_id, listed_from) INCLUDE (status, test) WHERE noise;
CREATE INDEX issues_unjudged ON issues (project_id, id) WHERE noise IS NULL;
