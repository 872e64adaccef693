package triage

import (
	"slices"
	"strings"

	"errand/core"
)

// Site says whose code an event's stack trace shows. It is all that is kept of the frames of an issue's first event.
type Site string

// The sites. It is empty for an issue whose events were not looked at yet.
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

// FindCrash looks at the frames of an event: those of its exceptions, else those of the threads.
func FindCrash(e *core.Event) Crash {
	var c Crash
	for i := range e.Exceptions {
		exception := &e.Exceptions[i]
		if mechanism := exception.Mechanism; mechanism != nil && mechanism.Handled != nil && c.Handled == nil {
			handled := *mechanism.Handled
			c.Handled = &handled
		}
		c.Site = pickSite(c.Site, findSite(exception.Frames))
	}
	if c.Site != "" {
		return c
	}
	for i := range e.Threads {
		if t := &e.Threads[i]; t.Crashed || t.Current {
			c.Site = pickSite(c.Site, findSite(t.Frames))
		}
	}
	if c.Site == "" {
		c.Site = NoStack
	}
	return c
}

// pickSite returns the site that says more.
func pickSite(a, b Site) Site {
	for _, s := range []Site{Extension, App, Library} {
		if a == s || b == s {
			return s
		}
	}
	return ""
}

func findSite(frames []core.Frame) Site {
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

// isExtension reports whether a text names code of a browser's extension.
func isExtension(text string) bool {
	return strings.Contains(text, "extension://") && slices.ContainsFunc(extensionSchemes, func(scheme string) bool {
		return strings.Contains(text, scheme)
	})
}

var extensionSchemes = []string{
	"chrome-extension://", "moz-extension://", "safari-extension://", "safari-web-extension://", "ms-browser-extension://",
}
