package grouping

import (
	"strings"

	"errand/core"
)

// This file decides what an event is about: a message or an exception, and which of its exceptions, threads and frames. Title,
// type, culprit and fingerprint all use it, so that they never disagree.

// isLogMessage reports whether an event is a log message, even if its SDK added a stack trace. @sentry/browser 11 sends the stack
// of captureMessage as an exception without a type, version 10 sends no stack, and both are one issue. A text that JavaScript
// throws is also a message: browsers report it with a type that the SDK made up.
func isLogMessage(e *core.Event) bool {
	for i := range e.Exceptions {
		if x := &e.Exceptions[i]; !x.RestatesMessage(e.Message) && !isThrownText(x, e) {
			return false
		}
	}
	return true
}

func isThrownText(x *core.Exception, e *core.Event) bool {
	return hasMadeUpType(x) && e.Platform == "javascript" && e.Message != "" && x.Value == e.Message
}

// hasMadeUpType reports whether the SDK made up the type of an exception, because the thrown value or the crash had none.
func hasMadeUpType(x *core.Exception) bool { return x.Mechanism != nil && x.Mechanism.Synthetic }

// isThrownValue reports whether the program threw something that is not an error, such as a text. Its stack comes from the
// function that reported it.
func isThrownValue(x *core.Exception, lang language) bool {
	return lang == javaScript && hasMadeUpType(x) && x.Value != ""
}

// findMainException returns the index of the exception that names the event, -1 for a message: the outermost, or a part of an
// exception group with equal parts.
func findMainException(event *core.Event) int {
	switch {
	case isLogMessage(event):
		return -1
	case !isExceptionTree(event.Exceptions):
		return 0
	}
	units, _ := findTreeUnits(event.Exceptions, languageOfPlatform(event.Platform))
	if len(units) == 1 {
		return units[0].index
	}
	return 0
}

// findMainThread returns the main thread of an event without exceptions: the only one that crashed, or else the only current one,
// or else the only one with a stack. It is nil when that is ambiguous.
func findMainThread(threads []core.Thread) *core.Thread {
	var crashed, current, all soleThread
	for i := range threads {
		thread := &threads[i]
		if len(thread.Frames) == 0 {
			continue
		}
		all.addThread(thread)
		if thread.Crashed {
			crashed.addThread(thread)
		}
		if thread.Current {
			current.addThread(thread)
		}
	}
	for _, sole := range [...]soleThread{crashed, current, all} {
		if sole.count > 0 {
			return sole.thread
		}
	}
	return nil
}

// soleThread holds a thread while it is the only one that was added.
type soleThread struct {
	thread *core.Thread
	count  int
}

func (o *soleThread) addThread(t *core.Thread) {
	if o.count++; o.count == 1 {
		o.thread = t
	} else {
		o.thread = nil
	}
}

// findCrashStack returns the main stack of the event: the main exception's, or else the stack of the first exception with one, or
// else a thread's.
func findCrashStack(event *core.Event) []core.Frame {
	if i := findMainException(event); i >= 0 && len(event.Exceptions[i].Frames) > 0 {
		return event.Exceptions[i].Frames
	}
	for i := range event.Exceptions {
		if len(event.Exceptions[i].Frames) > 0 {
			return event.Exceptions[i].Frames
		}
	}
	if t := findMainThread(event.Threads); t != nil {
		return t.Frames
	}
	return nil
}

// findCrashFrame returns the stack with the application's frame nearest the crash, and its index there; -1 without a stack.
// Frames of libraries or of the language's runtime replace it when the application has none.
func findCrashFrame(e *core.Event) (stack []core.Frame, index int) {
	frames := findCrashStack(e)
	lang := languageOfPlatform(e.Platform)
	for _, s := range frameSelections {
		for i := range frames {
			if s.selectsFrame(frames, i, lang) {
				return frames, i
			}
		}
	}
	return nil, -1
}

// findCrashFunction returns the name of the function that crashed, empty when unknown.
func findCrashFunction(e *core.Event) string {
	stack, i := findCrashFrame(e)
	if i < 0 {
		return ""
	}
	if function := string(core.ViewFrame(stack, i).Function); !isUnknownName(function) {
		return shortenLine(function)
	}
	return ""
}

// extractMessagePattern returns the constant part of the message: the client's template if there is one with words, or else the
// first line with its values replaced, or else the template.
func extractMessagePattern(e *core.Event) string {
	template := clipText(e.Template)
	if template != "" && hasWords(template) {
		return template
	}
	if text := ParameterizeText(firstLine(string(e.Message))); text != "" {
		return text
	}
	return template
}

// extractBlockedHost returns the resource that a policy blocked, without the path: the host of a URL, or else the scheme or
// keyword.
func extractBlockedHost(uri string) string {
	uri = strings.ToLower(strings.TrimSpace(clipText(uri)))
	scheme, rest, found := strings.Cut(uri, "://")
	if !found {
		scheme, _, _ = strings.Cut(uri, ":")
		return scheme
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	if rest == "" {
		return scheme
	}
	return rest
}
