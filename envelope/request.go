package envelope

import (
	"net/url"
	"strings"

	"errand/core"
)

// request reads the HTTP request. Whatever has parts with names (query, cookies, form data, JSON that came as text) is
// taken apart, so that the scrubber sees the names.
func (d *decoder) request() *core.Request {
	if !d.isObject() {
		return nil
	}
	r := &d.room.request
	*r = core.Request{} // the last member of the name counts
	var body *string
	for m := d.object(); m.next(); {
		d.path.enter(m.key)
		switch m.key {
		case "method":
			r.Method = core.Untrusted(strings.ToUpper(string(d.word())))
		case "url":
			r.URL = d.word()
		case "query_string":
			r.Query = d.queryString()
		case "headers":
			r.Headers = d.headers()
		case "cookies":
			r.Cookies = d.cookies()
		case "data":
			body, r.Data = d.body()
		default:
			d.skip()
		}
		d.path.leave()
	}
	d.splitURL(r)
	if body != nil {
		r.Data = d.parseBody(*body, contentType(r.Headers))
	}
	return r
}

// splitURL moves the query out of the URL. A fragment stays unless it has parameters, which may be credentials.
func (d *decoder) splitURL(r *core.Request) {
	rest, fragment, _ := strings.Cut(string(r.URL), "#")
	place, query, _ := strings.Cut(rest, "?")
	if fragment != "" && !strings.ContainsAny(fragment, "=&") {
		place += "#" + fragment
	}
	r.URL = core.Untrusted(place)
	if r.Query.IsEmpty() && query != "" {
		r.Query = d.parseForm(query)
	}
}

// queryString reads the query: an object, pairs, or a text as in a URL.
func (d *decoder) queryString() core.Value {
	mark, text := d.pairs()
	if text != "" {
		return d.parseForm(strings.TrimPrefix(text, "?"))
	}
	return d.popObject(mark)
}

// parseForm reads a query or form: an object of the names, in which a name that comes again has a list.
func (d *decoder) parseForm(text string) core.Value {
	mark := len(d.stack)
	for part := range strings.SplitSeq(text, "&") {
		if part == "" {
			continue
		}
		if !d.afford() {
			break
		}
		name, value, _ := strings.Cut(part, "=")
		d.stack = append(d.stack, core.Member{Key: unescapeForm(name), Value: core.StringValue(unescapeForm(value))})
	}
	d.gather(mark)
	return d.popObject(mark)
}

// gather puts the values of a name that comes more than once into one list.
func (d *decoder) gather(mark int) {
	pairs := d.stack[mark:]
	if len(pairs) < 2 {
		return
	}
	first := make(map[string]int, len(pairs))
	kept := pairs[:0]
	for _, p := range pairs {
		i, again := first[p.Key]
		if !again {
			first[p.Key] = len(kept)
			kept = append(kept, p)
			continue
		}
		if kept[i].Value.Kind != core.Array {
			kept[i].Value = core.Value{Kind: core.Array, Kids: []core.Member{{Value: kept[i].Value}}}
		}
		kept[i].Value.Kids = append(kept[i].Value.Kids, core.Member{Value: p.Value})
	}
	d.deepest = max(d.deepest, len(d.stack))
	d.stack = d.stack[:mark+len(kept)]
}

// unescapeForm resolves + and %XX; a text that is not well escaped stays as it is.
func unescapeForm(text string) string {
	if strings.IndexByte(text, '%') < 0 && strings.IndexByte(text, '+') < 0 {
		return text
	}
	plain, err := url.QueryUnescape(text)
	if err != nil {
		return text
	}
	return clean([]byte(plain))
}

// headers reads the headers: an object of texts or lists, pairs, or the lines of a request.
func (d *decoder) headers() core.Value {
	mark, text := d.pairs()
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok && d.afford() {
			d.stack = append(d.stack, core.Member{Key: strings.TrimSpace(name), Value: core.StringValue(strings.TrimSpace(value))})
		}
	}
	for i := range d.stack[mark:] {
		h := &d.stack[mark+i].Value
		*h = core.StringValue(headerText(*h))
	}
	return d.popObject(mark)
}

// headerText joins the values of a header that was sent as a list, as HTTP allows.
func headerText(v core.Value) string {
	if v.Kind != core.Array {
		return textOf(v)
	}
	texts := make([]string, len(v.Kids))
	for i := range v.Kids {
		texts[i] = textOf(v.Kids[i].Value)
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

// cookies reads the cookies: an object, pairs, or the text of the Cookie header.
func (d *decoder) cookies() core.Value {
	mark, text := d.pairs()
	for part := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if name != "" && d.afford() {
			d.stack = append(d.stack, core.Member{Key: name, Value: core.StringValue(value)})
		}
	}
	return d.popObject(mark)
}

// body reads the request's body: a text that is still to be parsed, or a value.
func (d *decoder) body() (*string, core.Value) {
	if d.peek() == '"' {
		text := d.str()
		return &text, core.Value{}
	}
	return nil, orNull(d.value())
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

// parseJSON reads a text that is JSON in itself.
func (d *decoder) parseJSON(text string) (core.Value, bool) {
	outer := d.scanner
	d.scanner = scanner{text: text}
	v := d.value()
	ok := d.end()
	d.scanner = outer
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
