-- +goose Up

-- The corrections of an issue's triage, laid over each other: a column is NULL while nobody corrected it. When each was made,
-- and what the rules had said, stands in the activity.
CREATE TABLE triage_corrections (
	project_id    bigint NOT NULL,
	issue_id      bigint NOT NULL,
	category      text,
	severity      integer,
	transient     boolean,
	agent_fixable boolean,
	noise         boolean,
	corrected_by  text NOT NULL,
	PRIMARY KEY (project_id, issue_id)
);
