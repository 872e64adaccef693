package app

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	usualWidth = 120 // of a table in columns, where no terminal says
	widestCell = 44  // of a list
	widestName = 24  // before the values of one object
	gap        = 2   // between columns
)

// mainColumns are those of a list that are shown before others take the room: what a row is known by.
var mainColumns = []string{"id", "title", "name", "status", "version", "text", "summary", "last_seen"}

// printTable prints an answer for people: a list as a table, an object as lines. What else the answer has goes to the notes.
func (o CallOptions) printTable(body []byte) error {
	decoded, err := decodeOrdered(body)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotErrand, err)
	}
	answer, _ := decoded.(jsonObject)
	var text strings.Builder
	switch data := answer.findMember("data").(type) {
	case []any:
		o.writeList(&text, data)
	case jsonObject:
		writeObject(&text, "", o.chooseMembers(data))
	default:
		writeObject(&text, "", answer)
	}
	if _, err := io.WriteString(o.Streams.Out, text.String()); err != nil {
		return err
	}
	for _, m := range answer {
		switch {
		case m.name == "data" || m.value == nil:
		case m.name == "next_cursor":
			fmt.Fprintf(o.Streams.Notes, "There is more: add --cursor %s\n", cleanCell(m.value))
		case answer.findMember("data") != nil:
			fmt.Fprintf(o.Streams.Notes, "%s: %s\n", cleanCell(m.name), cleanCell(m.value))
		}
	}
	return nil
}

// column is a column of a table and its cells, from the top.
type column struct {
	name  string
	cells []string
	width int
}

// writeList writes rows as a table: the columns that were asked for, else as many as have room.
func (o CallOptions) writeList(w *strings.Builder, rows []any) {
	if len(rows) == 0 {
		fmt.Fprintln(o.Streams.Notes, "Nothing found.")
		return
	}
	names, isChosen := o.Columns, len(o.Columns) > 0
	if !isChosen {
		names = nameColumns(rows)
	}
	var columns []column
	for _, name := range names {
		made := makeColumn(name, rows)
		if isChosen || strings.Join(made.cells, "") != "" {
			columns = append(columns, made)
		}
	}
	if !isChosen {
		columns = o.fitColumns(columns)
	}
	line := ""
	for _, c := range columns {
		line += fmt.Sprintf("%-*s", c.width+gap, strings.ToUpper(removeHidden(c.name)))
	}
	w.WriteString(strings.TrimRight(line, " ") + "\n")
	for i := range rows {
		line = ""
		for _, c := range columns {
			line += fmt.Sprintf("%-*s", c.width+gap, c.cells[i])
		}
		w.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// nameColumns returns the names of the members of all rows that have one value, in their order.
func nameColumns(rows []any) (names []string) {
	for _, row := range rows {
		object, isObject := row.(jsonObject)
		if !isObject {
			return []string{""}
		}
		for _, m := range object {
			_, isNested := m.value.(jsonObject)
			if !isNested && !slices.Contains(names, m.name) {
				names = append(names, m.name)
			}
		}
	}
	return names
}

func makeColumn(name string, rows []any) column {
	made := column{name: name, width: utf8.RuneCountInString(name)}
	for _, row := range rows {
		cell := row
		if object, isObject := row.(jsonObject); isObject {
			cell = object.findMember(name)
		}
		text := cutCell(cleanCell(cell))
		made.cells = append(made.cells, text)
		made.width = max(made.width, utf8.RuneCountInString(text))
	}
	return made
}

// fitColumns returns the columns that have room: the main ones, then the narrow ones before the wide ones.
func (o CallOptions) fitColumns(columns []column) []column {
	ranked := slices.Clone(columns)
	slices.SortStableFunc(ranked, func(a, b column) int {
		return cmp.Or(cmp.Compare(rankColumn(a.name), rankColumn(b.name)), cmp.Compare(a.width, b.width))
	})
	room := cmp.Or(o.Streams.Width, usualWidth)
	var kept []string
	for _, c := range ranked {
		if room -= c.width; room < 0 {
			break
		}
		room -= gap
		kept = append(kept, c.name)
	}
	if left := len(columns) - len(kept); left > 0 {
		fmt.Fprintf(o.Streams.Notes, "%d more columns have no room; --columns names what to show, --json shows all.\n", left)
	}
	return slices.DeleteFunc(columns, func(c column) bool { return !slices.Contains(kept, c.name) })
}

// rankColumn returns the place of a column among the main ones; the others come after them.
func rankColumn(name string) int {
	if at := slices.Index(mainColumns, name); at >= 0 {
		return at
	}
	return len(mainColumns)
}

// writeObject writes an object as lines of name and value, what is nested with its path. Longer texts keep their lines.
func writeObject(w *strings.Builder, path string, object jsonObject) {
	for _, m := range object {
		name := path + removeHidden(m.name)
		switch value := m.value.(type) {
		case jsonObject:
			writeObject(w, name+".", value)
			continue
		case string:
			if strings.Contains(value, "\n") {
				fmt.Fprintf(w, "%s:\n%s\n", name, removeHidden(value, '\n', '\t'))
				continue
			}
		}
		w.WriteString(strings.TrimRight(fmt.Sprintf("%-*s %s", widestName, name, cleanCell(m.value)), " ") + "\n")
	}
}

// chooseMembers returns the members that were asked for as columns; all when none were.
func (o CallOptions) chooseMembers(object jsonObject) jsonObject {
	if len(o.Columns) == 0 {
		return object
	}
	var chosen jsonObject
	for _, name := range o.Columns {
		chosen = append(chosen, jsonMember{name: name, value: object.findMember(name)})
	}
	return chosen
}

// cleanCell writes a value in one line without what could steer a terminal.
func cleanCell(value any) string {
	return removeHidden(strings.Join(strings.Fields(encodeOrdered(value)), " "))
}

func cutCell(text string) string {
	if utf8.RuneCountInString(text) <= widestCell {
		return text
	}
	return string([]rune(text)[:widestCell-1]) + "…"
}
