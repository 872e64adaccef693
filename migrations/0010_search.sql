-- +goose Up

-- The hashes by which a search finds issues: of the short runs of characters in title and culprit, and of the project. They
-- are apart from the issues, which are updated all the time. An issue without its row has has_grams false: a background job
-- adds the row, and until then a search reads the title. Nobody waits for that job, so a list of pending entries would gain
-- nothing, and every search would read it.
CREATE TABLE issue_grams (
	project_id bigint NOT NULL,
	issue_id   bigint NOT NULL,
	grams      integer[] NOT NULL,
	PRIMARY KEY (project_id, issue_id)
);
CREATE INDEX issue_grams_grams ON issue_grams USING gin (grams) WITH (fastupdate = off);
