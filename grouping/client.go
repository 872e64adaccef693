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

// client writes the fingerprint that the application chose, its variables replaced.
func (d *digest) client(e *core.Event) {
	d.part("client")
	for _, part := range e.Fingerprint {
		name := variable(string(part))
		if name == "default" {
			d.part("default")
			start := d.open()
			d.byDefault(e)
			d.close(start)
			continue
		}
		text, known := lookUp(e, name)
		if !known {
			text = string(part)
		}
		d.part("text")
		d.part(text)
	}
}

// variable gives the name in a text like "{{ name }}", or nothing.
func variable(text string) string {
	text = strings.TrimSpace(text)
	inner, opened := strings.CutPrefix(text, "{{")
	inner, closed := strings.CutSuffix(inner, "}}")
	if !opened || !closed {
		return ""
	}
	return strings.TrimSpace(inner)
}

// lookUp gives the value of a variable of a client fingerprint. The names are those of the Sentry SDKs.
func lookUp(e *core.Event, name string) (value string, known bool) {
	if tag, found := strings.CutPrefix(name, "tags."); found {
		return e.Tags.Get(tag).Text, true
	}
	var x core.Exception
	if i := mainException(e); i >= 0 {
		x = e.Exceptions[i]
	}
	var frame core.Frame
	if f := crashFrame(e); f != nil {
		frame = *f
	}
	var text core.Untrusted
	switch name {
	case "type", "error.type":
		text = x.Type
	case "value", "error.value":
		text = x.Value
	case "message":
		if text = e.Message; text == "" {
			text = x.Value
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
		text = frame.Function
	case "module", "stack.module":
		text = frame.Module
	default:
		return "", false
	}
	return string(text), true
}
