-- +goose Up

-- Whether the issue has its row in issue_grams. One that an older server makes has none, nor have the issues from before
-- this migration: a background job adds them, and a search reads the titles of the others.
ALTER TABLE issues ADD COLUMN has_grams boolean NOT NULL DEFAULT false;
CREATE INDEX issues_without_grams ON issues (project_id, id) WHERE NOT has_grams;

-- What a search finds issues by: hashes of the short runs of characters in title and culprit, and of the project. Apart from
-- the issues, which are updated all the time. It is written in the background, so that nobody gains by a list of pending
-- entries, which every search would read.
CREATE TABLE issue_grams (
	project_id bigint NOT NULL,
	issue_id   bigint NOT NULL,
	grams      integer[] NOT NULL,
	PRIMARY KEY (project_id, issue_id)
);
CREATE INDEX issue_grams_grams ON issue_grams USING gin (grams) WITH (fastupdate = off);
