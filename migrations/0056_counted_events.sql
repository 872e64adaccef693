-- +goose Up

-- Events that were counted and not stored are known for a day, so that one which is sent again does not count twice. They had rows in
-- event_ids, three quarters of what a burst wrote. A row is now of all such events of a project in a batch; its keys are hashes of their
-- event ids, with the project as the seed.
--
-- The index never gives back the room of a key, so days are dropped as whole partitions. A look has no condition on the project: keys of
-- two projects differ, and an index of the project could be taken in place of the index of keys.
CREATE TABLE counted_events (
	project_id  bigint NOT NULL,
	received_at timestamptz NOT NULL, -- of the newest
	first_id    bigint NOT NULL,      -- the id that the first of them would have if it were stored
	keys        bigint[] NOT NULL,
	issue_ids   bigint[] NOT NULL     -- the issue of each key
) PARTITION BY RANGE (received_at);
CREATE INDEX counted_events_keys ON counted_events USING gin (keys) WITH (fastupdate = off);
CREATE INDEX counted_events_project ON counted_events (project_id, first_id); -- for the deletion of a project

-- When an event of the project was last counted and not stored; NULL, or long ago, if that never was. Batches need not look for such
-- events before there are any.
ALTER TABLE project_seen ADD COLUMN counted_at timestamptz;
