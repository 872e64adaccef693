package envelope

import "strings"

// oldPrefix stands before the names that members of an event had when they were called interfaces. Clients that still write them:
// raven, and sentry-java before version 2.
const oldPrefix = "sentry.interfaces."

// oldNames maps these names, without their prefix, to today's.
var oldNames = map[string]string{
	"Breadcrumbs": "breadcrumbs", "Contexts": "contexts", "Csp": "csp", "DebugMeta": "debug_meta", "Exception": "exception",
	"Http": "request", "Message": "logentry", "Stacktrace": "stacktrace", "Template": "template", "Threads": "threads", "User": "user",
}

// findOldName returns today's name of a member that has an old one.
func findOldName(name string) (today string, found bool) {
	if name, found = strings.CutPrefix(name, oldPrefix); !found {
		return "", false
	}
	today, found = oldNames[name]
	return today, found
}
