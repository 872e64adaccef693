-- +goose Up

-- A fix that no deploy names is overdue when the error continues in releases that were first deployed after it was linked.
-- A background job finds that out.
ALTER TABLE fixes
	ADD COLUMN linked_after bigint, -- the number of the project's last deploy when it was linked; NULL: not known, see linked_at
	ADD COLUMN overdue_since timestamptz, -- NULL: it is not overdue
	ADD COLUMN overdue_deploys bigint NOT NULL DEFAULT 0, -- the number of deploys of such releases
	ADD COLUMN overdue_events bigint NOT NULL DEFAULT 0, -- the number of stored events of such releases
	-- When the job last looked, and how many deploys and events there were then: without more of them it has nothing new to judge.
	ADD COLUMN judged_at timestamptz,
	ADD COLUMN judged_deploys bigint NOT NULL DEFAULT 0,
	ADD COLUMN judged_events bigint NOT NULL DEFAULT 0;

-- The overdue fix. It counts only while it is the issue's fix: when another fix replaces it, nothing has to be undone.
ALTER TABLE issues ADD COLUMN overdue_fix_id bigint;

-- One bit for each five minutes of the hour that had events; 0: not known. How long a fix is watched depends on the rate of
-- events, and the rate counts events of the same five minutes once.
ALTER TABLE issue_hours ADD COLUMN fives integer NOT NULL DEFAULT 0;
