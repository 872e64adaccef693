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

// laterBytes is left free for fields that are added after LimitEvent: the title, the culprit and the id.
const laterBytes = 16 << 10

// LimitEvent cuts an event to the caps of decisions 3 and names the cuts in its Problems. It comes after the scrubber, which
// would not recognise half of a secret.
func LimitEvent(event *core.Event) {
	l := limiter{event: event, maxText: maxText, maxFrames: maxFrames, maxExceptions: maxExceptions}
	l.walkEvent()
	// A byte takes at most six in JSON, and the rest of a member, with null where it is absent, at most 6 * overhead.
	if l.estimate*6 > maxEvent-laterBytes {
		trimEvent(event)
	}
}

// limiter walks over an event once and cuts everything above its caps.
type limiter struct {
	event         *core.Event
	maxText       int // longest text, in bytes
	maxFrames     int // most frames of a stack trace
	maxExceptions int
	isQuiet       bool // cuts are not named one by one
	path          fieldPath
	estimate      int // a sixth of the bytes that the event's JSON can take, at most
}

// memberOverhead is a sixth of the JSON bytes of a member's name and punctuation, at most.
const memberOverhead = 4

func (l *limiter) walkEvent() {
	event := l.event
	l.limitText("logger", &event.Logger)
	l.limitText("message", &event.Message)
	l.limitText("transaction", &event.Transaction)
	l.limitName("release", &event.Release, core.MaxRelease)
	l.limitLine("dist", &event.Dist, maxLabel)
	l.limitName("environment", &event.Environment, core.MaxEnvironment)
	l.limitText("server_name", &event.ServerName)
	l.limitText("sdk.name", &event.SDK.Name)
	l.limitText("sdk.version", &event.SDK.Version)
	l.walkExceptions()
	l.walkThreads()
	l.walkBreadcrumbs()
	l.walkRequest()
	l.limitValue("user", &event.User)
	l.walkTags()
	l.limitValue("contexts", &event.Contexts)
	l.limitValue("extra", &event.Extra)
	l.walkFingerprint()
	l.path.enterMember("debug_images")
	for i := range event.DebugImages {
		image := &event.DebugImages[i]
		l.path.enterElement(i)
		l.limitLine("type", &image.Type, maxName)
		l.limitText("debug_id", &image.DebugID)
		l.limitText("code_file", &image.CodeFile)
		l.path.leaveValue()
	}
	l.path.leaveValue()
	for i := range event.Problems {
		l.estimate += len(event.Problems[i].Path) + len(event.Problems[i].Reason) + 2*memberOverhead
	}
}

// maxFingerprint bounds the number of parts of a fingerprint, which usually has a few.
const maxFingerprint = 100

func (l *limiter) walkFingerprint() {
	event := l.event
	if lost := len(event.Fingerprint) - maxFingerprint; lost > 0 {
		event.Fingerprint = event.Fingerprint[:maxFingerprint]
		l.addProblem("fingerprint", strconv.Itoa(lost)+" parts were cut")
	}
	l.limitTexts("fingerprint", event.Fingerprint)
}

func (l *limiter) walkExceptions() {
	event := l.event
	l.path.enterMember("exceptions")
	defer l.path.leaveValue()
	event.Exceptions = keepOfEvent(l, event.Exceptions, l.maxExceptions)
	for i := range event.Exceptions {
		exception := &event.Exceptions[i]
		l.path.enterElement(i)
		l.limitLine("type", &exception.Type, maxName)
		l.limitText("value", &exception.Value)
		l.limitText("module", &exception.Module)
		if exception.Mechanism != nil {
			l.limitLine("mechanism.type", &exception.Mechanism.Type, maxName)
		}
		exception.Frames = l.walkFrames(exception.Frames)
		l.estimate += 2 * memberOverhead // the mechanism and the list itself
		l.path.leaveValue()
	}
}

func (l *limiter) walkThreads() {
	e := l.event
	l.path.enterMember("threads")
	defer l.path.leaveValue()
	for i := range e.Threads {
		t := &e.Threads[i]
		l.path.enterElement(i)
		l.limitText("id", &t.ID)
		l.limitText("name", &t.Name)
		t.Frames = l.walkFrames(t.Frames)
		l.estimate += 3 * memberOverhead // the flags and the list itself
		l.path.leaveValue()
	}
}

