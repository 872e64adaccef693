package envelope

import (
	"strings"

	"errand/core"
)

// setCSP gives a Content-Security-Policy report the form of other events: a message, the page as the request, and the
// report itself as a context.
func (d *decoder) setCSP() {
	if d.cspReport.Empty() {
		return
	}
	report := unwrapReport(d.cspReport, "csp-report")
	field := func(name string) string { return reportField(report, name) }
	e := &d.event
	violated := field("violated_directive")
	directive, _, _ := strings.Cut(field("effective_directive"), " ")
	if directive == "" {
		directive, _, _ = strings.Cut(violated, " ")
	}
	e.Report = &core.Report{Kind: core.ReportCSP, Subject: directive, Detail: field("blocked_uri")}
	if e.Message == "" {
		e.Message = core.Untrusted(cspMessage(directive, violated, e.Report.Detail))
	}
	if e.Logger == "" {
		e.Logger = "csp"
	}
	if page := field("document_uri"); e.Request == nil && page != "" {
		e.Request = &core.Request{URL: core.Untrusted(page)}
		d.splitURL(e.Request)
	}
	d.addContext("csp", report)
}

// cspMessage says what was blocked.
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

// cspKind names what a directive is about: script-src-elem is about scripts.
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

// cspHost gives the host of a blocked URI, or the scheme of one without a host such as data:.
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
