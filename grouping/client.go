package grouping

import (
	"strings"

	"errand/core"
)

// choosesGroup reports whether the client chose the group of the event: an empty list, empty texts and the bare "{{ default }}"
// leave the choice to Errand.
func choosesGroup(fingerprint []core.Untrusted) bool {
	for _, part := range fingerprint {
		if text := strings.TrimSpace(string(part)); text != "" && parseVariable(text) != "default" {
			return true
		}
	}
	return false
}

// writeClientFingerprint writes the fingerprint that the application chose, with its variables replaced. Each variable is
// replaced once; after that its name stays. Otherwise, repeating a large value would cost a multiple of the sender's own effort.
func (d *digest) writeClientFingerprint(event *core.Event) {
	d.writePart("client")
	variables := fingerprintVariables{event: event}
	for _, part := range event.Fingerprint {
		name := parseVariable(string(part))
		text := string(part)
		if name != "" && !variables.replaced[name] {
			if name == "default" {
				variables.markReplaced(name)
				d.writePart("default")
				start := d.openPart()
				d.writeDefault(event)
				d.closePart(start)
				continue
			}
			if value, found := variables.lookUp(name); found {
				variables.markReplaced(name)
				text = value
			}
		}
		d.writePart("text")
		d.writePart(text)
	}
}

// parseVariable returns the name in a text like "{{ name }}", and an empty name for other texts.
func parseVariable(text string) string {
	text = strings.TrimSpace(text)
	inner, opened := strings.CutPrefix(text, "{{")
	inner, closed := strings.CutSuffix(inner, "}}")
	if !opened || !closed {
		return ""
	}
	return strings.TrimSpace(inner)
}

// fingerprintVariables holds the values of the variables in one event's fingerprint.
type fingerprintVariables struct {
	event    *core.Event
	replaced map[string]bool

	hasSubject bool // the two below are set
	exception  core.Exception
	function   core.Untrusted // of the crash frame
	module     core.Untrusted // of the same frame
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
	if stack, i := findCrashFrame(v.event); i >= 0 {
		v.function, v.module = core.ViewFrame(stack, i).Function, stack[i].Module
	}
}

// lookUp returns the value of a variable. The Sentry SDKs use the same names.
func (v *fingerprintVariables) lookUp(name string) (value string, found bool) {
	event := v.event
	if tag, found := strings.CutPrefix(name, "tags."); found {
		return event.Tags.Get(tag).Text, true
	}
	v.findSubject()
	var text core.Untrusted
	switch name {
	case "type", "error.type":
		text = v.exception.Type
	case "value", "error.value":
		text = v.exception.Value
	case "message":
		if text = event.Message; text == "" {
			text = v.exception.Value
		}
	case "transaction":
		text = event.Transaction
	case "level":
		text = core.Untrusted(event.Level)
	case "release":
		text = event.Release
	case "environment":
		text = event.Environment
	case "logger":
		text = event.Logger
	case "function", "stack.function":
		text = v.function
	case "module", "stack.module":
		text = v.module
	default:
		return "", false
	}
	return string(text), true
}
