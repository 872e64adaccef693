package core

import "strconv"

// AppendJSON appends the event in its stored form: the JSON of the struct tags without what is empty. Unmarshalling
// it gives the event back. It is written by hand because ingest pays for it once per event.
func (e *Event) AppendJSON(b []byte) []byte {
	w := writer{b: b}
	w.event(e)
	return w.b
}

// MeasureJSON returns how many bytes the event has for readers, who get null, false or [] for what the stored form leaves
// out: of many small frames that is several times the stored form. The buffer is room to write in.
func (e *Event) MeasureJSON(buffer []byte) int {
	w := writer{b: buffer[:0]}
	w.event(e)
	return len(w.b) + w.absent
}

func (w *writer) event(e *Event) {
	w.b = append(w.b, '{')
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
	list(w, "exceptions", e.Exceptions, writeException)
	list(w, "threads", e.Threads, writeThread)
	list(w, "breadcrumbs", e.Breadcrumbs, writeBreadcrumb)
	w.value("user", e.User)
	if e.Request != nil {
		w.object("request", func() { writeRequest(w, e.Request) })
	} else {
		w.leaveOut("request", "null")
	}
	w.value("tags", e.Tags)
	w.value("contexts", e.Contexts)
	w.value("extra", e.Extra)
	if e.SDK != (SDK{}) {
		w.object("sdk", func() { w.text("name", e.SDK.Name); w.text("version", e.SDK.Version) })
	} else {
		w.leaveOut("sdk", `{"name":null,"version":null}`)
	}
	w.texts("fingerprint", e.Fingerprint)
	list(w, "debug_images", e.DebugImages, writeDebugImage)
	list(w, "problems", e.Problems, writeProblem)
	w.end()
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
			} else {
				w.leaveOut("handled", "null")
			}
		})
	} else {
		w.leaveOut("mechanism", "null")
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
	} else {
		w.leaveOut("source", "null")
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
