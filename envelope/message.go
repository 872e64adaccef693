package envelope

import (
	"strconv"
	"strings"

	"errand/core"
)

// maxFormatted is the longest message that is made from a template; small templates can ask for huge texts.
const maxFormatted = 64 << 10

// sentMessage is a log message in parts.
type sentMessage struct {
	template  core.Untrusted
	formatted core.Untrusted
	params    core.Value
}

// readMessage reads a message: a text, or {"message": template, "formatted": .., "params": ..}.
func (d *decoder) readMessage() sentMessage {
	if d.json.peekByte() != '{' {
		return sentMessage{formatted: d.readText()}
	}
	var msg sentMessage
	for m := d.json.enterObject(); m.nextMember(); {
		switch m.key {
		case "message":
			msg.template = d.readText()
		case "formatted":
			msg.formatted = d.readText()
		case "params":
			msg.params = d.readValue()
		default:
			d.json.skipValue()
		}
	}
	return msg
}

// setMessage sets the message as people read it, and its template.
func (d *decoder) setMessage() {
	message := d.logentry
	if message.template == "" && message.formatted == "" {
		message = d.message
	}
	event := d.event
	event.Message = message.formatted
	if message.formatted == "" {
		event.Message = formatMessage(message.template, message.params)
	}
	if message.template != "" && (!message.params.IsEmpty() || message.template != event.Message) {
		event.Template = string(message.template)
	}
}

// formatMessage puts parameters into a template by the conventions of several languages: %s and similar, %(name)s, {}, {0},
// {name}. A placeholder without a parameter stays as it is.
func formatMessage(template core.Untrusted, params core.Value) core.Untrusted {
	text := string(template)
	if params.IsEmpty() || !strings.ContainsAny(text, "%{") {
		return template
	}
	filling := formatter{params: params}
	var built strings.Builder
	for len(text) > 0 && built.Len() <= maxFormatted {
		i := strings.IndexAny(text, "%{")
		if i < 0 {
			break
		}
		built.WriteString(text[:i])
		value, n := filling.fillPlaceholder(text[i:])
		built.WriteString(value)
		text = text[i+n:]
	}
	if built.Len() > maxFormatted {
		return template
	}
	built.WriteString(text)
	return core.Untrusted(built.String())
}

// formatter counts the parameters that were used in order.
type formatter struct {
	params core.Value
	used   int
}

// fillPlaceholder returns what replaces the placeholder that text starts with, and the placeholder's length.
func (f *formatter) fillPlaceholder(text string) (value string, length int) {
	if text[0] == '{' {
		return f.fillBrace(text)
	}
	return f.fillPercent(text)
}

func (f *formatter) fillBrace(text string) (string, int) {
	end := strings.IndexByte(text[:min(len(text), 64)], '}')
	if end < 0 {
		return "{", 1
	}
	name, _, _ := strings.Cut(text[1:end], ":")
	if name == "" {
		return f.nextParam(text[:end+1])
	}
	return f.namedParam(name, text[:end+1])
}

func (f *formatter) fillPercent(text string) (string, int) {
	if strings.HasPrefix(text, "%%") {
		return "%", 2
	}
	name, after := "", 1
	if strings.HasPrefix(text, "%(") {
		end := strings.IndexByte(text[:min(len(text), 64)], ')')
		if end < 0 {
			return "%", 1
		}
		name, after = text[2:end], end+1
	}
	for after < len(text) && strings.IndexByte("0123456789+-#.l", text[after]) >= 0 {
		after++
	}
	switch {
	case after == len(text) || strings.IndexByte("sdifgeuvqtrxXcp@", text[after]) < 0:
		return "%", 1
	case name != "":
		return f.namedParam(name, text[:after+1])
	}
	return f.nextParam(text[:after+1])
}

// nextParam returns the next parameter of a list.
func (f *formatter) nextParam(placeholder string) (string, int) {
	if f.params.Kind != core.Array || f.used >= len(f.params.Kids) {
		return placeholder, len(placeholder)
	}
	f.used++
	return textOf(f.params.Kids[f.used-1].Value), len(placeholder)
}

// namedParam returns the parameter with a name, or at an index of a list.
func (f *formatter) namedParam(name, placeholder string) (string, int) {
	if f.params.Kind == core.Array {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(f.params.Kids) {
			return textOf(f.params.Kids[i].Value), len(placeholder)
		}
		return placeholder, len(placeholder)
	}
	for i := range f.params.Kids {
		if f.params.Kids[i].Key == name {
			return textOf(f.params.Kids[i].Value), len(placeholder)
		}
	}
	return placeholder, len(placeholder)
}

// textOf returns a value as text: a text as it is, anything else as JSON, null as an empty text.
func textOf(value core.Value) string {
	switch value.Kind {
	case core.Null:
		return ""
	case core.String, core.Number, core.Bool:
		return value.Text
	}
	return string(value.AppendJSON(nil))
}
