package triage

import (
	"slices"
	"strings"

	"errand/core"
)

// CrashSite says whose code an event's stack trace shows. Nothing else is kept of the frames of an issue's first event.
type CrashSite string

// The sites. The empty site is for an issue whose events were not examined yet.
const (
	App       CrashSite = "app"       // the app's own code is in it
	Library   CrashSite = "library"   // only code of others
	Extension CrashSite = "extension" // it crashed in an extension of the browser
	NoStack   CrashSite = "none"
)

var siteReasons = map[CrashSite]string{
	App:     "The stack trace has code of the app.",
	Library: "The stack trace has only code of libraries.",
	NoStack: "There is no stack trace.",
}

// Crash holds the facts about an issue's first event that the rules use, besides the issue.
type Crash struct {
	Site    CrashSite
	Handled *bool // false when nothing in the app caught the exception; nil when the SDK did not say
}

// FindCrash examines the frames of an event: those in its exceptions, or else in its threads.
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

// pickSite returns the more telling site.
func pickSite(a, b CrashSite) CrashSite {
	for _, s := range []CrashSite{Extension, App, Library} {
		if a == s || b == s {
			return s
		}
	}
	return ""
}

func findSite(frames []core.Frame) CrashSite {
	if len(frames) == 0 {
		return ""
	}
	for i := range frames {
		if path := string(frames[i].AbsPath) + " " + string(frames[i].Filename); strings.Contains(path, "://") {
			if isExtension(path) {
				return Extension
			}
			break // only the crash frame counts: an extension may have called the app
		}
	}
	if slices.ContainsFunc(frames, func(f core.Frame) bool { return f.InApp }) {
		return App
	}
	return Library
}

// isExtension reports whether a text names code of a browser extension.
func isExtension(text string) bool {
	return strings.Contains(text, "extension://") && slices.ContainsFunc(extensionSchemes, func(scheme string) bool {
		return strings.Contains(text, scheme)
	})
}

var extensionSchemes = []string{
	"chrome-extension://", "moz-extension://", "safari-extension://", "safari-web-extension://", "ms-browser-extension://",
}
