package ingest

import (
	"strings"

	"errand/core"
)

// sentryEndpoints are the endpoints of the Sentry protocol, below /api/{project}/. The answer to a wrong path lists them.
var sentryEndpoints = []struct {
	path, name string // name is the label in the metrics
	serve      func(*Ingest, *httpRequest) (any, error)
}{
	{"envelope", endpointEnvelope, (*Ingest).serveEnvelope},
	{"store", endpointStore, (*Ingest).serveStore},
	{"security", endpointSecurity, (*Ingest).serveSecurity},
	{"csp-report", endpointSecurity, (*Ingest).serveSecurity}, // its former path, which old policies name
}

// notTaken says why some endpoints that Sentry has, and crash reporters send to, do not exist here.
var notTaken = map[string]string{
	"minidump": "Minidumps are not taken: an error is grouped by a stack trace that is readable, which an SDK sends as an event.",
	"unreal": "Crash reports of the Unreal Engine are not taken: an error is grouped by a stack trace that is readable, which an SDK " +
		"sends as an event.",
}

// errNoEndpoint returns not_found with a list of the endpoints, in the words of the Sentry protocol.
func errNoEndpoint(r *httpRequest) error {
	failure := core.NewError(core.NotFound)
	if !r.speaksSentry {
		return failure
	}
	reason := "There is no such endpoint."
	first, _, _ := strings.Cut(r.pathInProject, "/")
	if whyNot, isNamed := notTaken[first]; isNamed {
		reason = whyNot
	}
	var paths []string
	for _, e := range sentryEndpoints {
		paths = append(paths, "POST /api/{project}/"+e.path+"/")
	}
	paths = append(paths, "POST /api/{project}/integration/otlp/v1/traces", "POST /api/{project}/integration/otlp/v1/logs")
	failure.Details = []core.Detail{{Message: reason}, {Message: "Below /api there are: " + strings.Join(paths, ", ")}}
	return failure
}
