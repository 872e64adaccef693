-- +goose Up

-- When an event came in that lies before all others of its issue, or a merge or split changed it: the issue may not be new
-- any more, and with that falls in the order of priority. Nothing else that an event does makes it fall.
ALTER TABLE issues ADD COLUMN first_seen_lowered_at timestamptz;

-- The order of priority of the issues that are quiet (no event in 24 hours) depends on their weight, (1 + users) times 2
-- for a regressed one, and on last_seen. Weights are in classes: up to 16 each has its own, then four for each doubling.
CREATE INDEX issues_weight ON issues (project_id, (width_bucket((1 + users_affected) * CASE status WHEN 'regressed' THEN 2 ELSE 1 END,
	'{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,20,24,28,32,40,48,56,64,80,96,112,128,160,192,224,256,320,384,448,512,640,768,896,1024,1280,1536,1792}'::bigint[])),
	last_seen DESC, id DESC);
CREATE INDEX issues_weight_everywhere ON issues ((width_bucket((1 + users_affected) * CASE status WHEN 'regressed' THEN 2 ELSE 1 END,
	'{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,20,24,28,32,40,48,56,64,80,96,112,128,160,192,224,256,320,384,448,512,640,768,896,1024,1280,1536,1792}'::bigint[])),
	last_seen DESC, id DESC);

-- The few that are claimed, or of a test, for the lists of these.
CREATE INDEX issues_claimed ON issues (project_id, claim_expires_at) WHERE claim_expires_at IS NOT NULL;
CREATE INDEX issues_test ON issues (project_id, last_seen DESC, id DESC) WHERE test;
