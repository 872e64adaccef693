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
	sort       string // the time column
	prefix     string // of the sort columns: the table's alias and a dot, or nothing
	page       core.Paging
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

// sql gives the statement: one row more than asked for tells whether there is a next page.
func (l *list) sql(selectFrom string) (string, error) {
	if l.page.Cursor != "" {
		at, id, err := l.page.Cursor.After(l.sort)
		if err != nil {
			return "", err
		}
		l.where(fmt.Sprintf("(%[1]s%[2]s, %[1]sid) < (@after_at, @after_id)", l.prefix, l.sort), "after_at", at)
		l.args["after_id"] = id
	}
	l.args["rows"] = l.page.Limit + 1
	var b strings.Builder
	b.WriteString(selectFrom)
	for i, c := range l.conditions {
		b.WriteString([]string{" WHERE ", " AND "}[min(i, 1)])
		b.WriteString(c)
	}
	fmt.Fprintf(&b, " ORDER BY %[1]s%[2]s DESC, %[1]sid DESC LIMIT @rows", l.prefix, l.sort)
	return b.String(), nil
}

// listPage runs the list and makes the page: its rows and the cursor behind the last one.
func listPage[T any](ctx context.Context, s *Store, l *list, selectFrom string, scan pgx.RowToFunc[T], key func(T) (core.Time, int64)) (core.Page[T], error) {
	sql, err := l.sql(selectFrom)
	if err != nil {
		return core.Page[T]{}, err
	}
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
		at, id := key(page.Data[l.page.Limit-1])
		page.NextCursor = core.NewCursor(l.sort, at.Time, id)
	}
	return page, nil
}
