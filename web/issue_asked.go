package web

import (
	"strings"

	"errand/core"
)

// askedPart is the request during which an event happened, with its user.
type askedPart struct {
	Line string // the method and the URL
	Rows []variable
	More []askedGroup // what else the event says, folded
}

// askedGroup is a named group of values.
type askedGroup struct {
	Name string
	Rows []variable
}

// makeAsked makes the request, the user and the other values of an event; nil when it has none.
func makeAsked(event *core.Event, all bool) *askedPart {
	most, long := maxValue, maxLongText
	if all {
		most, long = allOfValue, allOfValue
	}
	asked := &askedPart{}
	if r := event.Request; r != nil {
		asked.Line = cutText(strings.TrimSpace(string(r.Method)+" "+string(r.URL)), long)
		for _, part := range []struct {
			name  string
			value core.Value
			most  int
		}{{"query", r.Query, most}, {"body", r.Data, long}, {"cookies", r.Cookies, most}} {
			if !part.value.IsEmpty() {
				asked.Rows = append(asked.Rows, variable{part.name, writeValue(part.value, part.most)})
			}
		}
		if rows := listMembers(r.Headers, most, writeValue); len(rows) > 0 {
			asked.More = append(asked.More, askedGroup{"Headers", rows})
		}
	}
	for _, row := range listMembers(event.User, most, writeValue) {
		asked.Rows = append(asked.Rows, variable{"user " + readText(row.Name), row.Value})
	}
	for _, text := range []variable{{"transaction", event.Transaction}, {"message", event.Message}, {"server", event.ServerName}} {
		isRepeated := text.Name == "message" && strings.Contains(string(event.Title), string(event.Message))
		if value := readText(text.Value); value != "" && !isRepeated {
			asked.Rows = append(asked.Rows, variable{text.Name, cutText(value, long)})
		}
	}
	for _, part := range []struct {
		name  string
		value core.Value
	}{{"Tags", event.Tags}, {"Extra", event.Extra}, {"Contexts", event.Contexts}} {
		if rows := listMembers(part.value, most, writeValue); len(rows) > 0 {
			asked.More = append(asked.More, askedGroup{part.name, rows})
		}
	}
	if asked.Line == "" && len(asked.Rows) == 0 && len(asked.More) == 0 {
		return nil
	}
	return asked
}
