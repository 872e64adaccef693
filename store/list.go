package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"errand/core"
)

// list builds the statement of a filtered list that is sorted by a time and the id, newest first, and paged by key.
// The names in it are ours; what a caller sent goes into arguments only.
type list struct {
	conditions []string
	args       args
	sort       string // what the list is sorted by; of a list sorted by a time its column
	prefix     string // of the sort columns: the table's alias and a dot, or nothing
	indexed    string // the column of the index that serves the sort, when it is the sort column rounded down; or nothing
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

// filter gives the conditions as one, to follow others or WHERE.
func (l *list) filter() string {
	return strings.Join(append([]string{"true"}, l.conditions...), "\n\tAND ")
}

// sql gives the statement: one row more than asked for tells whether there is a next page.
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
	l.args["rows"] = l.page.Limit + 1
	order := fmt.Sprintf("%[1]s%[2]s DESC, %[1]sid DESC", l.prefix, l.sort)
	if l.indexed != "" {
		order = l.prefix + l.indexed + " DESC, " + order
	}
	return fmt.Sprintf("%s WHERE %s ORDER BY %s LIMIT @rows", selectFrom, l.filter(), order), nil
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
