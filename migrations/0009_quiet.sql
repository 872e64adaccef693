-- +goose Up

-- An event that changes nothing that is indexed costs no index entry (a heap-only update), and on a page with room for it
-- nothing else. So what the lists are sorted by changes rarely: listed_at is last_seen by the minute, and the class of
-- weight, by which the order of priority finds issues without an event in the last day, is there only once a background
-- job has found an issue to be quiet. Both are derived, so that they cannot be wrong.
DROP INDEX issues_last_seen, issues_last_seen_everywhere, issues_test, issues_weight, issues_weight_everywhere;
ALTER TABLE issues SET (fillfactor = 80);
ALTER TABLE issues
	ADD COLUMN listed_at timestamptz NOT NULL GENERATED ALWAYS AS (date_bin('1 minute', last_seen, '2000-01-01 00:00:00+00')) STORED,
	ADD COLUMN quiet boolean NOT NULL DEFAULT false,
	-- Weights are in classes: up to 16 each has its own, then four for each doubling.
	ADD COLUMN quiet_weight integer GENERATED ALWAYS AS (CASE WHEN quiet THEN width_bucket((1 + users_affected) * CASE status WHEN 'regressed' THEN 2 ELSE 1 END,
		'{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,20,24,28,32,40,48,56,64,80,96,112,128,160,192,224,256,320,384,448,512,640,768,896,1024,1280,1536,1792}'::bigint[]) END) STORED;
CREATE INDEX issues_listed ON issues (project_id, listed_at);
CREATE INDEX issues_listed_everywhere ON issues (listed_at);
CREATE INDEX issues_test ON issues (project_id, listed_at) WHERE test;
CREATE INDEX issues_active ON issues (project_id, id) WHERE NOT quiet;
CREATE INDEX issues_quiet ON issues (project_id, quiet_weight, listed_at) WHERE quiet;
CREATE INDEX issues_quiet_everywhere ON issues (quiet_weight, listed_at) WHERE quiet;
