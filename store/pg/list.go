package pg

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"errand/core"
)

// List builds the statement of a filtered list that is sorted by a time and the id, newest first, and paged by key.
// The names in it are ours; what a caller sent goes into arguments only.
type List struct {
	Args         Args
	Sort         string      // what the list is sorted by; of a list sorted by a time its column
	Prefix       string      // of the table's columns: its alias and a dot, or nothing
	IndexedSort  string      // the column of the index that serves the sort, when it is the sort column rounded down; or nothing
	OnePlan      bool        // one plan serves whatever the arguments are
	Page         core.Paging // which page is asked for
	FilterDigest uint32      // of what the caller filters by: a cursor of another filter is refused
	Start        core.Time   // when the first page was read; the zero time where that does not matter

	conditions []string
	checks     []string // conditions that cost much: they are looked at along the order, until the page is full
}

// NewList starts a list sorted by the time column. prefix is that of the table's columns: its alias and a dot, or nothing. The table
// has a project_id: the list of a person has what is of the projects in reach alone.
func NewList(ctx context.Context, prefix, sort string, page core.Paging) *List {
	l := &List{Prefix: prefix, Sort: sort, Page: page, Args: Args{}}
	if reach := core.ReachOf(ctx); reach != nil {
		l.WhereArg(prefix+"project_id = ANY (@reach)", "reach", reach.Projects())
	}
	return l
}

// Where adds a condition. Its arguments go into Args.
func (l *List) Where(condition string) { l.conditions = append(l.conditions, condition) }

// WhereArg adds a condition and the one argument that it names.
func (l *List) WhereArg(condition, name string, value any) {
	l.Where(condition)
	l.Args[name] = value
}

// Check adds a condition that costs much.
func (l *List) Check(condition string) { l.checks = append(l.checks, condition) }

// HasChecks reports whether the list has conditions that cost much.
func (l *List) HasChecks() bool { return len(l.checks) > 0 }

// Conditions returns the conditions but for the checks as one, to follow others or WHERE.
func (l *List) Conditions() string { return joinConditions(l.conditions) }

func joinConditions(conditions []string) string {
	return strings.Join(append([]string{"true"}, conditions...), "\n\tAND ")
}

// SQL returns the statement. It reads one row more than asked for, which says whether there is a next page. With checks,
// selectFrom has the columns that these and the order need. OFFSET 0 keeps the planner from making them before the rows are
// sorted; an order of the outer statement would keep it from reading along an index.
func (l *List) SQL(selectFrom string) (string, error) {
	if err := l.startBehindCursor(); err != nil {
		return "", err
	}
	order := fmt.Sprintf("%[1]s%[2]s DESC, %[1]sid DESC", l.Prefix, l.Sort)
	if l.IndexedSort != "" {
		order = l.Prefix + l.IndexedSort + " DESC, " + order
	}
	sorted := fmt.Sprintf("%s WHERE %s ORDER BY %s", selectFrom, l.Conditions(), order)
	if l.HasChecks() {
		alias := strings.TrimSuffix(l.Prefix, ".")
		sorted = fmt.Sprintf("SELECT * FROM (%s OFFSET 0) %s WHERE %s", sorted, alias, joinConditions(l.checks))
	}
	return sorted + " LIMIT " + l.rowLimit(), nil
}

func (l *List) startBehindCursor() error {
	if l.Page.Cursor == "" {
		return nil
	}
	after, err := l.Page.Cursor.Position(l.Sort, l.FilterDigest)
	if err != nil {
		return err
	}
	l.WhereArg(fmt.Sprintf("(%[1]s%[2]s, %[1]sid) < (@after_at, @after_id)", l.Prefix, l.Sort), "after_at", after.At)
	l.Args["after_id"] = after.ID
	if l.IndexedSort != "" {
		l.Where(l.Prefix + l.IndexedSort + " <= @after_at")
	}
	return nil
}

// rowLimit is the number of rows to read, in SQL. Where one plan serves all it is written out, and no argument: without it
// Postgres expects to read a tenth of the table, and makes a new plan for each call, which takes half as long as reading
// a page.
func (l *List) rowLimit() string {
	if l.OnePlan {
		return strconv.Itoa(l.Page.Limit + 1)
	}
	l.Args["rows"] = l.Page.Limit + 1
	return "@rows"
}

// CursorBehind returns the cursor that stands behind the item with the time and the id.
func (l *List) CursorBehind(at core.Time, id int64) core.Cursor {
	return core.ListPosition{Sort: l.Sort, Filters: l.FilterDigest, Start: l.Start.Time, At: at.Time, ID: id}.Cursor()
}

// DigestFilter returns a digest of a filter, a struct of values that JSON can hold: of each of its fields, so that none can be
// forgotten.
func DigestFilter(filter any) uint32 {
	text, err := json.Marshal(filter)
	if err != nil {
		panic(err) // a field of the filter is of a type that JSON does not have
	}
	h := fnv.New32a()
	_, _ = h.Write(text)
	return h.Sum32()
}

// ReadPage runs the list and returns the page: its rows, read by the names of their columns, and the cursor behind the last
// one. key returns the time and the id of a row.
func ReadPage[T any](ctx context.Context, db *DB, l *List, selectFrom string, key func(T) (core.Time, int64)) (core.Page[T], error) {
	sql, err := l.SQL(selectFrom)
	if err != nil {
		return core.Page[T]{}, err
	}
	return RunPage(ctx, db, l, sql, func(last T) core.ListPosition {
		at, id := key(last)
		return core.ListPosition{At: at.Time, ID: id}
	})
}

// RunPage runs the whole statement of a list and returns the page. place returns what the cursor behind a row has of it.
func RunPage[T any](ctx context.Context, db *DB, l *List, sql string, place func(T) core.ListPosition) (core.Page[T], error) {
	rows, err := QueryMany[T](ctx, db.Main, sql, l.Args)
	if err != nil {
		return core.Page[T]{}, err
	}
	page := core.Page[T]{Data: rows}
	if len(rows) > l.Page.Limit {
		page.Data = rows[:l.Page.Limit]
		next := place(page.Data[l.Page.Limit-1])
		next.Sort, next.Filters, next.Start = l.Sort, l.FilterDigest, l.Start.Time
		page.NextCursor = next.Cursor()
	}
	return page, nil
}

// ConvertPage returns the page with each of its items converted.
func ConvertPage[From, To any](page core.Page[From], convert func(From) To) core.Page[To] {
	converted := core.Page[To]{Data: make(core.List[To], len(page.Data)), NextCursor: page.NextCursor}
	for i, item := range page.Data {
		converted.Data[i] = convert(item)
	}
	return converted
}
