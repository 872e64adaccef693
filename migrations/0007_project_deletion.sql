-- +goose Up

-- When the last row of a deleted project's data was deleted. NULL: never, or not yet.
ALTER TABLE projects ADD COLUMN purged_at timestamptz;
CREATE INDEX projects_unpurged ON projects (deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;

-- There is one demo project at most.
CREATE UNIQUE INDEX projects_demo ON projects (demo) WHERE demo AND deleted_at IS NULL;
