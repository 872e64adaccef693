-- +goose Up

-- The corrections of an issue's triage, one over the other: a column is NULL until someone corrects it. The activity has
-- the time of each correction and what the rules had said.
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
