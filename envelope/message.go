package envelope

import (
	"strconv"
	"strings"

	"errand/core"
)

// maxFormatted is the longest message that is put together from a template; small templates can ask for huge texts.
const maxFormatted = 64 << 10

// message is a log message in parts.
type message struct {
	template  core.Untrusted
	formatted core.Untrusted
	params    core.Value
}

// readMessage reads a message: a text, or {"message": template, "formatted": .., "params": ..}.
func (d *decoder) readMessage() message {
	if d.peek() != '{' {
		return message{formatted: d.readText()}
	}
	var msg message
	for m := d.object(); m.next(); {
		switch m.key {
		case "message":
			msg.template = d.readText()
		case "formatted":
			msg.formatted = d.readText()
		case "params":
			msg.params = d.value()
		default:
			d.skip()
		}
	}
	return msg
}

// setMessage sets the message as people read it, and the template that it was made of.
func (d *decoder) setMessage() {
	m := d.logentry
	if m.template == "" && m.formatted == "" {
		m = d.message
	}
	e := &d.event
	switch {
	case m.formatted == "":
		e.Message = format(m.template, m.params)
	default:
		e.Message = m.formatted
	}
	if m.template != "" && (!m.params.IsEmpty() || m.template != e.Message) {
		e.Template = string(m.template)
	}
}

// format puts parameters into a template by the habits of several languages: %s and its kin, %(name)s, {}, {0}, {name}.
// A place without a parameter stays as it is.
func format(template core.Untrusted, params core.Value) core.Untrusted {
	text := string(template)
	if params.IsEmpty() || !strings.ContainsAny(text, "%{") {
		return template
	}
	f := formatter{params: params}
	var b strings.Builder
	for len(text) > 0 && b.Len() <= maxFormatted {
		i := strings.IndexAny(text, "%{")
		if i < 0 {
			break
		}
		b.WriteString(text[:i])
		value, n := f.place(text[i:])
		b.WriteString(value)
		text = text[i+n:]
	}
	if b.Len() > maxFormatted {
		return template
	}
	b.WriteString(text)
	return core.Untrusted(b.String())
}

// formatter counts the parameters that were used in turn.
type formatter struct {
	params core.Value
	next   int
}

// place gives what stands for the place that text starts with, and the place's length.
func (f *formatter) place(text string) (value string, length int) {
	if text[0] == '{' {
		return f.brace(text)
	}
	return f.percent(text)
}

func (f *formatter) brace(text string) (string, int) {
	end := strings.IndexByte(text[:min(len(text), 64)], '}')
	if end < 0 {
		return "{", 1
	}
	name, _, _ := strings.Cut(text[1:end], ":")
	if name == "" {
		return f.turn(text[:end+1])
	}
	return f.named(name, text[:end+1])
}

func (f *formatter) percent(text string) (string, int) {
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
		return f.named(name, text[:after+1])
	}
	return f.turn(text[:after+1])
}

// turn returns the next parameter of a list.
func (f *formatter) turn(place string) (string, int) {
	if f.params.Kind != core.Array || f.next >= len(f.params.Kids) {
		return place, len(place)
	}
	f.next++
	return textOf(f.params.Kids[f.next-1].Value), len(place)
}

// named returns the parameter of a name, or of a place in a list.
func (f *formatter) named(name, place string) (string, int) {
	if f.params.Kind == core.Array {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(f.params.Kids) {
			return textOf(f.params.Kids[i].Value), len(place)
		}
		return place, len(place)
	}
	for i := range f.params.Kids {
		if f.params.Kids[i].Key == name {
			return textOf(f.params.Kids[i].Value), len(place)
		}
	}
	return place, len(place)
}

// textOf gives a value as text: a text as it is, anything else as JSON, null as nothing.
func textOf(v core.Value) string {
	switch v.Kind {
	case core.Null:
		return ""
	case core.String, core.Number, core.Bool:
		return v.Text
	}
	return string(v.AppendJSON(nil))
}
