package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"errand/core"
)

// list builds the statement of a filtered list that is sorted by a time and the id, newest first, and paged by key.
// The names in it are ours; what a caller sent goes into arguments only.
type list struct {
	conditions []string
	checks     []string // conditions that cost much: they are looked at along the order, until the page is full
	args       args
	sort       string // what the list is sorted by; of a list sorted by a time its column
	prefix     string // of the sort columns: the table's alias and a dot, or nothing
	indexed    string // the column of the index that serves the sort, when it is the sort column rounded down; or nothing
	onePlan    bool   // one plan serves whatever the arguments are
	page       core.Paging
	filters    uint32    // a digest of what the caller filters by, which cursors are checked against
	start      core.Time // when the first page was read; the zero time where that does not matter
}

// newList starts a list sorted by the time column.
func newList(sort string, page core.Paging) *list {
	return &list{sort: sort, page: page, args: args{}}
}

// where adds a condition and the one argument that it names.
func (l *list) where(condition, name string, value any) {
	l.conditions = append(l.conditions, condition)
	if name != "" {
		l.args[name] = value
	}
}

// filter gives the conditions but for the checks as one, to follow others or WHERE.
func (l *list) filter() string { return allOf(l.conditions) }

func allOf(conditions []string) string {
	return strings.Join(append([]string{"true"}, conditions...), "\n\tAND ")
}

// sql gives the statement: one row more than asked for tells whether there is a next page. With checks, selectFrom has the
// columns that these and the order need. OFFSET 0 keeps the planner from making them before the rows are sorted; an order of the
// outer statement would keep it from reading along an index.
func (l *list) sql(selectFrom string) (string, error) {
	if l.page.Cursor != "" {
		after, err := l.page.Cursor.Place(l.sort, l.filters)
		if err != nil {
			return "", err
		}
		l.where(fmt.Sprintf("(%[1]s%[2]s, %[1]sid) < (@after_at, @after_id)", l.prefix, l.sort), "after_at", after.At)
		l.args["after_id"] = after.ID
		if l.indexed != "" {
			l.where(l.prefix+l.indexed+" <= @after_at", "", nil)
		}
	}
	order := fmt.Sprintf("%[1]s%[2]s DESC, %[1]sid DESC", l.prefix, l.sort)
	if l.indexed != "" {
		order = l.prefix + l.indexed + " DESC, " + order
	}
	sorted := fmt.Sprintf("%s WHERE %s ORDER BY %s", selectFrom, l.filter(), order)
	if len(l.checks) > 0 {
		sorted = fmt.Sprintf("SELECT * FROM (%s OFFSET 0) %s WHERE %s", sorted, strings.TrimSuffix(l.prefix, "."), allOf(l.checks))
	}
	return sorted + " LIMIT " + l.rows(), nil
}

// rows is the number of rows to read, in SQL. Where one plan serves all it is written out, and no argument: without it
// Postgres expects to read a tenth of the table, and makes a new plan for each call, which takes half as long as reading
// a page.
func (l *list) rows() string {
	if l.onePlan {
		return strconv.Itoa(l.page.Limit + 1)
	}
	l.args["rows"] = l.page.Limit + 1
	return "@rows"
}

// listPage runs the list and makes the page: its rows and the cursor behind the last one.
func listPage[T any](ctx context.Context, s *Store, l *list, selectFrom string, scan pgx.RowToFunc[T], key func(T) (core.Time, int64)) (core.Page[T], error) {
	sql, err := l.sql(selectFrom)
	if err != nil {
		return core.Page[T]{}, err
	}
	return readPage(ctx, s, l, sql, scan, func(last T) core.Place {
		at, id := key(last)
		return core.Place{At: at.Time, ID: id}
	})
}

// readPage runs the statement of a list and makes the page; place gives what the cursor behind an item has of it.
func readPage[T any](ctx context.Context, s *Store, l *list, sql string, scan pgx.RowToFunc[T], place func(T) core.Place) (core.Page[T], error) {
	rows, err := s.pool.Query(ctx, sql, l.args)
	if err != nil {
		return core.Page[T]{}, wrap(err)
	}
	items, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return core.Page[T]{}, wrap(err)
	}
	page := core.Page[T]{Data: items}
	if len(items) > l.page.Limit {
		page.Data = items[:l.page.Limit]
		next := place(page.Data[l.page.Limit-1])
		next.Sort, next.Filters, next.Start = l.sort, l.filters, l.start.Time
		page.NextCursor = next.Cursor()
	}
	return page, nil
}
