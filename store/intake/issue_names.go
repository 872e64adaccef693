package intake

// AddEnvironments and AddReleases add names to issues of projects in one shard, also to an issue that a split makes.
const (
	AddEnvironments = `
INSERT INTO issue_environments (project_id, environment, issue_id)
SELECT s.project_id` + ofNamedIssues
	AddReleases = `
INSERT INTO issue_releases (project_id, release, issue_id)
SELECT s.project_id` + ofNamedIssues
	ofNamedIssues = `, n.name, n.issue_id
FROM project_seen s JOIN unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (project_id, name, issue_id) ON n.project_id = s.project_id
WHERE s.project_id = ANY ($1::bigint[])
ON CONFLICT DO NOTHING`
)
