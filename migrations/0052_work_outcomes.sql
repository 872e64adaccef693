-- +goose Up
-- What came of the work of each token, person and worker (get_outcomes), and the filters of list_activity.
ALTER TABLE fixes ADD COLUMN linked_worker text NOT NULL DEFAULT ''; -- which of those who share the token; empty: not said
CREATE INDEX fixes_linked ON fixes (linked_at DESC, id DESC);
CREATE INDEX fixes_open ON fixes (linked_at DESC, id DESC) WHERE outcome IS NULL AND closed_at IS NULL;
CREATE INDEX fixes_returned ON fixes (regressed_at DESC, id DESC) WHERE regressed_at IS NOT NULL;
CREATE INDEX activity_work ON activity (at DESC) WHERE action IN ('issue.claim', 'issue.release');
CREATE INDEX activity_project ON activity (project_id, at DESC, id DESC);
CREATE INDEX activity_action ON activity (action, at DESC, id DESC);
CREATE INDEX activity_actor ON activity (actor_name, at DESC, id DESC);
