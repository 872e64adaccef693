package client

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

const (
	usualWidth   = 120 // of a table in columns, when no terminal sets it
	widestCell   = 44  // the limit of a text until other columns have room; a third of a wider table
	thinnestText = 16  // a text is cut to this before columns are left out
	thinnestLast = 6   // the text of the last column is cut to this
	gap          = 2   // between columns
)

var (
	// mainColumns come first in a list, in this order: what a row is, how bad it is, and who works on it. A later one
	// never appears without the earlier ones.
	mainColumns = []string{"id", "fix_id", "score", "status", "outcome", "version", "title", "name", "slug", "action", "label",
		"times_seen", "users_affected", "issue_id", "last_seen", "claim", "timestamp", "at", "release", "environment"}
	// lastColumns come last: they are the same for most rows, or mean little on their own.
	lastColumns = []string{"project_id", "type", "stored_events", "platform", "trust", "source_trust", "trust_setting", "source",
		"actor_type", "linked_by_type", "received_at", "server_seen_at", "client_seen_at", "fingerprint", "fingerprint_version",
		"actor_id", "event_id"}
	// shortNames are other names for columns, besides the member's name.
	shortNames = map[string]string{"times_seen": "events", "users_affected": "users"}
	// wholeColumns are never cut, since a part of their value would look like another value.
	wholeColumns = []string{"id", "status"}
)

// column is a column of a table and its cells, from the top.
type column struct {
	name, title string
	cells       []string
	natural     int  // width of its widest cell
	width       int  // width in the table
	isText      bool // it can be cut
	isKnown     bool // a row has the member
}

// makeColumn makes the column for a member of the rows. Times are cut to minutes unless the column was chosen.
func makeColumn(name string, rows []any, isChosen bool) column {
	title := name
	if short := shortNames[localName(name)]; short != "" && !isChosen {
		title = short
	}
	made := column{name: name, title: strings.ToUpper(cleanCell(title))}
	made.natural = min(textWidth(made.title), widestCell)
	for _, row := range rows {
		value := findCell(row, name)
		made.isKnown = made.isKnown || hasColumn(row, name)
		text, isText := value.(string)
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			if isText = false; !isChosen {
				value = at.UTC().Format("2006-01-02T15:04Z")
			}
		}
		cell := cleanCell(value)
		_, isList := value.([]any)
		_, isObject := value.(jsonObject)
		made.isText = made.isText || isText || isList || isObject
		made.cells = append(made.cells, cell)
		made.natural = max(made.natural, textWidth(cell))
	}
	made.isText = made.isText && !slices.Contains(wholeColumns, localName(name))
	return made
}

// localName returns the name of a column within the issue that a row may contain.
func localName(name string) string { return strings.TrimPrefix(name, "issue.") }

// hasColumn reports whether a row has the first member of a path. Its value may be null.
func hasColumn(row any, name string) bool {
	object, isObject := row.(jsonObject)
	first, _, _ := strings.Cut(strings.ToLower(name), ".")
	return !isObject || slices.ContainsFunc(object, func(m jsonMember) bool { return m.name == first || shortNames[m.name] == first })
}

// findCell returns the value of a row for a column: the member, also by its short name, and the holder for a claim.
func findCell(row any, name string) any {
	object, isObject := row.(jsonObject)
	if !isObject {
		return row
	}
	value := object.findMember(strings.ToLower(name))
	for member, short := range shortNames {
		if value == nil && short == strings.ToLower(name) {
			value = object.findMember(member)
		}
	}
	claim, isNested := value.(jsonObject)
	if !isNested || localName(name) != "claim" || claim.findMember("holder") == nil {
		return value
	}
	holder := encodeOrdered(claim.findMember("holder"))
	if worker := encodeOrdered(claim.findMember("worker")); worker != "" {
		holder += " (" + worker + ")"
	}
	return holder
}

// nameColumns returns the names of the rows' members with a single value, including members of the issue in a row.
// The main columns come first, then the others in their order.
func nameColumns(rows []any) (names []string) {
	for _, row := range rows {
		object, isObject := row.(jsonObject)
		if !isObject {
			return []string{""}
		}
		for _, m := range object {
			inner, isNested := m.value.(jsonObject)
			switch {
			case isNested && m.name == "issue":
				for _, name := range nameColumns([]any{inner}) {
					names = append(names, "issue."+name)
				}
			case !isNested || m.name == "claim":
				names = append(names, m.name)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rankColumn(a), rankColumn(b)) })
	return removeTwins(names)
}

// removeTwins returns the names without repeats.
func removeTwins(names []string) (unique []string) {
	seen := map[string]bool{}
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			unique = append(unique, name)
		}
	}
	return unique
}

// rankColumn returns the position of a column: main columns come first, lastColumns last.
func rankColumn(name string) int {
	name = localName(name)
	if at := slices.Index(mainColumns, name); at >= 0 {
		return at
	}
	if at := slices.Index(lastColumns, name); at >= 0 {
		return len(mainColumns) + 1 + at
	}
	return len(mainColumns)
}

// isMain reports whether the column is one of mainColumns.
func (c column) isMain() bool { return rankColumn(c.name) < len(mainColumns) }

// thinWidth returns the smallest width that a column can be cut to.
func (c column) thinWidth() int {
	if c.isText {
		return min(c.natural, thinnestText)
	}
	return c.natural
}

// fitColumns returns the columns that fit, with their widths. The main ones come first: their texts are cut before one is left out, and
// after a column that is left out no other follows. Other columns are added if they fit. The first column is always there.
func fitColumns(columns []column, room int) (kept []column) {
	widest := max(widestCell, room/3)
	left := room + gap // no gap after the last column
	for at, c := range columns {
		c.width = c.thinWidth()
		if !c.isMain() && at > 0 {
			break
		}
		if c.width+gap > left && at > 0 {
			if c.width = left - gap; !c.isText || c.width < thinnestLast {
				return widenColumns(kept, left, widest)
			}
		}
		left -= c.width + gap
		kept = append(kept, c)
	}
	rest := columns[len(kept):]
	kept = widenColumns(kept, left, widest)
	left = room + gap - widthOf(kept)
	for _, c := range rest {
		if c.width = min(c.natural, widestCell); c.width+gap <= left {
			left -= c.width + gap
			kept = append(kept, c)
		}
	}
	return widenColumns(kept, left, room)
}

// widthOf returns the width of columns with the gap after each.
func widthOf(columns []column) (width int) {
	for _, c := range columns {
		width += c.width + gap
	}
	return width
}

// widenColumns spends the remaining room on columns that are cut, from the first on, up to a width.
func widenColumns(columns []column, left, atMost int) []column {
	for i := range columns {
		more := min(columns[i].natural, atMost) - columns[i].width
		if more = min(more, left); more > 0 {
			columns[i].width += more
			left -= more
		}
	}
	return columns
}

// keepColumns returns all columns with their widths. Texts are cut where the room ends.
func keepColumns(columns []column, room int) []column {
	for i := range columns {
		columns[i].width = columns[i].thinWidth()
	}
	return widenColumns(columns, room+gap-widthOf(columns), room)
}
