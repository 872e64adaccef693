package grouping

import (
	"strings"

	"errand/core"
)

// unlabeledTitle is the title of an event that says nothing.
const unlabeledTitle = "<unlabeled event>"

// MakeTitle returns the title of an event: "Type: value" of the exception that was reported, else its message; one line of
// at most 200 characters, never empty. A type that the SDK made up gives way to the function that crashed, unless the
// program threw a value, which says more.
func MakeTitle(e *core.Event) string {
	title := shortenLine(makeExceptionTitle(e))
	if title == "" {
		title = shortenLine(string(e.Message))
	}
	if title == "" && e.Report != nil {
		title = shortenLine("Blocked '" + e.Report.Subject + "' from '" + extractBlockedHost(e.Report.Detail) + "'")
	}
	if title == "" {
		title = findCrashFunction(e)
	}
	if title == "" {
		title = unlabeledTitle
	}
	return title
}

func makeExceptionTitle(e *core.Event) string {
	i := findMainException(e)
	if i < 0 {
		return ""
	}
	x := &e.Exceptions[i]
	if hasMadeUpType(x) && !isThrownValue(x, languageOfPlatform(e.Platform)) {
		if function := findCrashFunction(e); function != "" {
			return function
		}
	}
	kind, value := firstLine(string(x.Type)), firstLine(string(x.Value))
	if kind == "" || value == "" {
		return kind + value
	}
	return kind + ": " + value
}

// FindType returns the type of the exception that names the event, the one in its title; empty for a message.
func FindType(e *core.Event) core.Untrusted {
	if i := findMainException(e); i >= 0 {
		return e.Exceptions[i].Type
	}
	return ""
}

// FindStoredType returns the type of an event that was read from the store, which keeps neither how exceptions belong
// together nor what the SDK made up: the type that its title names.
func FindStoredType(e *core.Event) core.Untrusted {
	if isLogMessage(e) || e.Message != "" && string(e.Title) == shortenLine(string(e.Message)) {
		return ""
	}
	for i := range e.Exceptions {
		kind := e.Exceptions[i].Type
		rest, found := strings.CutPrefix(string(e.Title), firstLine(string(kind)))
		if kind != "" && found && (rest == "" || strings.HasPrefix(rest, ": ")) {
			return kind
		}
	}
	return e.Exceptions[0].Type
}

// FindCulprit returns where an event happened: its transaction, else the frame of the application that is nearest the
// crash, as "module in function". A script without a module is "function(file)". Without a stack it is the template or
// the URL of the request, if there was one. At most 200 characters; empty when nothing is known.
func FindCulprit(e *core.Event) string {
	if e.Transaction != "" {
		return shortenLine(string(e.Transaction))
	}
	if f, stack := findCrashFrame(e); f != nil {
		return shortenLine(nameFrame(f, stack, languageOfPlatform(e.Platform).ofFrame(f)))
	}
	if e.Report != nil && e.Report.Kind == core.ReportTemplate {
		return shortenLine(e.Report.Subject)
	}
	if e.Request != nil {
		return shortenLine(string(e.Request.URL))
	}
	return ""
}
