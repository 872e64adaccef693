package grouping

import (
	"strings"

	"errand/core"
)

// choosesGroup reports whether a client fingerprint says more than "as you like": an empty list, empty texts and the
// bare default leave the choice to us.
func choosesGroup(fingerprint []core.Untrusted) bool {
	for _, part := range fingerprint {
		if text := strings.TrimSpace(string(part)); text != "" && parseVariable(text) != "default" {
			return true
		}
	}
	return false
}

// writeClientFingerprint writes the fingerprint that the application chose, its variables replaced. A variable is replaced once, and
// stands for itself after that: repeated, a large value would cost a multiple of what the sender paid for it.
func (d *digest) writeClientFingerprint(e *core.Event) {
	d.writePart("client")
	v := fingerprintVariables{event: e}
	for _, part := range e.Fingerprint {
		name := parseVariable(string(part))
		text, known := string(part), false
		if name != "" && !v.replaced[name] {
			if name == "default" {
				v.markReplaced(name)
				d.writePart("default")
				start := d.openPart()
				d.writeDefault(e)
				d.closePart(start)
				continue
			}
			if text, known = v.lookUp(name); known {
				v.markReplaced(name)
			} else {
				text = string(part)
			}
		}
		d.writePart("text")
		d.writePart(text)
	}
}

// parseVariable returns the name in a text like "{{ name }}", or nothing.
func parseVariable(text string) string {
	text = strings.TrimSpace(text)
	inner, opened := strings.CutPrefix(text, "{{")
	inner, closed := strings.CutSuffix(inner, "}}")
	if !opened || !closed {
		return ""
	}
	return strings.TrimSpace(inner)
}

// fingerprintVariables are those of one event's fingerprint.
type fingerprintVariables struct {
	event    *core.Event
	replaced map[string]bool

	hasSubject bool // whether the two below are set
	exception  core.Exception
	frame      core.Frame
}

func (v *fingerprintVariables) markReplaced(name string) {
	if v.replaced == nil {
		v.replaced = map[string]bool{}
	}
	v.replaced[name] = true
}

// findSubject finds the exception and the frame that the event is about.
func (v *fingerprintVariables) findSubject() {
	if v.hasSubject {
		return
	}
	v.hasSubject = true
	if i := findMainException(v.event); i >= 0 {
		v.exception = v.event.Exceptions[i]
	}
	if f, _ := findCrashFrame(v.event); f != nil {
		v.frame = *f
	}
}

// lookUp returns the value of a variable. The names are those of the Sentry SDKs.
func (v *fingerprintVariables) lookUp(name string) (value string, known bool) {
	e := v.event
	if tag, found := strings.CutPrefix(name, "tags."); found {
		return e.Tags.Get(tag).Text, true
	}
	v.findSubject()
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
