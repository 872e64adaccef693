package client

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"errand/wire"
)

const widestName = 24 // before the values of an object

// printTable prints an answer for people: a list as a table, an object as lines. Other parts of the answer go to the notes.
func (o CallOptions) printTable(body []byte) error {
	decoded, err := decodeOrdered(body)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotErrand, err)
	}
	answer, _ := decoded.(jsonObject)
	return o.printDecoded(answer)
}

// printDecoded is printTable for a decoded answer.
func (o CallOptions) printDecoded(answer jsonObject) error {
	var text strings.Builder
	var list table
	rows, isList := answer.findMember("data").([]any)
	switch data := answer.findMember("data").(type) {
	case []any:
		list = o.makeTable(rows)
		list.writeTo(&text)
	case jsonObject:
		writeObject(&text, "", o.chooseMembers(data), findUntrusted(answer))
	default:
		writeObject(&text, "", answer, nil)
	}
	if _, err := io.WriteString(o.Streams.Out, text.String()); err != nil {
		return err
	}
	if isList {
		o.noteColumns(list, answer)
	}
	for _, m := range answer {
		switch {
		case m.name == "data" || m.value == nil || isList && m.name == "untrusted":
		case m.name == "next_cursor":
			fmt.Fprintf(o.Streams.Notes, "There is more: add --cursor %s\n", cleanCell(m.value))
		case answer.findMember("data") != nil:
			fmt.Fprintf(o.Streams.Notes, "%s: %s\n", cleanCell(m.name), cleanCell(m.value))
		}
	}
	return nil
}

// table is the columns of a list.
type table struct {
	columns []column
	rows    int
	left    int      // the number of columns that did not fit
	unknown []string // chosen columns that no row has
}

// makeTable returns a table with the chosen columns, or else with as many as fit.
func (o CallOptions) makeTable(rows []any) table {
	made, room := table{rows: len(rows)}, cmp.Or(o.Streams.Width, usualWidth)
	for _, name := range o.Columns {
		c := makeColumn(name, rows, true)
		made.columns = append(made.columns, c)
		if !c.isKnown {
			made.unknown = append(made.unknown, c.name)
		}
	}
	if len(rows) == 0 || len(made.columns) > 0 {
		keepColumns(made.columns, room)
		return made
	}
	var filled []column
	for _, name := range nameColumns(rows) {
		if c := makeColumn(name, rows, false); strings.Join(c.cells, "") != "" {
			filled = append(filled, c)
		}
	}
	made.columns = fitColumns(filled, room)
	made.left = len(filled) - len(made.columns)
	return made
}

// writeTo writes the columns below their titles, and nothing if there are no rows.
func (t table) writeTo(w *strings.Builder) {
	for row := -1; row < t.rows && t.rows > 0 && len(t.columns) > 0; row++ {
		line := ""
		for _, c := range t.columns {
			text := c.title
			if row >= 0 {
				text = c.cells[row]
			}
			line += padText(cutText(text, c.width), c.width+gap)
		}
		w.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// noteColumns notes what a list does not show, and which of its columns are texts of others.
func (o CallOptions) noteColumns(list table, answer jsonObject) {
	if list.rows == 0 {
		fmt.Fprintln(o.Streams.Notes, "Nothing found.")
		return
	}
	if list.left > 0 {
		fmt.Fprintf(o.Streams.Notes, "No room for %d of the columns: --columns names what to show, --json shows all.\n", list.left)
	}
	if list.unknown != nil {
		fmt.Fprintf(o.Streams.Notes, "No row has %s: --json shows the names.\n", cleanCell(strings.Join(list.unknown, ", ")))
	}
	paths := findUntrusted(answer)
	var shown []string
	for _, c := range list.columns {
		if slices.ContainsFunc(paths, c.isAt) {
			shown = append(shown, strings.ToLower(c.title))
		}
	}
	if shown != nil {
		fmt.Fprintf(o.Streams.Notes, "untrusted: %s. %s\n", strings.Join(shown, ", "), cleanCell(answer.findMember("untrusted.note")))
	}
}

// isAt reports whether a column shows the value at a path such as data[].claim.holder, or a part of it.
func (c column) isAt(path any) bool {
	text, _ := path.(string)
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text, "data[]."), "data."), "[]")
	return text == c.name || strings.HasPrefix(text, c.name+".") || strings.HasPrefix(c.name, text+".")
}

// writeObject writes an object as lines of name and value, with the path for nested members. Longer texts keep their
// lines. Texts of others are indented, so that no text looks like another member.
func writeObject(w *strings.Builder, path string, object jsonObject, untrusted []any) {
	for _, m := range object {
		name := path + wire.RemoveHidden(m.name)
		switch value := m.value.(type) {
		case jsonObject:
			writeObject(w, name+".", value, untrusted)
			continue
		case string:
			if !strings.Contains(value, "\n") {
				break
			}
			text := wire.RemoveHidden(value, '\n', '\t')
			if slices.ContainsFunc(untrusted, column{name: name}.isAt) {
				text = "  " + strings.ReplaceAll(text, "\n", "\n  ")
			}
			fmt.Fprintf(w, "%s:\n%s\n", name, text)
			continue
		}
		w.WriteString(strings.TrimRight(fmt.Sprintf("%-*s %s", widestName, name, cleanCell(m.value)), " ") + "\n")
	}
}

// findUntrusted returns the paths of others' text in an answer, such as data.event.
func findUntrusted(answer jsonObject) []any {
	said, _ := answer.findMember("untrusted").(jsonObject)
	paths, _ := said.findMember("paths").([]any)
	return paths
}

// chooseMembers returns the members that were chosen as columns; all when none were.
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
