package envelope

import (
	"strings"

	"errand/core"
)

// sentReport is a report while the event is read.
type sentReport struct {
	kind  core.ReportKind
	value core.Value
}

// reportForms hold for each kind the member that contains a browser's report, and the words that begin its message.
var reportForms = [...]struct{ wrapper, words string }{
	core.ReportCSP:          {wrapper: "csp-report"}, // its message says what was blocked
	core.ReportExpectCT:     {"expect-ct-report", "Expect-CT failed for"},
	core.ReportExpectStaple: {"expect-staple-report", "Expect-Staple failed for"},
	core.ReportHPKP:         {words: "Public key pinning validation failed for"},
	core.ReportTemplate:     {words: "Error in template"},
}

// readReport reads a report, and leaves out any other member. When an event has several, the report of a policy counts.
func (d *decoder) readReport(name string) {
	kind, found := core.ParseReportKind(name)
	if !found {
		if today, isOld := findOldName(name); isOld {
			d.readField(today)
		} else {
			d.json.skipValue()
		}
		return
	}
	if value := d.readObject(); !value.IsEmpty() && (d.report.value.IsEmpty() || kind == core.ReportCSP) {
		d.report = sentReport{kind, value}
	}
}

// setReport turns a browser's report, or an error in a template, into an event like others: with a message, and the report itself
// as a context. The event's own fields stay.
func (d *decoder) setReport() {
	if d.report.value.IsEmpty() {
		return
	}
	event, kind, form := d.event, d.report.kind, reportForms[d.report.kind]
	value := unwrapReport(d.report.value, form.wrapper)
	event.Report = &core.Report{Kind: kind}
	var message string
	switch kind {
	case core.ReportCSP:
		message = d.setPolicy(value)
	case core.ReportTemplate:
		event.Report.Subject = firstField(value, "filename", "abs_path")
		event.Report.Detail = reportField(value, "context_line") // not its number, which changes with every line above it
	default:
		d.setConnection(value)
	}
	if form.words != "" {
		message = form.words + " '" + event.Report.Subject + "'"
	}
	if event.Message == "" {
		event.Message = core.Untrusted(message)
	}
	if event.Logger == "" && kind != core.ReportTemplate { // which an application's own logger reports
		event.Logger = core.Untrusted(kind.String())
	}
	d.addContext(kind.String(), value)
}

// setConnection takes from a report about certificates the time, and the host, which stands for the page.
func (d *decoder) setConnection(value core.Value) {
	e, host := d.event, firstField(value, "hostname", "noted_hostname")
	e.Report.Subject = host
	if e.Request == nil && host != "" {
		e.Request = &core.Request{URL: core.Untrusted(httpsOrigin(host, reportField(value, "port")))}
	}
	if d.sentAt.IsZero() {
		d.sentAt, _ = parseTime(reportField(value, "date_time"))
	}
}

func httpsOrigin(host, port string) string {
	if port == "" || port == "443" {
		return "https://" + host
	}
	return "https://" + host + ":" + port
}

// unwrapReport returns the value that browsers put under one member, which has no name in most kinds.
func unwrapReport(value core.Value, wrapper string) core.Value {
	if inner := value.Get(wrapper); wrapper != "" && inner.Kind == core.Object {
		return inner
	}
	return value
}

// reportField returns a field of a report by its name here, its name in the older reports (document-uri), or its name in the
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

// firstField returns the first of the fields that is not empty.
func firstField(report core.Value, names ...string) string {
	for _, name := range names {
		if text := reportField(report, name); text != "" {
			return text
		}
	}
	return ""
}

// addContext adds a member to a copy of the contexts.
func (d *decoder) addContext(name string, v core.Value) {
	kids := append([]core.Member(nil), d.event.Contexts.Kids...)
	d.event.Contexts = core.Value{Kind: core.Object, Kids: append(kids, core.Member{Key: name, Value: v})}
}
