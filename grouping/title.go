package grouping

import (
	"strings"
	"unicode/utf8"

	"errand/core"
)

// unlabeledTitle is the title of an event that says nothing.
const unlabeledTitle = "<unlabeled event>"

// MakeTitle returns the title of an event: "Type: value" of its main exception, or else its message. It is one line of at most
// 200 characters, and never empty. The function that crashed replaces a type that the SDK made up, unless the program threw a
// value, which says more.
func MakeTitle(event *core.Event) string {
	title := shortenLine(makeExceptionTitle(event))
	if title == "" {
		title = shortenLine(string(event.Message))
	}
	if title == "" && event.Report != nil {
		title = shortenLine("Blocked '" + event.Report.Subject + "' from '" + extractBlockedHost(event.Report.Detail) + "'")
	}
	if title == "" {
		title = findCrashFunction(event)
	}
	if title == "" {
		title = unlabeledTitle
	}
	return title
}

func makeExceptionTitle(event *core.Event) string {
	i := findMainException(event)
	if i < 0 {
		return ""
	}
	exception := &event.Exceptions[i]
	if hasMadeUpType(exception) && !isThrownValue(exception, languageOfPlatform(event.Platform)) {
		if function := findCrashFunction(event); function != "" {
			return function
		}
	}
	kind, value := firstLine(string(exception.Type)), firstLine(string(exception.Value))
	if kind == "" || value == "" {
		return kind + value
	}
	return kind + ": " + value
}

// FindType returns the type of the exception in the event's title, empty for a message.
func FindType(e *core.Event) core.Untrusted {
	if i := findMainException(e); i >= 0 {
		return e.Exceptions[i].Type
	}
	return ""
}

// FindStoredType returns the type of an event from the store, which records neither how exceptions belong together nor what the
// SDK made up: the type that its title names.
func FindStoredType(event *core.Event) core.Untrusted {
	if isLogMessage(event) || event.Message != "" && string(event.Title) == shortenLine(string(event.Message)) {
		return ""
	}
	for i := range event.Exceptions {
		kind := event.Exceptions[i].Type
		rest, found := strings.CutPrefix(string(event.Title), firstLine(string(kind)))
		if kind != "" && found && (rest == "" || strings.HasPrefix(rest, ": ")) {
			return kind
		}
	}
	return event.Exceptions[0].Type
}

// FindCulprit returns where an event happened, in at most 200 characters: its transaction, or else "module in function" of the
// crash frame, "function(file)" in a script without modules. Without a stack it is the template, or else the URL of the HTTP
// request, or else empty.
func FindCulprit(event *core.Event) string {
	if event.Transaction != "" {
		return shortenLine(string(event.Transaction))
	}
	if stack, i := findCrashFrame(event); i >= 0 {
		return shortenLine(nameFrame(stack, i, languageOfPlatform(event.Platform).ofFrame(&stack[i])))
	}
	if event.Report != nil && event.Report.Kind == core.ReportTemplate {
		return shortenLine(event.Report.Subject)
	}
	if event.Request != nil {
		return shortenLine(string(event.Request.URL))
	}
	return ""
}

// maxTitle is the length of titles and culprits in characters (decisions 4).
const maxTitle = 200

// shortenLine returns the first line of a text, cut to maxTitle characters; a cut line ends with "...".
func shortenLine(text string) string {
	text = firstLine(text)
	if len(text) <= maxTitle || utf8.RuneCountInString(text) <= maxTitle {
		return text
	}
	const more = "..."
	end, count := 0, 0
	for i := range text {
		if count == maxTitle-len(more) {
			end = i
			break
		}
		count++
	}
	return strings.TrimRight(text[:end], " ") + more
}
