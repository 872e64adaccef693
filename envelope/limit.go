package envelope

import (
	"strconv"
	"unicode/utf8"

	"errand/core"
)

// The caps of a stored event (decisions 3).
const (
	maxExceptions  = 50
	maxFrames      = 250 // of one stack trace, kept from both ends
	maxBreadcrumbs = 100 // the last ones
	maxText        = 8 << 10
	maxEvent       = 256 << 10 // bytes of the JSON that readers get
)

// reserve is room for what is added after Limit: the title, the culprit and the id.
const reserve = 16 << 10

// Limit cuts an event to the caps of decisions 3 and names in its Problems what was cut. It comes after the scrubber:
// half of a secret is not recognised any more.
func Limit(e *core.Event) {
	l := limiter{event: e, text: maxText, frames: maxFrames, exceptions: maxExceptions}
	l.walk()
	// No byte takes more than six in JSON, and the rest of a member, with null where it is absent, at most 6 * overhead.
	if l.bytes*6 > maxEvent-reserve {
		trim(e)
	}
}

// limiter walks over an event once and cuts what is above its caps.
type limiter struct {
	event      *core.Event
	text       int // longest text, in bytes
	frames     int // most frames of a stack trace
	exceptions int
	path       path
	bytes      int // about how many bytes of text, names and punctuation the event has, at a sixth of what they can take
}

// overhead is a sixth of what a member's name and punctuation take in JSON, at most.
const overhead = 4

func (l *limiter) walk() {
	e := l.event
	l.field("logger", &e.Logger)
	l.field("message", &e.Message)
	l.field("transaction", &e.Transaction)
	l.line("release", &e.Release, maxName)
	l.line("dist", &e.Dist, maxLabel)
	l.line("environment", &e.Environment, maxLabel)
	l.field("server_name", &e.ServerName)
	l.field("sdk.name", &e.SDK.Name)
	l.field("sdk.version", &e.SDK.Version)
	l.walkExceptions()
	l.walkThreads()
	l.walkBreadcrumbs()
	l.walkRequest()
	l.value("user", &e.User)
	l.walkTags()
	l.value("contexts", &e.Contexts)
	l.value("extra", &e.Extra)
	l.walkFingerprint()
	l.path.enter("debug_images")
	for i := range e.DebugImages {
		image := &e.DebugImages[i]
		l.path.index(i)
		l.line("type", &image.Type, maxName)
		l.field("debug_id", &image.DebugID)
		l.field("code_file", &image.CodeFile)
		l.path.leave()
	}
	l.path.leave()
	for i := range e.Problems {
		l.bytes += len(e.Problems[i].Path) + len(e.Problems[i].Reason) + 2*overhead
	}
}

// maxFingerprint bounds the parts of a fingerprint, which has a few.
const maxFingerprint = 100

func (l *limiter) walkFingerprint() {
	e := l.event
	if lost := len(e.Fingerprint) - maxFingerprint; lost > 0 {
		e.Fingerprint = e.Fingerprint[:maxFingerprint]
		l.tell("fingerprint", strconv.Itoa(lost)+" parts were cut")
	}
	l.texts("fingerprint", e.Fingerprint)
}

func (l *limiter) walkExceptions() {
	e := l.event
	l.path.enter("exceptions")
	defer l.path.leave()
	kept, lost := keepEnds(e.Exceptions, l.exceptions)
	if e.Exceptions = kept; lost > 0 {
		l.tell("", strconv.Itoa(lost)+" in the middle were cut")
	}
	for i := range e.Exceptions {
		x := &e.Exceptions[i]
		l.path.index(i)
		l.line("type", &x.Type, maxName)
		l.field("value", &x.Value)
		l.field("module", &x.Module)
		if x.Mechanism != nil {
			l.line("mechanism.type", &x.Mechanism.Type, maxName)
		}
		x.Frames = l.walkFrames(x.Frames)
		l.bytes += 2 * overhead // the mechanism and the list itself
		l.path.leave()
	}
}

func (l *limiter) walkThreads() {
	e := l.event
	l.path.enter("threads")
	defer l.path.leave()
	for i := range e.Threads {
		t := &e.Threads[i]
		l.path.index(i)
		l.field("id", &t.ID)
		l.field("name", &t.Name)
		t.Frames = l.walkFrames(t.Frames)
		l.bytes += 3 * overhead // the flags and the list itself
		l.path.leave()
	}
}

