package core

import "strconv"

// AppendJSON appends the event in its stored form: the JSON of the struct tags without empty members. Unmarshalling
// it makes an equal event. It is written by hand because ingest pays for it once per event.
func (e *Event) AppendJSON(b []byte) []byte {
	w := jsonWriter{b: b}
	w.writeEvent(e)
	return w.b
}

// MeasureJSON returns how many bytes of JSON readers of the event get. The stored form leaves out empty members, which readers see as
// null, false or []; so an event of many small frames is several times as long for them. The buffer is overwritten.
func (e *Event) MeasureJSON(buffer []byte) int {
	w := jsonWriter{b: buffer[:0]}
	w.writeEvent(e)
	return len(w.b) + w.absent
}

// WeighJSON returns the weight, as WeighText counts, of the JSON that MeasureJSON measures. The buffer is overwritten.
func (e *Event) WeighJSON(buffer []byte) int {
	const weightOfAbsent = 2 // of a byte of an empty member, such as "abs_path":null
	w := jsonWriter{b: buffer[:0]}
	w.writeEvent(e)
	return WeighText(w.b) + weightOfAbsent*w.absent
}

func (w *jsonWriter) writeEvent(e *Event) {
	w.b = append(w.b, '{')
	w.writeString("event_id", e.EventID)
	w.writeTime("timestamp", e.Timestamp)
	w.writeTime("received_at", e.ReceivedAt)
	w.writeString("platform", e.Platform)
	w.writeString("level", e.Level)
	w.writeText("logger", e.Logger)
	w.writeText("title", e.Title)
	w.writeText("culprit", e.Culprit)
	w.writeText("message", e.Message)
	w.writeText("transaction", e.Transaction)
	w.writeText("release", e.Release)
	w.writeText("dist", e.Dist)
	w.writeText("environment", e.Environment)
	w.writeText("server_name", e.ServerName)
	writeList(w, "exceptions", e.Exceptions, writeException)
	writeList(w, "threads", e.Threads, writeThread)
	writeList(w, "breadcrumbs", e.Breadcrumbs, writeBreadcrumb)
	w.writeValue("user", e.User)
	if e.Request != nil {
		w.writeObject("request", func() { writeRequest(w, e.Request) })
	} else {
		w.leaveOut("request", "null")
	}
	w.writeValue("tags", e.Tags)
	w.writeValue("contexts", e.Contexts)
	w.writeValue("extra", e.Extra)
	if e.SDK != (SDK{}) {
		w.writeObject("sdk", func() { w.writeText("name", e.SDK.Name); w.writeText("version", e.SDK.Version) })
	} else {
		w.leaveOut("sdk", `{"name":null,"version":null}`)
	}
	w.writeTexts("fingerprint", e.Fingerprint)
	writeList(w, "debug_images", e.DebugImages, writeDebugImage)
	writeList(w, "problems", e.Problems, writeProblem)
	w.endObject()
}

func writeException(w *jsonWriter, x *Exception) {
	w.writeText("type", x.Type)
	w.writeText("value", x.Value)
	w.writeText("module", x.Module)
	if m := x.Mechanism; m != nil {
		w.writeObject("mechanism", func() {
			w.writeText("type", m.Type)
			if m.Handled != nil {
				w.writeKey("handled")
				w.b = strconv.AppendBool(w.b, *m.Handled)
			} else {
				w.leaveOut("handled", "null")
			}
		})
	} else {
		w.leaveOut("mechanism", "null")
	}
	writeList(w, "frames", x.Frames, writeFrame)
}

func writeFrame(w *jsonWriter, f *Frame) {
	w.writeText("function", f.Function)
	w.writeText("module", f.Module)
	w.writeText("filename", f.Filename)
	w.writeText("abs_path", f.AbsPath)
	w.writeInt("lineno", f.Lineno)
	w.writeInt("colno", f.Colno)
	w.writeFlag("in_app", f.InApp)
	w.writeText("context_line", f.ContextLine)
	w.writeTexts("pre_context", f.PreContext)
	w.writeTexts("post_context", f.PostContext)
	w.writeValue("vars", f.Vars)
	if s := f.Source; s != nil {
		w.writeObject("source", func() {
			w.writeText("function", s.Function)
			w.writeText("name", s.Name)
			w.writeText("path", s.Path)
			w.writeInt("line", s.Line)
			w.writeInt("column", s.Column)
		})
	} else {
		w.leaveOut("source", "null")
	}
}

func writeThread(w *jsonWriter, t *Thread) {
	w.writeText("id", t.ID)
	w.writeText("name", t.Name)
	w.writeFlag("crashed", t.Crashed)
	w.writeFlag("current", t.Current)
	writeList(w, "frames", t.Frames, writeFrame)
}

func writeBreadcrumb(w *jsonWriter, c *Breadcrumb) {
	w.writeTime("timestamp", c.Timestamp)
	w.writeText("type", c.Type)
	w.writeText("category", c.Category)
	w.writeText("level", c.Level)
	w.writeText("message", c.Message)
	w.writeValue("data", c.Data)
}

func writeRequest(w *jsonWriter, r *Request) {
	w.writeText("method", r.Method)
	w.writeText("url", r.URL)
	w.writeValue("query", r.Query)
	w.writeValue("headers", r.Headers)
	w.writeValue("cookies", r.Cookies)
	w.writeValue("data", r.Data)
}

func writeDebugImage(w *jsonWriter, d *DebugImage) {
	w.writeText("type", d.Type)
	w.writeText("debug_id", d.DebugID)
	w.writeText("code_file", d.CodeFile)
}

func writeProblem(w *jsonWriter, p *Problem) {
	w.writeString("path", p.Path)
	w.writeString("reason", p.Reason)
}
