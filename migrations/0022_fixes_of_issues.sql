-- +goose Up

-- Since migration 0017 the deliveries of webhooks report what happened to issues.
DROP TABLE issue_alerts;

-- A brief shows all fixes of its issue.
CREATE INDEX fixes_issue ON fixes (project_id, issue_id, id);
