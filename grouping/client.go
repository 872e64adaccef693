package grouping

import (
	"strings"

	"errand/core"
)

// asksToGroup reports whether a client fingerprint says more than "as you like": an empty list, empty texts and the
// bare default leave the choice to us.
func asksToGroup(fingerprint []core.Untrusted) bool {
	for _, part := range fingerprint {
		if text := strings.TrimSpace(string(part)); text != "" && variable(text) != "default" {
			return true
		}
	}
	return false
}

// client writes the fingerprint that the application chose, its variables replaced. A variable is replaced once, and
// stands for itself after that: repeated, a large value would cost a multiple of what the sender paid for it.
func (d *digest) client(e *core.Event) {
	d.part("client")
	v := variables{event: e}
	for _, part := range e.Fingerprint {
		name := variable(string(part))
		text, known := string(part), false
		if name != "" && !v.replaced[name] {
			if name == "default" {
				v.markReplaced(name)
				d.part("default")
				start := d.open()
				d.byDefault(e)
				d.close(start)
				continue
			}
			if text, known = v.lookUp(name); known {
				v.markReplaced(name)
			} else {
				text = string(part)
			}
		}
		d.part("text")
		d.part(text)
	}
}

// variable returns the name in a text like "{{ name }}", or nothing.
func variable(text string) string {
	text = strings.TrimSpace(text)
	inner, opened := strings.CutPrefix(text, "{{")
	inner, closed := strings.CutSuffix(inner, "}}")
	if !opened || !closed {
		return ""
	}
	return strings.TrimSpace(inner)
}

// variables are those of one event's fingerprint.
type variables struct {
	event    *core.Event
	replaced map[string]bool

	isRead    bool // whether the two below are set
	exception core.Exception
	frame     core.Frame
}

func (v *variables) markReplaced(name string) {
	if v.replaced == nil {
		v.replaced = map[string]bool{}
	}
	v.replaced[name] = true
}

// read finds the exception and the frame that the event is about.
func (v *variables) read() {
	if v.isRead {
		return
	}
	v.isRead = true
	if i := mainException(v.event); i >= 0 {
		v.exception = v.event.Exceptions[i]
	}
	if f, _ := crashFrame(v.event); f != nil {
		v.frame = *f
	}
}

// lookUp returns the value of a variable. The names are those of the Sentry SDKs.
func (v *variables) lookUp(name string) (value string, known bool) {
	e := v.event
	if tag, found := strings.CutPrefix(name, "tags."); found {
		return e.Tags.Get(tag).Text, true
	}
	v.read()
	var text core.Untrusted
	switch name {
	case "type", "error.type":
		text = v.exception.Type
	case "value", "error.value":
		text = v.exception.Value
	case "message":
		if text = e.Message; text == "" {
			text = v.exception.Value
		}
	case "transaction":
		text = e.Transaction
	case "level":
		text = core.Untrusted(e.Level)
	case "release":
		text = e.Release
	case "environment":
		text = e.Environment
	case "logger":
		text = e.Logger
	case "function", "stack.function":
		text = v.frame.Function
	case "module", "stack.module":
		text = v.frame.Module
	default:
		return "", false
	}
	return string(text), true
}
