package core

import "errors"

var errNoEvent = errors.New("core: this is not the JSON of an event")

// ReadEvent reads an event that AppendJSON wrote, and drops unknown members. It is written by hand because readers of
// a stored event wait for it, and json.Unmarshal looks at each text three times (BenchmarkReadEvent).
func ReadEvent(text []byte) (Event, error) {
	r := valueReader{text: string(text)}
	var e Event
	r.readMembers(func(key string) { r.readPartOfEvent(&e, key) })
	if r.skipSpace(); r.hasFailed || r.at < len(r.text) {
		return Event{}, errNoEvent
	}
	return e, nil
}

func (r *valueReader) readPartOfEvent(e *Event, key string) {
	switch key {
	case "timestamp":
		r.readTime(&e.Timestamp)
	case "received_at":
		r.readTime(&e.ReceivedAt)
	case "exceptions":
		readList(r, &e.Exceptions, r.readPartOfException)
	case "threads":
		readList(r, &e.Threads, r.readPartOfThread)
	case "breadcrumbs":
		readList(r, &e.Breadcrumbs, r.readPartOfBreadcrumb)
	case "user":
		e.User = r.readValue(1)
	case "request":
		readOptional(r, &e.Request, r.readPartOfRequest)
	case "tags":
		e.Tags = r.readValue(1)
	case "contexts":
		e.Contexts = r.readValue(1)
	case "extra":
		e.Extra = r.readValue(1)
	case "sdk":
		r.readMembers(func(key string) { r.readPartOfSDK(&e.SDK, key) })
	case "fingerprint":
		r.readTexts(&e.Fingerprint)
	case "debug_images":
		readList(r, &e.DebugImages, r.readPartOfDebugImage)
	case "problems":
		readList(r, &e.Problems, r.readPartOfProblem)
	default:
		r.readTextOfEvent(e, key)
	}
}

func (r *valueReader) readTextOfEvent(e *Event, key string) {
	switch key {
	case "event_id":
		readText(r, &e.EventID)
	case "platform":
		readText(r, &e.Platform)
	case "level":
		readText(r, &e.Level)
	case "logger":
		readText(r, &e.Logger)
	case "title":
		readText(r, &e.Title)
	case "culprit":
		readText(r, &e.Culprit)
	case "message":
		readText(r, &e.Message)
	case "transaction":
		readText(r, &e.Transaction)
	case "release":
		readText(r, &e.Release)
	case "dist":
		readText(r, &e.Dist)
	case "environment":
		readText(r, &e.Environment)
	case "server_name":
		readText(r, &e.ServerName)
	}
}

func (r *valueReader) readPartOfException(x *Exception, key string) {
	switch key {
	case "type":
		readText(r, &x.Type)
	case "value":
		readText(r, &x.Value)
	case "module":
		readText(r, &x.Module)
	case "mechanism":
		readOptional(r, &x.Mechanism, r.readPartOfMechanism)
	case "frames":
		readList(r, &x.Frames, r.readPartOfFrame)
	}
}

func (r *valueReader) readPartOfMechanism(m *Mechanism, key string) {
	switch key {
	case "type":
		readText(r, &m.Type)
	case "handled":
		if value := r.readValue(1); value.Kind == Bool {
			isHandled := value.Text == "true"
			m.Handled = &isHandled
		}
	}
}

func (r *valueReader) readPartOfFrame(f *Frame, key string) {
	switch key {
	case "function":
		readText(r, &f.Function)
	case "module":
		readText(r, &f.Module)
	case "filename":
		readText(r, &f.Filename)
	case "abs_path":
		readText(r, &f.AbsPath)
	case "lineno":
		r.readInt(&f.Lineno)
	case "colno":
		r.readInt(&f.Colno)
	case "in_app":
		r.readFlag(&f.InApp)
	case "context_line":
		readText(r, &f.ContextLine)
	case "pre_context":
		r.readTexts(&f.PreContext)
	case "post_context":
		r.readTexts(&f.PostContext)
	case "vars":
		f.Vars = r.readValue(1)
	case "source":
		readOptional(r, &f.Source, r.readPartOfSource)
	}
}

func (r *valueReader) readPartOfSource(s *SourcePosition, key string) {
	switch key {
	case "function":
		readText(r, &s.Function)
	case "name":
		readText(r, &s.Name)
	case "path":
		readText(r, &s.Path)
	case "line":
		r.readInt(&s.Line)
	case "column":
		r.readInt(&s.Column)
	}
}

func (r *valueReader) readPartOfThread(t *Thread, key string) {
	switch key {
	case "id":
		readText(r, &t.ID)
	case "name":
		readText(r, &t.Name)
	case "crashed":
		r.readFlag(&t.Crashed)
	case "current":
		r.readFlag(&t.Current)
	case "frames":
		readList(r, &t.Frames, r.readPartOfFrame)
	}
}

func (r *valueReader) readPartOfBreadcrumb(c *Breadcrumb, key string) {
	switch key {
	case "timestamp":
		r.readTime(&c.Timestamp)
	case "type":
		readText(r, &c.Type)
	case "category":
		readText(r, &c.Category)
	case "level":
		readText(r, &c.Level)
	case "message":
		readText(r, &c.Message)
	case "data":
		c.Data = r.readValue(1)
	}
}

func (r *valueReader) readPartOfRequest(q *Request, key string) {
	switch key {
	case "method":
		readText(r, &q.Method)
	case "url":
		readText(r, &q.URL)
	case "query":
		q.Query = r.readValue(1)
	case "headers":
		q.Headers = r.readValue(1)
	case "cookies":
		q.Cookies = r.readValue(1)
	case "data":
		q.Data = r.readValue(1)
	}
}

func (r *valueReader) readPartOfSDK(s *SDK, key string) {
	switch key {
	case "name":
		readText(r, &s.Name)
	case "version":
		readText(r, &s.Version)
	}
}

func (r *valueReader) readPartOfDebugImage(d *DebugImage, key string) {
	switch key {
	case "type":
		readText(r, &d.Type)
	case "debug_id":
		readText(r, &d.DebugID)
	case "code_file":
		readText(r, &d.CodeFile)
	}
}

func (r *valueReader) readPartOfProblem(p *Problem, key string) {
	switch key {
	case "path":
		readText(r, &p.Path)
	case "reason":
		readText(r, &p.Reason)
	}
}
