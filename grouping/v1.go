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

// byDefault writes the strongest thing that the event has: its exceptions, its message, or a lone stack. The report of
// a Content-Security-Policy comes before its message, whose quoted names are what makes two reports different.
func (d *digest) byDefault(e *core.Event) {
	if d.exceptions(e) {
		return
	}
	if e.CSP != nil {
		d.part("csp")
		d.part(strings.ToLower(e.CSP.Directive))
		d.part(blockedHost(e.CSP.BlockedURI))
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

// messagePattern is the part of the message that is the same each time: the template where the client sent one.
func messagePattern(e *core.Event) string {
	if e.Template != "" {
		return e.Template
	}
	return Parameterize(firstLine(string(e.Message)))
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

// mainThread is the thread that an event without exceptions is about: the only one that crashed, else the only current
// one, else the only one with a stack. It is nil where that is not clear.
func mainThread(threads []core.Thread) *core.Thread {
	var crashed, current, all only
	for i := range threads {
		t := &threads[i]
		if len(t.Frames) == 0 {
			continue
		}
		all.add(t)
		if t.Crashed {
			crashed.add(t)
		}
		if t.Current {
			current.add(t)
		}
	}
	for _, o := range [...]only{crashed, current, all} {
		if o.count > 0 {
			return o.thread
		}
	}
	return nil
}

// only holds a thread as long as it is the only one of its sort.
type only struct {
	thread *core.Thread
	count  int
}

func (o *only) add(t *core.Thread) {
	if o.count++; o.count == 1 {
		o.thread = t
	} else {
		o.thread = nil
	}
}

// blockedHost is what a policy blocked, without the page: the host of a URL, else the scheme or keyword.
func blockedHost(uri string) string {
	uri = strings.ToLower(strings.TrimSpace(uri))
	scheme, rest, found := strings.Cut(uri, "://")
	if !found {
		scheme, _, _ = strings.Cut(uri, ":")
		return scheme
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	if rest == "" {
		return scheme
	}
	return rest
}

// firstLine is the first line with text in it, without the space around it.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
