package envelope

import (
	"strings"

	"errand/core"
)

// report is a report while the event is read.
type report struct {
	kind core.ReportKind
	core.Value
}

// readReport reads a report, and leaves out any other member.
func (d *decoder) readReport(name string) {
	switch kind, found := core.ParseReportKind(name); {
	case !found:
		d.skip()
	case kind == core.ReportCSP:
		d.cspReport = d.objectValue()
	default:
		d.report = report{kind, d.objectValue()}
	}
}

// setReport gives a browser's report about a host, and an error in a template, the form of other events: a message, and
// the report itself as a context.
func (d *decoder) setReport() {
	e := &d.event
	if d.report.Empty() || e.Report != nil {
		return
	}
	r := core.Report{Kind: d.report.kind}
	report, message := d.report.Value, ""
	switch r.Kind {
	case core.ReportExpectCT:
		report, message = unwrapReport(report, "expect-ct-report"), "Expect-CT failed for '"
	case core.ReportExpectStaple:
		report, message = unwrapReport(report, "expect-staple-report"), "Expect-Staple failed for '"
	case core.ReportHPKP:
		message = "Public key pinning validation failed for '"
	case core.ReportTemplate:
		message = "Error in template '"
		r.Detail = reportField(report, "context_line") // not its number, which changes with every line above it
	}
	r.Subject = firstField(report, "hostname", "noted_hostname", "filename", "abs_path")
	if e.Message == "" {
		e.Message = core.Untrusted(message + r.Subject + "'")
	}
	e.Report = &r
	d.addContext(r.Kind.String(), report)
}

// unwrapReport returns what browsers put below one member.
func unwrapReport(report core.Value, member string) core.Value {
	if inner := report.Get(member); inner.Kind == core.Object {
		return inner
	}
	return report
}

// reportField returns a field of a report by its name here, its name in the older reports (document-uri), or that of the
// Reporting API (documentURL).
func reportField(report core.Value, name string) string {
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

// firstField returns the first of the fields that says something.
func firstField(report core.Value, names ...string) string {
	for _, name := range names {
		if text := reportField(report, name); text != "" {
			return text
		}
	}
	return ""
}

// addContext adds a member to the contexts, in room of its own.
func (d *decoder) addContext(name string, v core.Value) {
	kids := append([]core.Member(nil), d.event.Contexts.Kids...)
	d.event.Contexts = core.Value{Kind: core.Object, Kids: append(kids, core.Member{Key: name, Value: v})}
}
