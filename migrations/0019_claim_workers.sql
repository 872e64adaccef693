-- +goose Up

-- A claim may be held by one worker of a token, and a write of its holder renews it by as long as it was asked for.
ALTER TABLE issues ADD COLUMN claim_worker text NOT NULL DEFAULT '';
ALTER TABLE issues ADD COLUMN claim_minutes integer NOT NULL DEFAULT 0;
-- The few that have regressed: next_issue takes them first.
CREATE INDEX issues_regressed ON issues (project_id, id) WHERE status = 'regressed';
-- What somebody gave back with a note in the last day, which next_issue does not hand to them again.
CREATE INDEX activity_given_back ON activity (actor_name, at) WHERE action = 'issue.release' AND data ? 'note_id';
