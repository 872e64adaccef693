package triage

import (
	"slices"
	"strings"

	"errand/core"
)

// Site says whose code an event's stack trace shows. It is all that is kept of the frames of an issue's first event.
type Site string

// The sites. The empty one is of an issue whose events were not looked at yet.
const (
	App       Site = "app"       // the app's own code is in it
	Library   Site = "library"   // only code of others
	Extension Site = "extension" // it crashed in an extension of the browser
	NoStack   Site = "none"
)

var siteReasons = map[Site]string{
	App:     "The stack trace has code of the app.",
	Library: "The stack trace has only code of libraries.",
	NoStack: "There is no stack trace.",
}

// Crash is what the rules know of an issue's first event beyond the issue.
type Crash struct {
	Site    Site
	Handled *bool // false when nothing in the app caught the exception; nil when the SDK did not say
}

// CrashOf looks at the frames of an event: those of its exceptions, else those of the threads.
func CrashOf(e *core.Event) Crash {
	var c Crash
	for i := range e.Exceptions {
		x := &e.Exceptions[i]
		if x.Mechanism != nil && x.Mechanism.Handled != nil && c.Handled == nil {
			handled := *x.Mechanism.Handled
			c.Handled = &handled
		}
		c.Site = better(c.Site, siteOf(x.Frames))
	}
	if c.Site != "" {
		return c
	}
	for i := range e.Threads {
		if t := &e.Threads[i]; t.Crashed || t.Current {
			c.Site = better(c.Site, siteOf(t.Frames))
		}
	}
	if c.Site == "" {
		c.Site = NoStack
	}
	return c
}

// better gives the site that says more.
func better(a, b Site) Site {
	for _, s := range []Site{Extension, App, Library} {
		if a == s || b == s {
			return s
		}
	}
	return ""
}

func siteOf(frames []core.Frame) Site {
	if len(frames) == 0 {
		return ""
	}
	for i := range frames {
		if path := string(frames[i].AbsPath) + " " + string(frames[i].Filename); strings.Contains(path, "://") {
			if isExtension(path) {
				return Extension
			}
			break // only the frame of the crash counts: the app may be called by an extension
		}
	}
	if slices.ContainsFunc(frames, func(f core.Frame) bool { return f.InApp }) {
		return App
	}
	return Library
}

// isExtension tells whether a text names code of a browser's extension.
func isExtension(text string) bool {
	return strings.Contains(text, "extension://") && slices.ContainsFunc(extensionSchemes, func(scheme string) bool {
		return strings.Contains(text, scheme)
	})
}

var extensionSchemes = []string{
	"chrome-extension://", "moz-extension://", "safari-extension://", "safari-web-extension://", "ms-browser-extension://",
}
