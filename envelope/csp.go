package envelope

import (
	"strings"

	"errand/core"
)

// setPolicy reads a report about a Content-Security-Policy: the blocked resource, and the page as the request. It returns the
// message.
func (d *decoder) setPolicy(value core.Value) string {
	field := func(name string) string { return reportField(value, name) }
	event := d.event
	violated := field("violated_directive")
	directive, _, _ := strings.Cut(field("effective_directive"), " ")
	if directive == "" {
		directive, _, _ = strings.Cut(violated, " ")
	}
	event.Report.Subject, event.Report.Detail = directive, field("blocked_uri")
	if page := field("document_uri"); event.Request == nil && page != "" {
		event.Request = &core.Request{URL: core.Untrusted(page)}
		d.splitURL(event.Request)
	}
	return cspMessage(directive, violated, event.Report.Detail)
}

// cspMessage describes the blocked resource.
func cspMessage(directive, violated, uri string) string {
	kind := cspKind(directive)
	if uri == "" || uri == "self" || uri == "inline" || uri == "eval" {
		switch {
		case strings.Contains(violated, "'unsafe-inline'"):
			return "Blocked unsafe inline '" + kind + "'"
		case strings.Contains(violated, "'unsafe-eval'") || uri == "eval":
			return "Blocked unsafe eval() '" + kind + "'"
		case kind == "script" && uri != "inline":
			return "Blocked unsafe (eval() or inline) 'script'"
		}
		return "Blocked inline '" + kind + "'"
	}
	return "Blocked '" + kind + "' from '" + cspHost(uri) + "'"
}

// cspKind names the subject of a directive: script-src-elem is about scripts.
func cspKind(directive string) string {
	kind, _, _ := strings.Cut(directive, "-")
	switch {
	case directive == "base-uri":
		return "base uri"
	case directive == "form-action":
		return "form action"
	case kind == "img":
		return "image"
	case kind == "":
		return "content"
	}
	return kind
}

// cspHost returns the host of a blocked URI, or the scheme of one without a host such as data:.
func cspHost(uri string) string {
	scheme, rest, found := strings.Cut(uri, ":")
	if !found {
		if host, _, _ := strings.Cut(uri, "/"); strings.Contains(host, ".") {
			return host
		}
		return uri + ":"
	}
	if !strings.HasPrefix(rest, "//") {
		return scheme + ":"
	}
	if i := strings.IndexAny(rest[2:], "/?#"); i >= 0 {
		return rest[2 : 2+i]
	}
	return rest[2:]
}
