-- +goose Up

-- The timeline of what was done.
CREATE TABLE activity (
	project_id  bigint NOT NULL, -- 0: of no project
	id          bigint NOT NULL,
	at          timestamptz NOT NULL,
	target_id   bigint NOT NULL,
	actor_id    bigint,
	actor_type  text NOT NULL,
	actor_name  text NOT NULL,
	action      text NOT NULL,
	target_type text NOT NULL,
	data        jsonb,
	PRIMARY KEY (project_id, id)
);
CREATE INDEX activity_target ON activity (project_id, target_type, target_id, at DESC, id DESC);
CREATE INDEX activity_at ON activity (at DESC, id DESC);
-- The decisions about issues, apart from everything else that happens.
CREATE INDEX activity_labels ON activity (at DESC, id DESC)
	WHERE action IN ('issue.resolve', 'issue.ignore', 'issue.unresolve', 'issue.regress', 'issue.merge', 'issue.split', 'issue.triage_correction');
