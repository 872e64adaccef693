package store

import (
	"context"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

// owners remembers the project of an issue or event. Paths such as /v1/issues/{id} have no project, but every statement
// needs one. The answer never changes, so it is looked up once. Ids outside the reach of the call are refused here.
type owners struct{ cache *lru.Cache[ownerKey, int64] }

type ownerKey struct {
	kind pg.Series
	id   int64
}

func newOwners() *owners {
	cache, err := lru.New[ownerKey, int64](1 << 15)
	if err != nil {
		panic(err) // only a wrong size in the program fails
	}
	return &owners{cache}
}

const (
	findOwnerOfIssue = `SELECT project_id FROM issues WHERE id = @id`
	findOwnerOfEvent = `SELECT project_id FROM events WHERE id = @id`
)

func (o *owners) rememberOwner(kind pg.Series, id, project int64) {
	o.cache.Add(ownerKey{kind, id}, project)
}

func (s *Store) findOwner(ctx context.Context, kind pg.Series, sql string, id int64) (int64, error) {
	key := ownerKey{kind, id}
	if project, ok := s.owners.cache.Get(key); ok {
		return project, core.CheckReach(ctx, project)
	}
	row, err := pg.QueryOne[struct{ ProjectID int64 }](ctx, s.db.Main, sql, pg.Args{"id": id})
	if err != nil {
		return 0, err
	}
	s.owners.rememberOwner(kind, id, row.ProjectID)
	return row.ProjectID, core.CheckReach(ctx, row.ProjectID)
}

func (s *Store) findIssueOwner(ctx context.Context, id int64) (int64, error) {
	return s.findOwner(ctx, intake.IssueIDs, findOwnerOfIssue, id)
}

// findShownIssueOwner is findIssueOwner for lists that do not read the project: issues of a deleted one are not_found.
func (s *Store) findShownIssueOwner(ctx context.Context, id int64) (int64, error) {
	project, err := s.findIssueOwner(ctx, id)
	if err != nil {
		return 0, err
	}
	_, err = pg.QueryOne[struct{ ID int64 }](ctx, s.db.Main, findProjectByID, pg.Args{"id": project})
	return project, err
}

func (s *Store) findEventOwner(ctx context.Context, id int64) (int64, error) {
	return s.findOwner(ctx, intake.EventIDs, findOwnerOfEvent, id)
}

// projectsOf returns the projects to search, for one project or (0) for all: nil means every project.
func projectsOf(ctx context.Context, project int64) []int64 {
	if project != 0 {
		return []int64{project}
	}
	return core.ReachOf(ctx).Projects()
}

// seenFirst turns a statement about projects into one that begins with their rows in project_seen. Where the tables are distributed each
// project has one, on its node, and Citus can join the other tables to it, but not to the reference table projects.
var seenFirst = strings.NewReplacer(
	"FROM projects p\nLEFT JOIN project_seen s ON s.project_id = p.id", "FROM project_seen s JOIN projects p ON p.id = s.project_id",
	"FROM projects p LEFT JOIN project_seen s ON s.project_id = p.id", "FROM project_seen s JOIN projects p ON p.id = s.project_id",
	"FROM projects p", "FROM project_seen s JOIN projects p ON p.id = s.project_id",
	"project_id = p.id", "project_id = s.project_id", "p.id = @id", "s.project_id = @id",
)

// byProject returns the form of a statement about projects that this database needs.
func (s *Store) byProject(sql string) string {
	if s.db.IsDistributed() {
		return formByProject(sql)
	}
	return sql
}

func formByProject(sql string) string {
	form := seenFirst.Replace(sql)
	if strings.Contains(sql, "p.id = @id") { // Citus does not follow the project into subqueries
		form = strings.ReplaceAll(form, "project_id = s.project_id", "project_id = @id")
	}
	return form
}

// projectsToSearch returns the projects for pg.QueryEach: these, or all if projects is nil.
func (s *Store) projectsToSearch(ctx context.Context, projects []int64) ([]int64, error) {
	if projects != nil {
		return projects, nil
	}
	return pg.FindLiveProjects(ctx, s.db)
}
