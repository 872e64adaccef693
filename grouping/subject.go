package grouping

import (
	"strings"

	"errand/core"
)

// This file answers what an event is about. Title, type, culprit and fingerprint all ask it, so that they never
// disagree.

// isMessage reports whether an event is a log message, whatever stack trace its SDK added to it: @sentry/browser 11
// sends the stack of captureMessage as an exception without a type, version 10 sends none, and both are one issue. In
// JavaScript a text may be thrown as well, which browsers report in the same way but with a type that the SDK made up.
func isMessage(e *core.Event) bool {
	for i := range e.Exceptions {
		if x := &e.Exceptions[i]; !x.RestatesMessage(e.Message) && !isThrownText(x, e) {
			return false
		}
	}
	return true
}

func isThrownText(x *core.Exception, e *core.Event) bool {
	return isMadeUp(x) && e.Platform == "javascript" && e.Message != "" && x.Value == e.Message
}

// isMadeUp reports whether the type of an exception comes from the SDK: what was thrown or crashed had none.
func isMadeUp(x *core.Exception) bool { return x.Mechanism != nil && x.Mechanism.Synthetic }

// isThrownValue reports whether the program threw something that is not an error, such as a text: its stack is that of the
// function which reported it.
func isThrownValue(x *core.Exception, lang language) bool {
	return lang == javaScript && isMadeUp(x) && x.Value != ""
}

// mainException returns the index of the exception that names the event: the outermost, or the one that a group is
// about when all its parts are the same. It is -1 for a message.
func mainException(e *core.Event) int {
	switch {
	case isMessage(e):
		return -1
	case !isTree(e.Exceptions):
		return 0
	}
	units, found := newTree(e.Exceptions, byStack, languageOf(e.Platform)).all()
	if !found {
		units, _ = newTree(e.Exceptions, byValue, languageOf(e.Platform)).all()
	}
	if len(units) == 1 {
		return units[0].index
	}
	return 0
}

// mainThread returns the thread that an event without exceptions is about: the only one that crashed, else the only
// current one, else the only one with a stack. It is nil where that is not clear.
func mainThread(threads []core.Thread) *core.Thread {
	var crashed, current, all only
	for i := range threads {
		t := &threads[i]
		if len(t.Frames) == 0 {
			continue
		}
		all.add(t)
		if t.Crashed {
			crashed.add(t)
		}
		if t.Current {
			current.add(t)
		}
	}
	for _, o := range [...]only{crashed, current, all} {
		if o.count > 0 {
			return o.thread
		}
	}
	return nil
}

// only holds a thread as long as it is the only one of its sort.
type only struct {
	thread *core.Thread
	count  int
}

func (o *only) add(t *core.Thread) {
	if o.count++; o.count == 1 {
		o.thread = t
	} else {
		o.thread = nil
	}
}

// crashStack returns the stack that the event is about: that of the main exception, else of the first that has one,
// else of a thread.
func crashStack(e *core.Event) []core.Frame {
	if i := mainException(e); i >= 0 && len(e.Exceptions[i].Frames) > 0 {
		return e.Exceptions[i].Frames
	}
	for i := range e.Exceptions {
		if len(e.Exceptions[i].Frames) > 0 {
			return e.Exceptions[i].Frames
		}
	}
	if t := mainThread(e.Threads); t != nil {
		return t.Frames
	}
	return nil
}

// crashFrame returns the frame of the application that is nearest the crash, with the stack that it belongs to. Frames
// of the language's runtime, and those of libraries, only stand in where there are no others; it is nil without a stack.
func crashFrame(e *core.Event) (*core.Frame, []core.Frame) {
	frames := crashStack(e)
	lang := languageOf(e.Platform)
	for _, s := range selections {
		for i := range frames {
			if s.has(frames, i, lang) {
				return &frames[i], frames
			}
		}
	}
	return nil, nil
}

// crashFunction returns the name of the function that crashed, as far as it is known.
func crashFunction(e *core.Event) string {
	if f, _ := crashFrame(e); f != nil && !isUnknown(string(f.Function)) {
		return shorten(string(f.Function))
	}
	return ""
}

// messagePattern returns the part of the message that is the same each time: the template where the client sent one.
func messagePattern(e *core.Event) string {
	if e.Template != "" {
		return clip(e.Template)
	}
	return Parameterize(firstLine(string(e.Message)))
}

// blockedHost returns what a policy blocked, without the page: the host of a URL, else the scheme or keyword.
func blockedHost(uri string) string {
	uri = strings.ToLower(strings.TrimSpace(clip(uri)))
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
