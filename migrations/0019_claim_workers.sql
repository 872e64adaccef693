-- +goose Up

-- A claim may be held by one worker of a token. Each write of its holder renews it for as long as was asked for.
ALTER TABLE issues ADD COLUMN claim_worker text NOT NULL DEFAULT '';
ALTER TABLE issues ADD COLUMN claim_minutes integer NOT NULL DEFAULT 0;
-- The few issues that have regressed: next_issue takes them first.
CREATE INDEX issues_regressed ON issues (project_id, id) WHERE status = 'regressed';
-- The notes of an issue, which are counted on it and listed separately.
CREATE INDEX activity_notes ON activity (project_id, target_id, at DESC, id DESC) WHERE action = 'issue.note';
-- Issues that someone gave back with a note in the last day: next_issue does not hand them to the same one again.
CREATE INDEX activity_given_back ON activity (actor_name, at) WHERE action = 'issue.release' AND data ? 'note_id';
