-- +goose Up

-- What the rules of triage know of an issue's first event. An empty crash_site: nobody looked at its events yet, as with
-- the issues from before this migration and those that a split makes; a background job does.
ALTER TABLE issues
	ADD COLUMN crash_site text NOT NULL DEFAULT '',
	ADD COLUMN handled    boolean;
CREATE INDEX issues_unread ON issues (project_id, id) WHERE crash_site = '';

-- The corrections of an issue's triage, laid over each other: a column is NULL while nobody corrected it.
CREATE TABLE triage_corrections (
	project_id    bigint NOT NULL,
	issue_id      bigint NOT NULL,
	category      text,
	severity      integer,
	transient     boolean,
	agent_fixable boolean,
	noise         boolean,
	corrected_by  text NOT NULL,
	corrected_at  timestamptz NOT NULL,
	model_answer  jsonb NOT NULL, -- at the time of the last correction
	PRIMARY KEY (project_id, issue_id)
);

-- What issues are compared by: hashes of the words of the title, types of exceptions, frames and calls. New entries go
-- into the index at once: a search would read a list of pending ones whole for each feature.
CREATE TABLE issue_features (
	project_id bigint NOT NULL,
	issue_id   bigint NOT NULL,
	features   integer[] NOT NULL,
	PRIMARY KEY (project_id, issue_id)
);
CREATE INDEX issue_features_features ON issue_features USING gin (features) WITH (fastupdate = off);
