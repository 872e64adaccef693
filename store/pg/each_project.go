package pg

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"errand/core"
)

// Where the tables are distributed over nodes, Citus runs some statements of a transaction only if they name the projects of each table,
// and all of these are in one shard. Such a statement has marks,
//
//	/* of some projects: i */ true
//
// each where it then names the projects of a table. Elsewhere, and on the node of a shard, they mean nothing. A list with marks is read on
// the nodes.
var ofSomeProjects = regexp.MustCompile(`/\* of some projects: (\w+) \*/ true`)

// Another mark stands where the project is the argument @project_id already.
var ofItsProject = regexp.MustCompile(`/\* of its project: (\w+) \*/ true`)

// NameProjects makes each mark of a statement the condition that the table's rows are of @some_projects, also where it is a mark of its
// project. It reports whether there is one.
func NameProjects(sql string) (named string, hasMarks bool) {
	const ofThese = "$1.project_id = ANY (@some_projects::bigint[])"
	named = ofItsProject.ReplaceAllString(ofSomeProjects.ReplaceAllString(sql, ofThese), ofThese)
	return named, named != sql
}

// NameOwn makes each mark of its project the condition that the table's rows are of @project_id.
func NameOwn(sql string) string {
	return ofItsProject.ReplaceAllString(sql, "$1.project_id = @project_id")
}

// OfProject returns the form of a statement about @project_id that this database needs.
func (db *DB) OfProject(sql string) string {
	if db.IsDistributed() {
		return NameOwn(sql)
	}
	return sql
}

// QueryEach is QueryMany for a statement with marks that finds rows of these projects. Where the tables are distributed it runs once
// for each shard, in the order of the shards: the order of the rows is the statement's only within a shard.
func QueryEach[T any](ctx context.Context, db *DB, q Reader, sql string, args Args, projects []int64) (all []T, err error) {
	if !db.IsDistributed() {
		return QueryMany[T](ctx, q, sql, args)
	}
	if q == Reader(db.Main) { // no transaction has to see it
		return queryEach[T](ctx, db, sql, args, projects)
	}
	sql, _ = NameProjects(sql)
	groups, err := db.shards.groupByShard(ctx, projects)
	if err != nil {
		return nil, err
	}
	for _, group := range groups {
		rows, err := QueryMany[T](ctx, q, sql, withProjects(args, group.projects))
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
	groups, err := db.shards.groupByShard(ctx, projects)
	if err != nil {
		return 0, err
	}
	sql, _ = NameProjects(sql)
	for _, group := range groups {
		n, err := Exec(ctx, q, sql, withProjects(args, group.projects))
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

// withProjects returns the arguments of a statement for some of its projects, @some_projects.
func withProjects(args Args, projects []int64) Args {
	named := maps.Clone(args)
	named["some_projects"] = projects
	return named
}

// namesRows is how a statement names rows, by two lists of the same length.
const namesRows = "unnest(@projects::bigint[], @ids::bigint[])"

// pickRows returns the arguments of a statement for some of its projects. If it names up to two thousand rows, a shard would look in vain
// for all that it does not have: these are left out.
func pickRows(sql string, args Args, projects []int64) Args {
	of, _ := args["projects"].([]int64)
	ids, _ := args["ids"].([]int64)
	if !strings.Contains(sql, namesRows) || len(of) != len(ids) {
		return args
	}
	var theirs, theirIDs []int64
	for i, project := range of {
		if _, ok := slices.BinarySearch(projects, project); ok {
			theirs, theirIDs = append(theirs, project), append(theirIDs, ids[i])
		}
	}
	picked := maps.Clone(args)
	picked["projects"], picked["ids"] = theirs, theirIDs
	return picked
}

const listLiveProjects = `
SELECT id AS project_id FROM projects
WHERE deleted_at IS NULL AND (@reach::bigint[] IS NULL OR id = ANY (@reach))
ORDER BY id`

// queryList reads the rows of a list. A statement with marks runs for each shard where the tables are distributed, and the first rows of
// all are returned.
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

// QueryEachOf is QueryEach for the projects of a list: the one that it asks for, or all in reach.
func QueryEachOf[T any](ctx context.Context, db *DB, l *List, sql string, args Args) ([]T, error) {
	if !db.IsDistributed() {
		return QueryMany[T](ctx, db.Main, sql, args)
	}
	if _, hasMarks := NameProjects(sql); !hasMarks {
		return QueryMany[T](ctx, db.Main, sql, args)
	}
	projects, err := l.findProjects(ctx, db)
	if err != nil {
		return nil, err
	}
	if l.OnePlan {
		sql += OnePlan
	}
	return queryEach[T](ctx, db, sql, args, projects)
}

// findProjects returns the projects of the list: the one that it asks for, or all in reach.
func (l *List) findProjects(ctx context.Context, db *DB) ([]int64, error) {
	if project, ok := l.Args["project_id"].(int64); ok {
		return []int64{project}, nil
	}
	return FindLiveProjects(ctx, db)
}
