package scrub

import "errand/core"

// eventField is one of the event's own fields that a project's scrub_keys can name. The fields that control the pipeline
// (release, environment, fingerprint, types, the SDK) are cleaned like all text, and never filtered for their name.
type eventField uint8

const (
	noField eventField = iota
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
	fieldCount
)

var fieldNames = [fieldCount]string{
	fieldLogger: "logger", fieldMessage: "message", fieldTransaction: "transaction", fieldServerName: "server_name", fieldValue: "value",
	fieldFunction: "function", fieldFilename: "filename", fieldAbsPath: "abs_path", fieldContextLine: "context_line",
	fieldPreContext: "pre_context", fieldPostContext: "post_context", fieldVars: "vars", fieldData: "data", fieldUser: "user", fieldURL: "url",
	fieldQuery: "query", fieldHeaders: "headers", fieldCookies: "cookies", fieldTags: "tags", fieldContexts: "contexts", fieldExtra: "extra",
}

// cleaner cleans the texts of one event.
type cleaner struct {
	rules       *Rules
	steps       int  // left for the project's patterns
	isPlainText bool // the last text has nothing that isDisguised looks for
	// valueIsPending reports whether the previous line of source code ends after a secret's name.
	valueIsPending bool
	keyIsTorn      bool // a text had only one end of a private key: the texts around it have the rest
}

func (c *cleaner) cleanEvent(e *core.Event) {
	e.Platform, e.Level, e.Template = c.cleanText(e.Platform), c.cleanText(e.Level), c.cleanText(e.Template)
	c.cleanField(fieldLogger, &e.Logger)
	c.cleanField(noField, &e.Title)
	c.cleanField(noField, &e.Culprit)
	c.cleanField(fieldMessage, &e.Message)
	c.cleanField(fieldTransaction, &e.Transaction)
	c.cleanField(noField, &e.Release)
	c.cleanField(noField, &e.Dist)
	c.cleanField(noField, &e.Environment)
	c.cleanField(fieldServerName, &e.ServerName)
	for i := range e.Exceptions {
		c.cleanException(&e.Exceptions[i])
	}
	for i := range e.Threads {
		t := &e.Threads[i]
		c.cleanField(noField, &t.ID)
		c.cleanField(noField, &t.Name)
		c.cleanFrames(t.Frames)
	}
	c.cleanBreadcrumbs(e.Breadcrumbs)
	if e.Request != nil {
		c.cleanRequest(e.Request)
	}
	c.cleanObject(fieldUser, &e.User)
	c.cleanObject(fieldTags, &e.Tags)
	c.cleanObject(fieldContexts, &e.Contexts)
	c.cleanObject(fieldExtra, &e.Extra)
	c.cleanSDKFields(e)
}

// cleanSDKFields cleans the fields that the SDK and the decoder wrote, not the application.
func (c *cleaner) cleanSDKFields(e *core.Event) {
	c.cleanField(noField, &e.SDK.Name)
	c.cleanField(noField, &e.SDK.Version)
	for i := range e.Fingerprint {
		c.cleanField(noField, &e.Fingerprint[i])
	}
	for i := range e.DebugImages {
		image := &e.DebugImages[i]
		c.cleanField(noField, &image.Type)
		c.cleanField(noField, &image.DebugID)
		c.cleanField(noField, &image.CodeFile)
	}
	for i := range e.Problems {
		p := &e.Problems[i]
		p.Path, p.Reason = c.cleanText(p.Path), c.cleanText(p.Reason)
	}
	if r := e.Report; r != nil {
		r.Subject, r.Detail = c.cleanText(r.Subject), c.cleanText(r.Detail)
	}
}

func (c *cleaner) cleanException(x *core.Exception) {
	c.cleanField(noField, &x.Type)
	c.cleanField(fieldValue, &x.Value)
	c.cleanField(noField, &x.Module)
	if x.Mechanism != nil {
		c.cleanField(noField, &x.Mechanism.Type)
	}
	c.cleanFrames(x.Frames)
}

func (c *cleaner) cleanFrames(frames []core.Frame) {
	for i := range frames {
		c.cleanFrame(&frames[i])
	}
}

