package web

import (
	"fmt"
	"unicode/utf8"

	"errand/core"
)

// How much of the values of an event a page shows by itself; "all" shows allOfValue of each.
const (
	maxVars     = 20 // of a frame
	maxValue    = 300
	maxLongText = 1500 // of the body of a request
	maxCode     = 400  // of a line of source
	maxName     = 120  // of a name: a function, a variable, a thread
	allOfValue  = 20_000
)

// writeValue writes a value of an event on one line: a text as it is, all else as JSON.
func writeValue(value core.Value, most int) string {
	if value.Kind == core.String {
		return cutText(value.Text, most)
	}
	return writeJSON(value, most)
}

// writeJSON writes a value as JSON, a text in quotes.
func writeJSON(value core.Value, most int) string {
	return cutText(string(value.AppendJSON(nil)), most)
}

// cutText cuts a text after so many bytes, at a whole character, and says how much is left.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return fmt.Sprintf("%s … %s more", text[:most], writePlural(len(text)-most, "byte", "bytes"))
}

// listMembers writes the members of an object, each with its name. Only an object has any.
func listMembers(value core.Value, most int, write func(core.Value, int) string) []variable {
	if value.Kind != core.Object {
		return nil
	}
	var list []variable
	for i := range value.Kids {
		list = append(list, variable{cutText(value.Kids[i].Key, maxName), write(value.Kids[i].Value, most)})
	}
	return list
}
