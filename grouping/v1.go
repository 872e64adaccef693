package grouping

import (
	"strings"

	"errand/core"
)

// writeV1 is version 1: what the application asked for, else what the event itself says (decisions 4).
func (d *digest) writeV1(e *core.Event) {
	if choosesGroup(e.Fingerprint) {
		d.writeClientFingerprint(e)
		return
	}
	d.writeDefault(e)
}

// writeDefault writes the strongest thing that the event has: its exceptions, its message, or a lone stack. A report comes
// before its message, whose quoted names are what makes two reports different.
func (d *digest) writeDefault(e *core.Event) {
	if d.writeExceptions(e) {
		return
	}
	if e.Report != nil {
		d.writeReport(e)
		return
	}
	if text := extractMessagePattern(e); text != "" {
		d.writePart("message")
		d.writePart(text)
		return
	}
	if t := findMainThread(e.Threads); t != nil && d.writeThread(t, languageOfPlatform(e.Platform)) {
		return
	}
	d.writePart("nothing")
}

// writeReport writes what a report is about: a directive and what it blocked, a host, or a template, its line of code and the
// message.
func (d *digest) writeReport(e *core.Event) {
	r := e.Report
	d.writePart(r.Kind.String())
	switch r.Kind {
	case core.ReportCSP:
		d.writePart(strings.ToLower(clipText(r.Subject)))
		d.writePart(extractBlockedHost(r.Detail))
	case core.ReportTemplate:
		d.writePart(clipText(r.Subject))
		d.writePart(firstLine(r.Detail))
		d.writePart(extractMessagePattern(e))
	default:
		d.writePart(strings.ToLower(clipText(r.Subject)))
	}
}

// writeThread writes the stack of a thread, and reports whether it has one that says something.
func (d *digest) writeThread(t *core.Thread, lang language) bool {
	start := len(d.buf)
	d.writePart("thread")
	stack := d.openPart()
	if used, _ := d.writeStack(t.Frames, lang); !used {
		d.buf = d.buf[:start]
		return false
	}
	d.closePart(stack)
	return true
}
