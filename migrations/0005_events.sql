-- +goose Up

-- One partition a day, made ahead; retention drops whole partitions.
CREATE TABLE events (
	project_id  bigint NOT NULL,
	issue_id    bigint NOT NULL,
	id          bigint NOT NULL,
	received_at timestamptz NOT NULL,
	occurred_at timestamptz NOT NULL,
	event_id    uuid NOT NULL,
	dictionary  bigint NOT NULL, -- the dictionary that compresses payload; 0: none
	level       text NOT NULL,
	release     text NOT NULL,
	environment text NOT NULL,
	payload     bytea NOT NULL   -- the normalised event, zstd
) PARTITION BY RANGE (received_at);
CREATE INDEX events_issue ON events (project_id, issue_id, received_at DESC, id DESC);
CREATE INDEX events_id ON events (id); -- as issues_id

-- What the events of a project have in common, for compression. Never deleted while an event needs it.
CREATE TABLE dictionaries (
	project_id bigint NOT NULL,
	id         bigint NOT NULL,
	created_at timestamptz NOT NULL,
	content    bytea NOT NULL,
	PRIMARY KEY (project_id, id)
);

-- The ids of stored events, so that an event sent again is recognised. They are apart from events because a partitioned
-- table cannot have a unique key without the day.
CREATE TABLE event_ids (
	project_id  bigint NOT NULL,
	event_id    uuid NOT NULL,
	id          bigint NOT NULL,
	issue_id    bigint NOT NULL,
	received_at timestamptz NOT NULL,
	-- Events that were counted but are not, or no longer, stored are known for a day, so that one sent again does not count
	-- twice. NULL, which takes no room, means a stored event.
	not_stored  boolean,
	PRIMARY KEY (project_id, event_id)
);
CREATE INDEX event_ids_received ON event_ids USING brin (received_at); -- for the retention
CREATE INDEX event_ids_not_stored ON event_ids (received_at) WHERE not_stored;
