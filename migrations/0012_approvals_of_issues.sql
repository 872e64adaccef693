-- +goose Up

-- The requests about an issue: the one that is pending is shown on it, and all are in its activity.
CREATE INDEX approvals_issue ON approvals (project_id, issue_id);
