package core

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the event in its stored form: the JSON of the struct tags without what is empty. Unmarshalling
// it gives the event back. It is written by hand because ingest pays for it once per event.
func (e *Event) AppendJSON(b []byte) []byte {
	w := writer{append(b, '{')}
	w.str("event_id", e.EventID)
	w.time("timestamp", e.Timestamp)
	w.time("received_at", e.ReceivedAt)
	w.str("platform", e.Platform)
	w.str("level", e.Level)
	w.text("logger", e.Logger)
	w.text("title", e.Title)
	w.text("culprit", e.Culprit)
	w.text("message", e.Message)
	w.text("transaction", e.Transaction)
	w.text("release", e.Release)
	w.text("dist", e.Dist)
	w.text("environment", e.Environment)
	w.text("server_name", e.ServerName)
	list(&w, "exceptions", e.Exceptions, writeException)
	list(&w, "threads", e.Threads, writeThread)
	list(&w, "breadcrumbs", e.Breadcrumbs, writeBreadcrumb)
	w.value("user", e.User)
	if e.Request != nil {
		w.object("request", func() { writeRequest(&w, e.Request) })
	}
	w.value("tags", e.Tags)
	w.value("contexts", e.Contexts)
	w.value("extra", e.Extra)
	if e.SDK != (SDK{}) {
		w.object("sdk", func() { w.text("name", e.SDK.Name); w.text("version", e.SDK.Version) })
	}
	w.texts("fingerprint", e.Fingerprint)
	list(&w, "debug_images", e.DebugImages, writeDebugImage)
	list(&w, "problems", e.Problems, writeProblem)
	return append(w.b, '}')
}

func writeException(w *writer, x *Exception) {
	w.text("type", x.Type)
	w.text("value", x.Value)
	w.text("module", x.Module)
	if m := x.Mechanism; m != nil {
		w.object("mechanism", func() {
			w.text("type", m.Type)
			if m.Handled != nil {
				w.key("handled")
				w.b = strconv.AppendBool(w.b, *m.Handled)
			}
		})
	}
	list(w, "frames", x.Frames, writeFrame)
}

func writeFrame(w *writer, f *Frame) {
	w.text("function", f.Function)
	w.text("module", f.Module)
	w.text("filename", f.Filename)
	w.text("abs_path", f.AbsPath)
	w.int("lineno", f.Lineno)
	w.int("colno", f.Colno)
	w.flag("in_app", f.InApp)
	w.text("context_line", f.ContextLine)
	w.texts("pre_context", f.PreContext)
	w.texts("post_context", f.PostContext)
	w.value("vars", f.Vars)
	if s := f.Source; s != nil {
		w.object("source", func() {
			w.text("name", s.Name)
			w.text("path", s.Path)
			w.int("line", s.Line)
			w.int("column", s.Column)
		})
	}
}

func writeThread(w *writer, t *Thread) {
	w.text("id", t.ID)
	w.text("name", t.Name)
	w.flag("crashed", t.Crashed)
	w.flag("current", t.Current)
	list(w, "frames", t.Frames, writeFrame)
}

func writeBreadcrumb(w *writer, c *Breadcrumb) {
	w.time("timestamp", c.Timestamp)
	w.text("type", c.Type)
	w.text("category", c.Category)
	w.text("level", c.Level)
	w.text("message", c.Message)
	w.value("data", c.Data)
}

func writeRequest(w *writer, r *Request) {
	w.text("method", r.Method)
	w.text("url", r.URL)
	w.value("query", r.Query)
	w.value("headers", r.Headers)
	w.value("cookies", r.Cookies)
	w.value("data", r.Data)
}

func writeDebugImage(w *writer, d *DebugImage) {
	w.text("type", d.Type)
	w.text("debug_id", d.DebugID)
	w.text("code_file", d.CodeFile)
}

func writeProblem(w *writer, p *Problem) {
	w.str("path", p.Path)
	w.str("reason", p.Reason)
}

// writer appends the members of an object, leaving out those that are empty.
type writer struct{ b []byte }

func (w *writer) key(name string) {
	w.b = append(comma(w.b, '{'), '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
}

func (w *writer) str(name, s string) {
	if s != "" {
		w.key(name)
		w.b = appendString(w.b, s)
	}
}

func (w *writer) text(name string, s Untrusted) { w.str(name, string(s)) }

func (w *writer) int(name string, n OptInt) {
	if n != 0 {
		w.key(name)
		w.b = strconv.AppendInt(w.b, int64(n), 10)
	}
}

func (w *writer) flag(name string, on bool) {
	if on {
		w.key(name)
		w.b = append(w.b, "true"...)
	}
}

func (w *writer) time(name string, t Time) {
	if !t.IsZero() {
		w.key(name)
		w.b = t.appendJSON(w.b)
	}
}

func (w *writer) value(name string, v Value) {
	if !v.Empty() {
		w.key(name)
		w.b = v.AppendJSON(w.b)
	}
}

func (w *writer) texts(name string, list []Untrusted) {
	if len(list) == 0 {
		return
	}
	w.key(name)
	w.b = append(w.b, '[')
	for _, s := range list {
		w.b = appendString(comma(w.b, '['), string(s))
	}
	w.b = append(w.b, ']')
}

func (w *writer) object(name string, members func()) {
	w.key(name)
	w.b = append(w.b, '{')
	members()
	w.b = append(w.b, '}')
}

func list[T any](w *writer, name string, items []T, write func(*writer, *T)) {
	if len(items) == 0 {
		return
	}
	w.key(name)
	w.b = append(w.b, '[')
	for i := range items {
		w.b = append(comma(w.b, '['), '{')
		write(w, &items[i])
		w.b = append(w.b, '}')
	}
	w.b = append(w.b, ']')
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := len(b)
	b = append(b, s...)
	if plain := plainPrefix(b[start:]); plain < len(s) {
		b = appendEscaped(b[:start+plain], s[plain:])
	}
	return append(b, '"')
}

// plainPrefix counts the bytes before the first that is not ASCII or not to be left as it is. It looks at 8 at a time:
// in each byte of the sum below, the high bit is set by a byte of another kind, or borrowed from one before it.
func plainPrefix(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		x := binary.LittleEndian.Uint64(b[n:])
		control, quote, backslash := x-ones*' ', (x^ones*'"')-ones, (x^ones*'\\')-ones
		if (x|control|quote|backslash)&highs != 0 {
			break
		}
	}
	for n < len(b) && isPlain(b[n]) {
		n++
	}
	return n
}

func isPlain(c byte) bool { return c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf }

func appendEscaped(b []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if isPlain(c) {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size != 1 {
				i += size
				continue
			}
		}
		b = append(b, s[start:i]...)
		b = appendEscape(b, c)
		i++
		start = i
	}
	return append(b, s[start:]...)
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\t':
		return append(b, '\\', 't')
	case '\r':
		return append(b, '\\', 'r')
	}
	if c >= utf8.RuneSelf {
		return append(b, "\ufffd"...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
