package grouping

import (
	"strings"

	"errand/core"
)

// writeV1 writes the input of version 1: the application's own choice, or else the event's content (decisions 4).
func (d *digest) writeV1(event *core.Event) {
	if choosesGroup(event.Fingerprint) {
		d.writeClientFingerprint(event)
		return
	}
	d.writeDefault(event)
}

// writeDefault writes the first of these that the event has: exceptions, a report, a message, a thread's stack. A report comes
// before its message, because quoted names distinguish two reports.
func (d *digest) writeDefault(event *core.Event) {
	if d.writeExceptions(event) {
		return
	}
	if event.Report != nil {
		d.writeReport(event)
		return
	}
	if text := extractMessagePattern(event); text != "" {
		d.writePart("message")
		d.writePart(text)
		return
	}
	if t := findMainThread(event.Threads); t != nil && d.writeThread(t, languageOfPlatform(event.Platform)) {
		return
	}
	d.writePart("nothing")
}

// writeReport writes the subject of a report: a directive and the resource that it blocked; a host; or a template with its line
// of code and the message.
func (d *digest) writeReport(event *core.Event) {
	report := event.Report
	d.writePart(report.Kind.String())
	switch report.Kind {
	case core.ReportCSP:
		d.writePart(strings.ToLower(clipText(report.Subject)))
		d.writePart(extractBlockedHost(report.Detail))
	case core.ReportTemplate:
		d.writePart(clipText(report.Subject))
		d.writePart(firstLine(report.Detail))
		d.writePart(extractMessagePattern(event))
	default:
		d.writePart(strings.ToLower(clipText(report.Subject)))
	}
}

// writeThread writes the stack of a thread, and reports whether there was anything to write.
func (d *digest) writeThread(t *core.Thread, lang language) bool {
	start := len(d.buf)
	d.writePart("thread")
	stack := d.openPart()
	if hasKeys, _ := d.writeStack(t.Frames, lang); !hasKeys {
		d.buf = d.buf[:start]
		return false
	}
	d.closePart(stack)
	return true
}
