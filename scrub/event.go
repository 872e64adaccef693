package scrub

import "errand/core"

// field is one of the event's own fields that a project's scrub_keys can name. Those that the pipeline steers by
// (release, environment, fingerprint, types, the SDK) are cleaned like all text, and never filtered for their name.
type field uint8

const (
	noField field = iota
	fieldLogger
	fieldMessage
	fieldTransaction
	fieldServerName
	fieldValue
	fieldFunction
	fieldFilename
	fieldAbsPath
	fieldContextLine
	fieldPreContext
	fieldPostContext
	fieldVars
	fieldData
	fieldUser
	fieldURL
	fieldQuery
	fieldHeaders
	fieldCookies
	fieldTags
	fieldContexts
	fieldExtra
	lastField
)

var fieldNames = [lastField]string{
	fieldLogger: "logger", fieldMessage: "message", fieldTransaction: "transaction", fieldServerName: "server_name", fieldValue: "value",
	fieldFunction: "function", fieldFilename: "filename", fieldAbsPath: "abs_path", fieldContextLine: "context_line",
	fieldPreContext: "pre_context", fieldPostContext: "post_context", fieldVars: "vars", fieldData: "data", fieldUser: "user", fieldURL: "url",
	fieldQuery: "query", fieldHeaders: "headers", fieldCookies: "cookies", fieldTags: "tags", fieldContexts: "contexts", fieldExtra: "extra",
}

// walk cleans the texts of one event.
type walk struct {
	rules *Rules
	steps int  // what is left for the project's patterns
	plain bool // the last text has nothing that isDisguised looks for
	// pending is true when the line of source code before ends behind a secret's name.
	pending bool
	torn    bool // a text had only one end of a private key: the texts around it have the rest
}

func (w *walk) event(e *core.Event) {
	e.Platform, e.Level, e.Template = w.text(e.Platform), w.text(e.Level), w.text(e.Template)
	w.field(fieldLogger, &e.Logger)
	w.field(noField, &e.Title)
	w.field(noField, &e.Culprit)
	w.field(fieldMessage, &e.Message)
	w.field(fieldTransaction, &e.Transaction)
	w.field(noField, &e.Release)
	w.field(noField, &e.Dist)
	w.field(noField, &e.Environment)
	w.field(fieldServerName, &e.ServerName)
	for i := range e.Exceptions {
		w.exception(&e.Exceptions[i])
	}
	for i := range e.Threads {
		t := &e.Threads[i]
		w.field(noField, &t.ID)
		w.field(noField, &t.Name)
		w.frames(t.Frames)
	}
	w.breadcrumbs(e.Breadcrumbs)
	if e.Request != nil {
		w.request(e.Request)
	}
	w.object(fieldUser, &e.User)
	w.object(fieldTags, &e.Tags)
	w.object(fieldContexts, &e.Contexts)
	w.object(fieldExtra, &e.Extra)
	w.rest(e)
}

// rest is what the SDK and the decoder wrote rather than the application.
func (w *walk) rest(e *core.Event) {
	w.field(noField, &e.SDK.Name)
	w.field(noField, &e.SDK.Version)
	for i := range e.Fingerprint {
		w.field(noField, &e.Fingerprint[i])
	}
	for i := range e.DebugImages {
		image := &e.DebugImages[i]
		w.field(noField, &image.Type)
		w.field(noField, &image.DebugID)
		w.field(noField, &image.CodeFile)
	}
	for i := range e.Problems {
		p := &e.Problems[i]
		p.Path, p.Reason = w.text(p.Path), w.text(p.Reason)
	}
	if r := e.Report; r != nil {
		r.Subject, r.Detail = w.text(r.Subject), w.text(r.Detail)
	}
}

func (w *walk) exception(x *core.Exception) {
	w.field(noField, &x.Type)
	w.field(fieldValue, &x.Value)
	w.field(noField, &x.Module)
	if x.Mechanism != nil {
		w.field(noField, &x.Mechanism.Type)
	}
	w.frames(x.Frames)
}

func (w *walk) frames(frames []core.Frame) {
	for i := range frames {
		w.frame(&frames[i])
	}
}

func (w *walk) frame(f *core.Frame) {
	w.field(fieldFunction, &f.Function)
	w.field(noField, &f.Module)
	w.field(fieldFilename, &f.Filename)
	w.field(fieldAbsPath, &f.AbsPath)
	w.torn, w.pending = false, false
	w.lines(fieldPreContext, f.PreContext)
	w.line(fieldContextLine, &f.ContextLine)
	w.lines(fieldPostContext, f.PostContext)
	if w.torn { // the private key's other lines look like nothing on their own
		filterAll(f.PreContext)
		filter(&f.ContextLine)
		filterAll(f.PostContext)
	}
	w.object(fieldVars, &f.Vars)
	if f.Source != nil {
		w.field(noField, &f.Source.Name)
		w.field(noField, &f.Source.Path)
	}
}

// breadcrumbs cleans the crumbs. Where a private key was logged line by line, the messages between its ends are filtered.
func (w *walk) breadcrumbs(crumbs []core.Breadcrumb) {
	first, last := -1, -1
	for i := range crumbs {
		w.torn = false
		w.breadcrumb(&crumbs[i])
		if w.torn {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	for i := first + 1; i < last; i++ {
		filter(&crumbs[i].Message)
	}
}

func (w *walk) breadcrumb(b *core.Breadcrumb) {
	w.field(noField, &b.Type)
	w.field(noField, &b.Category)
	w.field(noField, &b.Level)
	w.field(fieldMessage, &b.Message)
	w.object(fieldData, &b.Data)
}

func (w *walk) request(r *core.Request) {
	w.field(noField, &r.Method)
	w.field(fieldURL, &r.URL)
	w.object(fieldQuery, &r.Query)
	w.object(fieldHeaders, &r.Headers)
	w.object(fieldData, &r.Data)
	w.value(&r.Cookies, 0)
	filterMembers(&r.Cookies) // any of them may be the session's; their names stay
}

// field cleans one text, or filters it whole when the project's keys name it.
func (w *walk) field(f field, text *core.Untrusted) {
	if w.rules.fields[f] {
		filter(text)
		return
	}
	*text = core.Untrusted(w.text(string(*text)))
}

func (w *walk) lines(f field, lines []core.Untrusted) {
	for i := range lines {
		w.line(f, &lines[i])
	}
}

// line is field for a line of source code.
func (w *walk) line(f field, text *core.Untrusted) {
	if w.rules.fields[f] {
		filter(text)
		return
	}
	line := w.scrub(string(*text), true)
	opens := w.rules.opensValue(line)
	if w.pending {
		line = w.rules.hideFirst(line)
	}
	w.pending = opens
	*text = core.Untrusted(line)
}

// object cleans a field's value. A field that the project's keys name keeps its members' keys, so that it keeps its shape.
func (w *walk) object(f field, v *core.Value) {
	w.value(v, 0)
	if w.rules.fields[f] {
		filterMembers(v)
	}
}

// filter masks a text that is not empty.
func filter(text *core.Untrusted) {
	if *text != "" {
		*text = Mask
	}
}

func filterAll(texts []core.Untrusted) {
	for i := range texts {
		filter(&texts[i])
	}
}