func (c *cleaner) cleanFrame(f *core.Frame) {
	c.cleanField(fieldFunction, &f.Function)
	c.cleanField(noField, &f.Module)
	c.cleanField(fieldFilename, &f.Filename)
	c.cleanField(fieldAbsPath, &f.AbsPath)
	c.cleanContext(f)
	c.cleanObject(fieldVars, &f.Vars)
	c.cleanSource(f)
}

// cleanContext cleans the lines of code of a frame.
func (c *cleaner) cleanContext(f *core.Frame) {
	c.keyIsTorn, c.valueIsPending = false, false
	c.cleanLines(fieldPreContext, f.PreContext)
	c.cleanLine(fieldContextLine, &f.ContextLine)
	c.cleanLines(fieldPostContext, f.PostContext)
	if c.keyIsTorn { // the other lines of the private key are not recognisable alone
		filterTexts(f.PreContext)
		filterText(&f.ContextLine)
		filterTexts(f.PostContext)
	}
}

// cleanSource cleans a frame's fields from a source map in the same way as the function and the file that they replace.
func (c *cleaner) cleanSource(f *core.Frame) {
	if f.Source != nil {
		c.cleanField(fieldFunction, &f.Source.Function)
		c.cleanField(fieldFunction, &f.Source.Name)
		c.cleanField(fieldFilename, &f.Source.Path)
	}
}

func (c *cleaner) cleanMapped(frames []core.Frame) {
	for i := range frames {
		if f := &frames[i]; f.Source != nil {
			c.cleanContext(f)
			c.cleanSource(f)
		}
	}
}

// cleanBreadcrumbs cleans the crumbs. When a private key was logged line by line, the messages between its ends are filtered.
func (c *cleaner) cleanBreadcrumbs(crumbs []core.Breadcrumb) {
	first, last := -1, -1
	for i := range crumbs {
		c.keyIsTorn = false
		c.cleanBreadcrumb(&crumbs[i])
		if c.keyIsTorn {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	for i := first + 1; i < last; i++ {
		filterText(&crumbs[i].Message)
	}
}

func (c *cleaner) cleanBreadcrumb(b *core.Breadcrumb) {
	c.cleanField(noField, &b.Type)
	c.cleanField(noField, &b.Category)
	c.cleanField(noField, &b.Level)
	c.cleanField(fieldMessage, &b.Message)
	c.cleanObject(fieldData, &b.Data)
}

func (c *cleaner) cleanRequest(r *core.Request) {
	c.cleanField(noField, &r.Method)
	c.cleanField(fieldURL, &r.URL)
	c.cleanObject(fieldQuery, &r.Query)
	c.cleanObject(fieldHeaders, &r.Headers)
	c.cleanObject(fieldData, &r.Data)
	c.cleanValue(&r.Cookies, 0)
	filterMembers(&r.Cookies) // any of them may be the session's; their names stay
}

// cleanField cleans one text, or filters it whole when the project's keys name the field.
func (c *cleaner) cleanField(f eventField, text *core.Untrusted) {
	if c.rules.filteredFields[f] {
		filterText(text)
		return
	}
	*text = core.Untrusted(c.cleanText(string(*text)))
}

func (c *cleaner) cleanLines(f eventField, lines []core.Untrusted) {
	for i := range lines {
		c.cleanLine(f, &lines[i])
	}
}

// cleanLine is cleanField for a line of source code.
func (c *cleaner) cleanLine(f eventField, text *core.Untrusted) {
	if c.rules.filteredFields[f] {
		filterText(text)
		return
	}
	line := c.scrubText(string(*text), true)
	opens := c.rules.opensValue(line)
	if c.valueIsPending {
		line = c.rules.hideFirstText(line)
	}
	c.valueIsPending = opens
	*text = core.Untrusted(line)
}

// cleanObject cleans a field's value. When the project's keys name the field, its members keep their keys, so that it keeps its
// shape.
func (c *cleaner) cleanObject(f eventField, v *core.Value) {
	c.cleanValue(v, 0)
	if c.rules.filteredFields[f] {
		filterMembers(v)
	}
}

// filterText masks a text unless it is empty.
func filterText(text *core.Untrusted) {
	if *text != "" {
		*text = Mask
	}
}

func filterTexts(texts []core.Untrusted) {
	for i := range texts {
		filterText(&texts[i])
	}
}
