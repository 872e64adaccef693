package envelope

import (
	"strings"

	"errand/core"
)

// readNoticeRequest reads the request. Members without a place in an event's request become a context.
func (n *noticeReader) readNoticeRequest() *core.Request {
	if !n.requireObject() {
		return nil
	}
	request := &n.kept.request
	*request = core.Request{}
	var path, query core.Untrusted
	mark := len(n.stack.members)
	n.readMembers(func(name string) {
		switch name {
		case "method":
			request.Method = core.Untrusted(strings.ToUpper(string(n.readWord())))
		case "url":
			request.URL = n.readWord()
		case "path":
			path = n.readWord()
		case "query", "query_string":
			if n.json.peekByte() == '"' {
				query = n.readText()
				request.Query = n.parseForm(strings.TrimPrefix(string(query), "?"))
			} else {
				request.Query = n.readQuery()
			}
		case "headers":
			request.Headers = n.readHeaders()
		case "cookies":
			request.Cookies = n.readCookies()
		case "body", "data":
			if body, value := n.readBody(); body != nil {
				request.Data = n.parseBody(*body, "")
			} else {
				request.Data = value
			}
		default:
			if n.admitMember() {
				n.stack.push(core.Member{Key: name, Value: n.readValue()})
			}
		}
	})
	n.keepForm(request.URL, path, query)
	n.request = n.popObject(mark)
	if request.URL == "" {
		request.URL = path
	}
	n.splitURL(request)
	return request
}

// keepForm adds what an event's request has in another form: the path, the query as a text, and the URL with its query. Each is a text
// like any other to the scrubber. A fragment with parameters is left out, as by splitURL.
func (n *noticeReader) keepForm(address, path, query core.Untrusted) {
	rest, fragment, _ := strings.Cut(string(address), "#")
	if !strings.Contains(rest, "?") {
		rest = ""
	} else if fragment != "" && !strings.ContainsAny(fragment, "=&") {
		rest += "#" + fragment
	}
	for _, member := range [...]core.Member{
		{Key: "url", Value: core.StringValue(rest)}, {Key: "path", Value: core.StringValue(string(path))},
		{Key: "query", Value: core.StringValue(string(query))},
	} {
		if member.Value.Text != "" && n.countMember() {
			n.stack.push(member)
		}
	}
}
