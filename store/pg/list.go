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

// List builds the statement of a filtered list, sorted by a time and the id, newest first, and paged by key. All names in
// the statement are ours: a caller's values become arguments only.
type List struct {
	Args         Args
	Sort         string      // what the list is sorted by: for a time, its column
	Prefix       string      // before the table's columns: its alias and a dot, or nothing
	IndexedSort  string      // the column of the index that serves the sort, when that is the sort column rounded down; or nothing
	OnePlan      bool        // one plan serves all arguments
	Page         core.Paging // the page asked for
	FilterDigest uint32      // digest of the caller's filter: a cursor of another filter is refused
	Start        core.Time   // when the first page was read; the zero time where that does not matter

	conditions []string
	checks     []string // costly conditions: rows are checked in the order of the list, until the page is full
}

// NewList starts a list sorted by the time column. prefix stands before the table's columns: its alias and a dot, or
// nothing. The table must have a project_id: a person's list has rows of the projects in reach only.
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

// Check adds a costly condition.
func (l *List) Check(condition string) { l.checks = append(l.checks, condition) }

// HasChecks reports whether the list has costly conditions.
func (l *List) HasChecks() bool { return len(l.checks) > 0 }

// Conditions returns all conditions except the checks as one, to follow WHERE or other conditions.
func (l *List) Conditions() string { return joinConditions(l.conditions) }

func joinConditions(conditions []string) string {
	return strings.Join(append([]string{"true"}, conditions...), "\n\tAND ")
}

// SQL returns the statement. It reads one row more than the limit, to find out whether there is a next page. With checks,
// selectFrom must return the columns that the checks and the order need. OFFSET 0 keeps the planner from computing the
// checks before the rows are sorted; an ORDER BY outside would keep it from reading along an index.
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

// rowLimit returns the number of rows to read, in SQL. Where one plan serves all arguments, the number is written out: with
// an argument instead, Postgres expects to read a tenth of the table, and makes a new plan for each call, which takes half
// as long as reading a page.
func (l *List) rowLimit() string {
	if l.OnePlan {
		return strconv.Itoa(l.Page.Limit + 1)
	}
	l.Args["rows"] = l.Page.Limit + 1
	return "@rows"
}

// CursorBehind returns the cursor after the item with the time and the id.
func (l *List) CursorBehind(at core.Time, id int64) core.Cursor {
	return core.ListPosition{Sort: l.Sort, Filters: l.FilterDigest, Start: l.Start.Time, At: at.Time, ID: id}.Cursor()
}

// DigestFilter returns a digest of a filter, a struct of values that JSON can hold. It covers each field, so that none is
// forgotten.
func DigestFilter(filter any) uint32 {
	text, err := json.Marshal(filter)
	if err != nil {
		panic(err) // a field has a type that JSON does not have
	}
	h := fnv.New32a()
	_, _ = h.Write(text)
	return h.Sum32()
}

// ReadPage runs the list and returns the page: its rows, read by the names of their columns, and the cursor after the last
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

// RunPage runs the complete statement of a list and returns the page. place returns a row's position for the cursor.
func RunPage[T any](ctx context.Context, db *DB, l *List, sql string, place func(T) core.ListPosition) (core.Page[T], error) {
	rows, err := queryList(ctx, db, l, sql, place)
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

// ConvertPage converts each item of a page.
func ConvertPage[From, To any](page core.Page[From], convert func(From) To) core.Page[To] {
	converted := core.Page[To]{Data: make(core.List[To], len(page.Data)), NextCursor: page.NextCursor}
	for i, item := range page.Data {
		converted.Data[i] = convert(item)
	}
	return converted
}
