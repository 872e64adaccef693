-- +goose Up
-- How many issues a project made in an hour (decisions 3). A server without this column counts none.
ALTER TABLE project_hours ADD COLUMN new_issues integer NOT NULL DEFAULT 0;