func (l *limiter) walkFrames(frames []core.Frame) []core.Frame {
	l.path.enterMember("frames")
	defer l.path.leaveValue()
	frames = keepOfEvent(l, frames, l.maxFrames)
	for i := range frames {
		frame := &frames[i]
		l.path.enterElement(i)
		l.limitText("function", &frame.Function)
		l.limitText("module", &frame.Module)
		l.limitText("filename", &frame.Filename)
		l.limitText("abs_path", &frame.AbsPath)
		l.limitText("context_line", &frame.ContextLine)
		l.limitTexts("pre_context", frame.PreContext)
		l.limitTexts("post_context", frame.PostContext)
		l.limitValue("vars", &frame.Vars)
		if frame.Source != nil {
			l.limitText("source.function", &frame.Source.Function)
			l.limitText("source.name", &frame.Source.Name)
			l.limitText("source.path", &frame.Source.Path)
		}
		l.estimate += 5 * memberOverhead // the numbers, the lists and the source
		l.path.leaveValue()
	}
	return frames
}

func (l *limiter) walkBreadcrumbs() {
	event := l.event
	l.path.enterMember("breadcrumbs")
	defer l.path.leaveValue()
	if lost := len(event.Breadcrumbs) - maxBreadcrumbs; lost > 0 {
		event.Breadcrumbs = event.Breadcrumbs[lost:]
		l.addProblem("", strconv.Itoa(lost)+" older ones were cut")
	}
	for i := range event.Breadcrumbs {
		breadcrumb := &event.Breadcrumbs[i]
		l.path.enterElement(i)
		l.limitLine("type", &breadcrumb.Type, maxName)
		l.limitText("category", &breadcrumb.Category)
		l.limitLine("level", &breadcrumb.Level, maxLabel)
		l.limitText("message", &breadcrumb.Message)
		l.limitValue("data", &breadcrumb.Data)
		l.estimate += 2 * memberOverhead // the time
		l.path.leaveValue()
	}
}

func (l *limiter) walkRequest() {
	request := l.event.Request
	if request == nil {
		return
	}
	l.path.enterMember("request")
	defer l.path.leaveValue()
	l.limitText("method", &request.Method)
	l.limitText("url", &request.URL)
	l.limitValue("query", &request.Query)
	l.limitValue("headers", &request.Headers)
	l.limitValue("cookies", &request.Cookies)
	l.limitValue("data", &request.Data)
}

// limitText cuts a text that is too long.
func (l *limiter) limitText(name string, text *core.Untrusted) {
	l.estimate += len(*text) + memberOverhead
	if len(*text) > l.maxText {
		*text = core.Untrusted(l.cutText(name, string(*text)))
	}
}

func (l *limiter) limitTexts(name string, list []core.Untrusted) {
	for i := range list {
		l.limitText(name, &list[i])
	}
}

func (l *limiter) limitValue(name string, v *core.Value) {
	l.path.enterMember(name)
	l.walkValue(v)
	l.path.leaveValue()
}

func (l *limiter) walkValue(value *core.Value) {
	l.estimate += len(value.Text) + memberOverhead
	if value.Kind == core.String && len(value.Text) > l.maxText {
		value.Text = l.cutText("", value.Text)
	}
	for i := range value.Kids {
		kid := &value.Kids[i]
		l.estimate += len(kid.Key)
		l.path = append(l.path, pathStep{name: kid.Key, index: i})
		if len(kid.Key) > l.maxText {
			kid.Key = l.cutText("", kid.Key)
		}
		l.walkValue(&kid.Value)
		l.path.leaveValue()
	}
}

// cutText shortens a text, with a mark at its end.
func (l *limiter) cutText(name, text string) string {
	l.addProblem(name, "cut from "+strconv.Itoa(len(text))+" bytes to "+strconv.Itoa(l.maxText))
	return text[:runeStart(text, l.maxText-len(ellipsis))] + ellipsis
}

const ellipsis = "…"

// runeStart returns the last index up to at where a character starts.
func runeStart(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

func (l *limiter) addProblem(name, reason string) {
	if l.isQuiet {
		return
	}
	location := l.path.String()
	if name != "" && location != "" {
		location += "."
	}
	addProblem(l.event, location+name, reason)
}

// keepOfEvent cuts the middle out of the list of the event that the limiter has reached. Problems reported in the list before are
// renumbered.
func keepOfEvent[T any](l *limiter, list []T, limit int) []T {
	kept, lost := keepEnds(list, limit)
	if lost > 0 {
		moveProblems(l.event, l.path.String()+".", (limit+1)/2, lost)
		l.addProblem("", strconv.Itoa(lost)+" in the middle were cut")
	}
	return kept
}

// keepEnds cuts the middle out of a list that is too long, and returns how many elements it cut.
func keepEnds[T any](list []T, limit int) (kept []T, lost int) {
	if lost = len(list) - limit; lost <= 0 {
		return list, 0
	}
	head := (limit + 1) / 2
	return append(list[:head:head], list[head+lost:]...), lost
}
