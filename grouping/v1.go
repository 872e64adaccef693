package grouping

import (
	"strings"

	"errand/core"
)

// writeV1 is version 1: what the application asked for, else what the event itself says (decisions 4).
func writeV1(d *digest, e *core.Event) {
	if asksToGroup(e.Fingerprint) {
		d.client(e)
		return
	}
	d.byDefault(e)
}

// byDefault writes the strongest thing that the event has: its exceptions, its message, or a lone stack. A report comes
// before its message, whose quoted names are what makes two reports different.
func (d *digest) byDefault(e *core.Event) {
	if d.exceptions(e) {
		return
	}
	if e.Report != nil {
		d.report(e)
		return
	}
	if text := messagePattern(e); text != "" {
		d.part("message")
		d.part(text)
		return
	}
	if t := mainThread(e.Threads); t != nil && d.thread(t, languageOf(e.Platform)) {
		return
	}
	d.part("nothing")
}

// report writes what a report is about: a directive and what it blocked, a host, or a template, its line of code and the
// message.
func (d *digest) report(e *core.Event) {
	r := e.Report
	d.part(r.Kind.String())
	switch r.Kind {
	case core.ReportCSP:
		d.part(strings.ToLower(clip(r.Subject)))
		d.part(blockedHost(r.Detail))
	case core.ReportTemplate:
		d.part(clip(r.Subject))
		d.part(firstLine(r.Detail))
		d.part(messagePattern(e))
	default:
		d.part(strings.ToLower(clip(r.Subject)))
	}
}

// thread writes the stack of a thread, and reports whether it has one that says something.
func (d *digest) thread(t *core.Thread, lang language) bool {
	start := len(d.buf)
	d.part("thread")
	stack := d.open()
	if used, _ := d.stack(t.Frames, lang); !used {
		d.buf = d.buf[:start]
		return false
	}
	d.close(stack)
	return true
}
