package envelope

import (
	"net/url"
	"strings"

	"errand/core"
)

// readRequest reads the HTTP request. It takes apart everything with named parts (query, cookies, form data, JSON as text), so
// that the scrubber sees the names.
func (d *decoder) readRequest() *core.Request {
	if !d.requireObject() {
		return nil
	}
	request := &d.kept.request
	*request = core.Request{} // the last member with this name counts
	var body *string
	for m := d.json.enterObject(); m.nextMember(); {
		d.path.enterMember(m.key)
		switch m.key {
		case "method":
			request.Method = core.Untrusted(strings.ToUpper(string(d.readWord())))
		case "url":
			request.URL = d.readWord()
		case "query_string":
			request.Query = d.readQuery()
		case "headers":
			request.Headers = d.readHeaders()
		case "cookies":
			request.Cookies = d.readCookies()
		case "data":
			body, request.Data = d.readBody()
		default:
			d.json.skipValue()
		}
		d.path.leaveValue()
	}
	d.splitURL(request)
	if body != nil {
		request.Data = d.parseBody(*body, contentType(request.Headers))
	}
	return request
}

// splitURL moves the query out of the URL. A fragment stays unless it has parameters, which may be credentials.
func (d *decoder) splitURL(request *core.Request) {
	rest, fragment, _ := strings.Cut(string(request.URL), "#")
	base, query, _ := strings.Cut(rest, "?")
	if fragment != "" && !strings.ContainsAny(fragment, "=&") {
		base += "#" + fragment
	}
	request.URL = core.Untrusted(base)
	if request.Query.IsEmpty() && query != "" {
		request.Query = d.parseForm(query)
	}
}

// readQuery reads the query: an object, pairs, or a text as in a URL.
func (d *decoder) readQuery() core.Value {
	mark, text := d.readPairs()
	if text != "" {
		return d.parseForm(strings.TrimPrefix(text, "?"))
	}
	d.gatherRepeated(mark)
	return d.popObject(mark)
}

// parseForm reads a query or form into an object by name. A name that appears more than once gets a list.
func (d *decoder) parseForm(text string) core.Value {
	mark := len(d.stack.members)
	for part := range strings.SplitSeq(text, "&") {
		if part == "" {
			continue
		}
		if !d.countMember() {
			break
		}
		name, value, _ := strings.Cut(part, "=")
		d.stack.push(core.Member{Key: unescapeForm(name), Value: core.StringValue(unescapeForm(value))})
	}
	d.gatherRepeated(mark)
	return d.popObject(mark)
}

// gatherRepeated puts the values of a repeated name into one list.
func (d *decoder) gatherRepeated(mark int) {
	pairs := d.stack.from(mark)
	if len(pairs) < 2 {
		return
	}
	first := make(map[string]int, len(pairs))
	kept := pairs[:0]
	for _, pair := range pairs {
		i, isRepeated := first[pair.Key]
		if !isRepeated {
			first[pair.Key] = len(kept)
			kept = append(kept, pair)
			continue
		}
		if kept[i].Value.Kind != core.Array {
			kept[i].Value = core.Value{Kind: core.Array, Kids: []core.Member{{Value: kept[i].Value}}}
		}
		kept[i].Value.Kids = append(kept[i].Value.Kids, core.Member{Value: pair.Value})
	}
	d.stack.cutTo(mark + len(kept))
}

// unescapeForm resolves + and %XX; a text with invalid escapes stays as it is.
func unescapeForm(text string) string {
	if strings.IndexByte(text, '%') < 0 && strings.IndexByte(text, '+') < 0 {
		return text
	}
	plain, err := url.QueryUnescape(text)
	if err != nil {
		return text
	}
	return cleanPayload([]byte(plain))
}

// readHeaders reads the headers: an object of texts or lists, pairs, or the lines of a request.
func (d *decoder) readHeaders() core.Value {
	mark, text := d.readPairs()
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok && d.countMember() {
			d.stack.push(core.Member{Key: strings.TrimSpace(name), Value: core.StringValue(strings.TrimSpace(value))})
		}
	}
	d.gatherRepeated(mark)
	for i := range d.stack.from(mark) {
		header := &d.stack.members[mark+i].Value
		*header = core.StringValue(headerText(*header))
	}
	return d.popObject(mark)
}

// headerText joins the values of a header that was sent as a list, as HTTP allows.
func headerText(value core.Value) string {
	if value.Kind != core.Array {
		return textOf(value)
	}
	texts := make([]string, len(value.Kids))
	for i := range value.Kids {
		texts[i] = textOf(value.Kids[i].Value)
	}
	return strings.Join(texts, ", ")
}

// contentType returns the media type of the request's body, in lower case and without parameters.
func contentType(headers core.Value) string {
	for i := range headers.Kids {
		if strings.EqualFold(headers.Kids[i].Key, "content-type") {
			media, _, _ := strings.Cut(headers.Kids[i].Value.Text, ";")
			return strings.ToLower(strings.TrimSpace(media))
		}
	}
	return ""
}

// readCookies reads the cookies: an object, pairs, or the text of the Cookie header.
func (d *decoder) readCookies() core.Value {
	mark, text := d.readPairs()
	for part := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if name != "" && d.countMember() {
			d.stack.push(core.Member{Key: name, Value: core.StringValue(value)})
		}
	}
	return d.popObject(mark)
}

// readBody reads the request's body: a text that is not parsed yet, or a value.
func (d *decoder) readBody() (*string, core.Value) {
	if d.json.peekByte() == '"' {
		text := d.json.readString()
		return &text, core.Value{}
	}
	return nil, orNull(d.readValue())
}

// parseBody takes apart a body that is JSON or a form.
func (d *decoder) parseBody(text, mediaType string) core.Value {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return core.Value{}
	case trimmed[0] == '{' || trimmed[0] == '[':
		if v, ok := d.parseJSON(trimmed); ok {
			return orNull(v)
		}
	case mediaType == "application/x-www-form-urlencoded", mediaType == "" && looksLikeForm(trimmed):
		return d.parseForm(trimmed)
	}
	return core.StringValue(text)
}

// parseJSON reads a text that contains JSON.
func (d *decoder) parseJSON(text string) (core.Value, bool) {
	outer := d.json
	d.json = scanner{text: text}
	v := d.readValue()
	ok := d.json.isAtEnd()
	d.json = outer
	return v, ok
}

// looksLikeForm reports whether a text without a media type is name=value&name=value.
func looksLikeForm(text string) bool {
	for part := range strings.SplitSeq(text, "&") {
		name, _, ok := strings.Cut(part, "=")
		if !ok || name == "" || strings.ContainsAny(part, " \t\r\n<>{}\"") {
			return false
		}
	}
	return true
}
