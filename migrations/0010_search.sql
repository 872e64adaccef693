-- +goose Up

-- What a search finds issues by: hashes of the short runs of characters in title and culprit, and of the project. Apart from
-- the issues, which are updated all the time. An issue without its row has has_grams false: a background job adds it, and
-- until then a search reads the title. Nobody waits for that job, so that nobody gains by a list of pending entries, which
-- every search would read.
CREATE TABLE issue_grams (
	project_id bigint NOT NULL,
	issue_id   bigint NOT NULL,
	grams      integer[] NOT NULL,
	PRIMARY KEY (project_id, issue_id)
);
CREATE INDEX issue_grams_grams ON issue_grams USING gin (grams) WITH (fastupdate = off);
