-- +goose Up

-- Who wants to know what happens to issues. There are a few hundred rows at most, and every change of an issue reads them all.
CREATE TABLE webhooks (
	id              bigint PRIMARY KEY,
	project_id      bigint, -- NULL: all projects
	spike_threshold bigint, -- events in a clock hour; NULL: it does not want issue.spike
	created_at      timestamptz NOT NULL,
	deleted_at      timestamptz, -- the row stays as long as its deliveries
	name            text NOT NULL,
	format          text NOT NULL,
	min_trust       text NOT NULL,
	events          text[] NOT NULL,
	url             text NOT NULL, -- as people see it, masked where it is a secret; empty for email
	recipients      text[] NOT NULL DEFAULT '{}', -- email addresses
	sealed          text NOT NULL DEFAULT '', -- its secrets, sealed for webhooks/<id>; empty: it has none
	created_by      text NOT NULL
);

-- Messages for webhooks, written with the change. A worker takes a pending delivery that is due by moving due_at; when it
-- records the outcome, lease must still have the number under which the worker took it.
CREATE TABLE deliveries (
	project_id      bigint NOT NULL, -- 0: a test of a webhook for all projects
	id              bigint NOT NULL,
	webhook_id      bigint NOT NULL,
	issue_id        bigint, -- NULL: a test
	created_at      timestamptz NOT NULL,
	due_at          timestamptz NOT NULL, -- the next attempt, or the time from which the worker that makes it counts as lost
	next_attempt_at timestamptz, -- NULL: no further attempt
	delivered_at    timestamptz,
	lease           bigint NOT NULL DEFAULT 0, -- how often it was taken
	attempts        integer NOT NULL DEFAULT 0, -- attempts that have ended
	last_status     integer, -- HTTP status
	event           text NOT NULL,
	status          text NOT NULL DEFAULT 'pending',
	last_error      text NOT NULL DEFAULT '',
	PRIMARY KEY (project_id, id)
);
-- By webhook, so that the deliveries of a dead webhook are in nobody's way.
CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at, id) WHERE status = 'pending';
CREATE INDEX deliveries_webhook ON deliveries (webhook_id, created_at DESC, id DESC);
CREATE INDEX deliveries_created ON deliveries USING brin (created_at);

-- The clock hours in which a webhook heard that an issue spikes, once for each hour.
CREATE TABLE spikes (
	project_id bigint NOT NULL,
	issue_id   bigint NOT NULL,
	webhook_id bigint NOT NULL,
	hour       timestamptz NOT NULL, -- its start, UTC
	PRIMARY KEY (project_id, issue_id, webhook_id, hour)
);
CREATE INDEX spikes_hour ON spikes USING brin (hour);

-- The issues that webhooks have opened in source control.
CREATE TABLE scm_issues (
	project_id bigint NOT NULL,
	issue_id   bigint NOT NULL,
	webhook_id bigint NOT NULL,
	number     bigint NOT NULL, -- in its repository
	PRIMARY KEY (project_id, issue_id, webhook_id)
);

-- From here on nobody writes issue_alerts. Servers of the previous version still do while they are replaced: a later
-- migration drops it.
