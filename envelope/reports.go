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

// reportForms says of each kind below which member browsers put a report, and the words that its message begins with.
var reportForms = [...]struct{ wrapper, words string }{
	core.ReportCSP:          {wrapper: "csp-report"}, // its message says what was blocked
	core.ReportExpectCT:     {"expect-ct-report", "Expect-CT failed for"},
	core.ReportExpectStaple: {"expect-staple-report", "Expect-Staple failed for"},
	core.ReportHPKP:         {words: "Public key pinning validation failed for"},
	core.ReportTemplate:     {words: "Error in template"},
}

// readReport reads a report, and leaves out any other member. Where an event has several, that of a policy counts.
func (d *decoder) readReport(name string) {
	kind, found := core.ParseReportKind(name)
	if !found {
		d.skip()
		return
	}
	if value := d.objectValue(); !value.IsEmpty() && (d.report.IsEmpty() || kind == core.ReportCSP) {
		d.report = report{kind, value}
	}
}

// setReport makes a browser's report, or an error in a template, an event like others: with a message, and the report
// itself as a context. What the event says by itself stays.
func (d *decoder) setReport() {
	if d.report.IsEmpty() {
		return
	}
	e, kind, form := &d.event, d.report.kind, reportForms[d.report.kind]
	value := unwrapReport(d.report.Value, form.wrapper)
	e.Report = &core.Report{Kind: kind}
	var message string
	switch kind {
	case core.ReportCSP:
		message = d.setPolicy(value)
	case core.ReportTemplate:
		e.Report.Subject = firstField(value, "filename", "abs_path")
		e.Report.Detail = reportField(value, "context_line") // not its number, which changes with every line above it
	default:
		d.setConnection(value)
	}
	if form.words != "" {
		message = form.words + " '" + e.Report.Subject + "'"
	}
	if e.Message == "" {
		e.Message = core.Untrusted(message)
	}
	if e.Logger == "" && kind != core.ReportTemplate { // which an application's own logger reports
		e.Logger = core.Untrusted(kind.String())
	}
	d.addContext(kind.String(), value)
}

// setConnection takes the host from a report about certificates, which stands for the page, and the time.
func (d *decoder) setConnection(value core.Value) {
	e, host := &d.event, firstField(value, "hostname", "noted_hostname")
	e.Report.Subject = host
	if e.Request == nil && host != "" {
		e.Request = &core.Request{URL: core.Untrusted(httpsOrigin(host, reportField(value, "port")))}
	}
	if d.sent.IsZero() {
		d.sent, _ = parseTime(reportField(value, "date_time"))
	}
}

func httpsOrigin(host, port string) string {
	if port == "" || port == "443" {
		return "https://" + host
	}
	return "https://" + host + ":" + port
}

// unwrapReport returns what browsers put below one member, which most kinds have no name for.
func unwrapReport(value core.Value, wrapper string) core.Value {
	if inner := value.Get(wrapper); wrapper != "" && inner.Kind == core.Object {
		return inner
	}
	return value
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