func (l *limiter) walkFrames(frames []core.Frame) []core.Frame {
	l.path.enter("frames")
	defer l.path.leave()
	frames, lost := keepEnds(frames, l.frames)
	if lost > 0 {
		l.tell("", strconv.Itoa(lost)+" in the middle were cut")
	}
	for i := range frames {
		f := &frames[i]
		l.path.index(i)
		l.field("function", &f.Function)
		l.field("module", &f.Module)
		l.field("filename", &f.Filename)
		l.field("abs_path", &f.AbsPath)
		l.field("context_line", &f.ContextLine)
		l.texts("pre_context", f.PreContext)
		l.texts("post_context", f.PostContext)
		l.value("vars", &f.Vars)
		if f.Source != nil {
			l.field("source.name", &f.Source.Name)
			l.field("source.path", &f.Source.Path)
		}
		l.bytes += 5 * overhead // the numbers, the lists and the source
		l.path.leave()
	}
	return frames
}

func (l *limiter) walkBreadcrumbs() {
	e := l.event
	l.path.enter("breadcrumbs")
	defer l.path.leave()
	if lost := len(e.Breadcrumbs) - maxBreadcrumbs; lost > 0 {
		e.Breadcrumbs = e.Breadcrumbs[lost:]
		l.tell("", strconv.Itoa(lost)+" older ones were cut")
	}
	for i := range e.Breadcrumbs {
		b := &e.Breadcrumbs[i]
		l.path.index(i)
		l.line("type", &b.Type, maxName)
		l.field("category", &b.Category)
		l.line("level", &b.Level, maxLabel)
		l.field("message", &b.Message)
		l.value("data", &b.Data)
		l.bytes += 2 * overhead // the time
		l.path.leave()
	}
}

func (l *limiter) walkRequest() {
	r := l.event.Request
	if r == nil {
		return
	}
	l.path.enter("request")
	defer l.path.leave()
	l.field("method", &r.Method)
	l.field("url", &r.URL)
	l.value("query", &r.Query)
	l.value("headers", &r.Headers)
	l.value("cookies", &r.Cookies)
	l.value("data", &r.Data)
}

// field cuts a text that is too long.
func (l *limiter) field(name string, text *core.Untrusted) {
	l.bytes += len(*text) + overhead
	if len(*text) > l.text {
		*text = core.Untrusted(l.cut(name, string(*text)))
	}
}

func (l *limiter) texts(name string, list []core.Untrusted) {
	for i := range list {
		l.field(name, &list[i])
	}
}

func (l *limiter) value(name string, v *core.Value) {
	l.path.enter(name)
	l.walkValue(v)
	l.path.leave()
}

func (l *limiter) walkValue(v *core.Value) {
	l.bytes += len(v.Text) + overhead
	if v.Kind == core.String && len(v.Text) > l.text {
		v.Text = l.cut("", v.Text)
	}
	for i := range v.Kids {
		kid := &v.Kids[i]
		l.bytes += len(kid.Key)
		l.path = append(l.path, step{name: kid.Key, index: i})
		if len(kid.Key) > l.text {
			kid.Key = l.cut("", kid.Key)
		}
		l.walkValue(&kid.Value)
		l.path.leave()
	}
}

// cut shortens a text, with a mark at its end.
func (l *limiter) cut(name, text string) string {
	l.tell(name, "cut from "+strconv.Itoa(len(text))+" bytes to "+strconv.Itoa(l.text))
	return text[:runeStart(text, l.text-len(ellipsis))] + ellipsis
}

const ellipsis = "…"

// runeStart returns the last place up to at where a rune starts.
func runeStart(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

func (l *limiter) tell(name, reason string) {
	place := l.path.String()
	if name != "" && place != "" {
		place += "."
	}
	tell(l.event, place+name, reason)
}

// keepEnds cuts the middle out of a list that is too long, and says how many elements that were.
func keepEnds[T any](list []T, limit int) (kept []T, lost int) {
	if lost = len(list) - limit; lost <= 0 {
		return list, 0
	}
	head := (limit + 1) / 2
	return append(list[:head:head], list[head+lost:]...), lost
}
