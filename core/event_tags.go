package core

import "strings"

// EventTags is the part of a stored event that describes its circumstances: release, server, URL, tags and the like.
// It can be read without the rest of the event.
type EventTags struct {
	Release     Untrusted
	Environment Untrusted
	ServerName  Untrusted
	Transaction Untrusted
	URL         Untrusted
	UserAgent   string
	Tags        Value
	Contexts    Value
}

// ReadEventTags reads the tags from an event that AppendJSON wrote.
func ReadEventTags(text []byte) (EventTags, error) {
	r := valueReader{text: string(text)}
	var t EventTags
	r.readMembers(func(key string) { r.readPartOfTags(&t, key) })
	if r.skipSpace(); r.hasFailed || r.at < len(r.text) {
		return EventTags{}, errNoEvent
	}
	return t, nil
}

func (r *valueReader) readPartOfTags(t *EventTags, key string) {
	switch key {
	case "release":
		readText(r, &t.Release)
	case "environment":
		readText(r, &t.Environment)
	case "server_name":
		readText(r, &t.ServerName)
	case "transaction":
		readText(r, &t.Transaction)
	case "tags":
		t.Tags = r.readValue(1)
	case "contexts":
		t.Contexts = r.readValue(1)
	case "request":
		var request *Request
		readOptional(r, &request, r.readPartOfRequest)
		if request != nil {
			t.URL, t.UserAgent = request.URL, request.findHeader("User-Agent")
		}
	}
}

// findHeader returns the value of a header, empty when there is none. The case of the name does not matter.
func (q *Request) findHeader(name string) string {
	for _, header := range q.Headers.Kids {
		if strings.EqualFold(header.Key, name) {
			return header.Value.Text
		}
	}
	return ""
}
