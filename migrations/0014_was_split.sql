-- +goose Up

-- Whether a split has moved stored events out of the issue, or of one that was merged into it. Its rows in issue_environments and issue_releases may then be of
-- these alone, as they may be where an issue has counted more events than it has stored.
ALTER TABLE issues ADD COLUMN was_split boolean NOT NULL DEFAULT false;
UPDATE issues i SET was_split = true FROM activity a
WHERE a.action = 'issue.split' AND a.target_type = 'issue' AND i.project_id = a.project_id AND i.id = a.target_id;
UPDATE issues t SET was_split = true FROM issues s WHERE s.was_split AND t.project_id = s.project_id AND t.id = s.merged_into;
