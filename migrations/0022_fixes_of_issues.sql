-- +goose Up

-- What happened to issues is told by the deliveries of webhooks since migration 0017.
DROP TABLE issue_alerts;

-- A brief shows all fixes of its issue.
CREATE INDEX fixes_issue ON fixes (project_id, issue_id, id);
