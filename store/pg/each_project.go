package pg

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"

	"golang.org/x/sync/errgroup"

	"errand/core"
)

// Where the tables are distributed over nodes, Citus runs some statements of one project only. Such a statement has marks,
//
//	/* of one project: i */ true
//
// each where it then names the project of a table. Elsewhere they mean nothing.
var ofOneProject = regexp.MustCompile(`/\* of one project: (\w+) \*/ true`)

// ofFirstProject finds such marks of statements whose $1 are the projects of the rows that they look for.
var ofFirstProject = regexp.MustCompile(`/\* of the first project: (\w+) \*/ true`)

// NameProject makes each mark of a statement the condition that the table's rows are of @one_project. It reports whether there is one.
func NameProject(sql string) (named string, hasMarks bool) {
	named = ofOneProject.ReplaceAllString(sql, "$1.project_id = @one_project")
	return named, named != sql
}

// NameFirst makes each mark of the first project the condition that the table's rows are of it.
func NameFirst(sql string) string {
	return ofFirstProject.ReplaceAllString(sql, "$1.project_id = ($$1::bigint[])[1]")
}

// QueryEach is QueryMany for a statement with marks that finds rows of these projects. Where the tables are distributed it runs once
// for each of them, in the order of their ids, so that rows of different projects are only sorted by them.
func QueryEach[T any](ctx context.Context, db *DB, q Reader, sql string, args Args, projects []int64) (all []T, err error) {
	if !db.IsDistributed() {
		return QueryMany[T](ctx, q, sql, args)
	}
	sql, _ = NameProject(sql)
	for _, project := range listOnce(projects) {
		rows, err := QueryMany[T](ctx, q, sql, withProject(args, project))
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// ExecEach is Exec for such a statement. It returns the number of all rows that changed.
func ExecEach(ctx context.Context, db *DB, q Querier, sql string, args Args, projects []int64) (changed int64, err error) {
	if !db.IsDistributed() {
		return Exec(ctx, q, sql, args)
	}
	sql, _ = NameProject(sql)
	for _, project := range listOnce(projects) {
		n, err := Exec(ctx, q, sql, withProject(args, project))
		if err != nil {
			return changed, err
		}
		changed += n
	}
	return changed, nil
}

// FindProjects returns the projects for QueryEach, or nil where it does not need them. The statement lists their ids as project_id.
func FindProjects(ctx context.Context, db *DB, q Reader, sql string, args Args) ([]int64, error) {
	if !db.IsDistributed() {
		return nil, nil
	}
	rows, err := QueryMany[struct{ ProjectID int64 }](ctx, q, sql, args)
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = row.ProjectID
	}
	return ids, err
}

// FindLiveProjects is FindProjects for a statement about all projects in reach.
func FindLiveProjects(ctx context.Context, db *DB) ([]int64, error) {
	return FindProjects(ctx, db, db.Main, listLiveProjects, Args{"reach": core.ReachOf(ctx).Projects()})
}

// listOnce returns the projects sorted, each once.
func listOnce(projects []int64) []int64 {
	return slices.Compact(slices.Sorted(slices.Values(projects)))
}

func withProject(args Args, project int64) Args {
	named := maps.Clone(args)
	named["one_project"] = project
	return named
}

// projectsAtOnce bounds the statements of one page that run at the same time.
const projectsAtOnce = 4

const listLiveProjects = `
SELECT id AS project_id FROM projects
WHERE deleted_at IS NULL AND (@reach::bigint[] IS NULL OR id = ANY (@reach))
ORDER BY id`

// queryList reads the rows of a list. A statement with marks runs for each project of the list where the tables are distributed, and the
// first rows of all are returned.
func queryList[T any](ctx context.Context, db *DB, l *List, sql string, place func(T) core.ListPosition) ([]T, error) {
	all, err := QueryEachOf[T](ctx, db, l, sql, l.Args)
	if err != nil || !db.IsDistributed() {
		return all, err
	}
	slices.SortFunc(all, func(a, b T) int {
		x, y := place(a), place(b)
		return cmp.Or(cmp.Compare(y.Score, x.Score), y.At.Compare(x.At), cmp.Compare(y.ID, x.ID))
	})
	return all[:min(len(all), l.Page.Limit+1)], nil
}

// QueryEachOf is QueryEach for the projects of a list, some at the same time: the one that it asks for, or all in reach.
func QueryEachOf[T any](ctx context.Context, db *DB, l *List, sql string, args Args) ([]T, error) {
	if !db.IsDistributed() {
		return QueryMany[T](ctx, db.Main, sql, args)
	}
	named, hasMarks := NameProject(sql)
	if !hasMarks {
		return QueryMany[T](ctx, db.Main, sql, args)
	}
	projects, err := l.findProjects(ctx, db)
	if err != nil {
		return nil, err
	}
	found := make([][]T, len(projects))
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(projectsAtOnce)
	for i, project := range projects {
		reading.Go(func() (err error) {
			found[i], err = QueryMany[T](ctx, db.Main, named, withProject(args, project))
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// findProjects returns the projects of the list: the one that it asks for, or all in reach.
func (l *List) findProjects(ctx context.Context, db *DB) ([]int64, error) {
	if project, ok := l.Args["project_id"].(int64); ok {
		return []int64{project}, nil
	}
	return FindLiveProjects(ctx, db)
}
