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
	report := d.cspReport
	if inner := report.Get("csp-report"); inner.Kind == core.Object {
		report = inner
	}
	field := func(name string) string { return cspField(report, name) }
	e := &d.event
	violated := field("violated_directive")
	directive, _, _ := strings.Cut(field("effective_directive"), " ")
	if directive == "" {
		directive, _, _ = strings.Cut(violated, " ")
	}
	e.CSP = &core.CSP{Directive: directive, BlockedURI: field("blocked_uri")}
	if e.Message == "" {
		e.Message = core.Untrusted(cspMessage(directive, violated, e.CSP.BlockedURI))
	}
	if e.Logger == "" {
		e.Logger = "csp"
	}
	if page := field("document_uri"); e.Request == nil && page != "" {
		e.Request = &core.Request{URL: core.Untrusted(page)}
		d.splitURL(e.Request)
	}
	kids := append([]core.Member(nil), e.Contexts.Kids...)
	e.Contexts = core.Value{Kind: core.Object, Kids: append(kids, core.Member{Key: "csp", Value: report})}
}

// cspField reads a field of a report by its name here, its name on the wire of report-uri (document-uri), or that of the
// Reporting API (documentURL).
func cspField(report core.Value, name string) string {
	for _, spelling := range [...]string{name, strings.ReplaceAll(name, "_", "-"), reportingNames[name]} {
		if v := report.Get(spelling); v.Kind != core.Null {
			return strings.TrimSpace(textOf(v))
		}
	}
	return ""
}

var reportingNames = map[string]string{
	"blocked_uri": "blockedURL", "document_uri": "documentURL",
	"effective_directive": "effectiveDirective", "violated_directive": "violatedDirective",
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
