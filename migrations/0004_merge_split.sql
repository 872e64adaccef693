-- +goose Up

-- What a merge moves is found by the issue.
CREATE INDEX issue_fingerprints_issue ON issue_fingerprints (project_id, issue_id);
CREATE INDEX issue_environments_issue ON issue_environments (project_id, issue_id);
CREATE INDEX issue_releases_issue ON issue_releases (project_id, issue_id);
CREATE INDEX issues_merged_into ON issues (project_id, merged_into) WHERE merged_into IS NOT NULL;
