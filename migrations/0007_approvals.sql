-- +goose Up

-- Requests to carry out an action that is held for approval. Install-wide: admins decide on the requests of all projects.
CREATE TABLE approvals (
	id                bigint PRIMARY KEY,
	action            text NOT NULL,
	project_id        bigint NOT NULL,
	issue_id          bigint NOT NULL, -- 0: the action changes no issue
	payload           text NOT NULL, -- the rest of the action: a JSON object, the same text for the same action
	requested_by_type text NOT NULL,
	requested_by_id   bigint NOT NULL, -- 0: no token
	requested_by      text NOT NULL,
	requested_at      timestamptz NOT NULL,
	expires_at        timestamptz NOT NULL,
	status            text NOT NULL,
	decided_by        text,
	decided_at        timestamptz
);
CREATE INDEX approvals_requested ON approvals (requested_at DESC, id DESC);
-- The requests about an issue: the pending one is shown on it, and all are in its activity.
CREATE INDEX approvals_issue ON approvals (project_id, issue_id);
-- Asking again is the same request while it is pending.
CREATE UNIQUE INDEX approvals_pending ON approvals (requested_by_type, requested_by_id, requested_by, action, project_id, issue_id, payload)
	WHERE status = 'pending';
