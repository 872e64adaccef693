package prompts

import (
	"fmt"
	"strings"

	"errand/core"
)

// The limits on variables and other free-form parts of an event.
const (
	maxVars     = 14
	maxVarsText = 1400 // bytes of the variables of a frame
	maxVar      = 200  // bytes of a value on its line
	maxDepth    = 4    // of objects in objects
	maxMembers  = 20   // of one object or list
	maxString   = 160  // bytes of a text in a value
)

// renderVars writes the variables of a frame, one a line.
func renderVars(vars core.Value) string {
	var text strings.Builder
	for i, v := range vars.Kids {
		if i == maxVars || text.Len() > maxVarsText {
			fmt.Fprintf(&text, "    (%s more)\n", countThings(len(vars.Kids)-i, "variable"))
			break
		}
		text.WriteString("    " + cleanLine(v.Key, maxName/2) + " = " + renderValue(v.Value, maxVar) + "\n")
	}
	return text.String()
}

// renderValue writes a value on one line as JSON, within limit bytes.
func renderValue(v core.Value, limit int) string {
	return cleanLine(string(clipValue(v, 0).AppendJSON(nil)), limit)
}

// clipValue returns the shown part of a value: texts are clean and cut, and large or deep values keep only their beginning.
func clipValue(v core.Value, depth int) core.Value {
	switch v.Kind {
	case core.String:
		return core.StringValue(cleanText(v.Text, maxString))
	case core.Number:
		const longest = 40
		if len(v.Text) > longest {
			return core.StringValue(cleanText(v.Text, maxString))
		}
		return v
	case core.Array, core.Object:
		if len(v.Kids) > 0 && depth == maxDepth {
			return core.StringValue("… " + countThings(len(v.Kids), "member"))
		}
		return clipMembers(v, depth)
	default:
		return v
	}
}

func clipMembers(v core.Value, depth int) core.Value {
	clipped := core.Value{Kind: v.Kind, Kids: make([]core.Member, 0, min(len(v.Kids), maxMembers+1))}
	for i, kid := range v.Kids {
		if i == maxMembers {
			more := core.Member{Value: core.StringValue(fmt.Sprintf("… %d more", len(v.Kids)-i))}
			if v.Kind == core.Object {
				more.Key = "…"
			}
			clipped.Kids = append(clipped.Kids, more)
			break
		}
		clipped.Kids = append(clipped.Kids, core.Member{Key: cleanLine(kid.Key, maxName/2), Value: clipValue(kid.Value, depth+1)})
	}
	return clipped
}

// describeSurroundings describes the rest of the event: whole messages, the request, breadcrumbs, tags and contexts.
func (b *brief) describeSurroundings() (pieces []piece) {
	if b.Event == nil {
		return nil
	}
	e := &b.Event.Event
	for i := range e.Exceptions {
		if x := &e.Exceptions[i]; len(x.Value) > maxHeadline/2 && i < maxExceptions {
			pieces = append(pieces, makeFenced("The whole message:\n"+headlineOf(x, maxWholeText)).named("long message"))
		}
	}
	if len(e.Message) > maxHeadline && !isRestated(e) {
		pieces = append(pieces, makeFenced("The whole message:\n"+cleanText(string(e.Message), maxWholeText)).named("long message"))
	}
	if e.Request != nil {
		pieces = append(pieces, describeRequest(e.Request).named("request"))
	}
	for i := len(e.Breadcrumbs) - 1; i >= 0; i-- {
		text := renderBreadcrumb(&e.Breadcrumbs[i])
		if i == len(e.Breadcrumbs)-1 {
			text = "Breadcrumbs, the latest first:\n" + text
		}
		pieces = append(pieces, makeFenced(text).named("breadcrumb"))
	}
	for _, part := range []struct {
		heading string
		what    string
		value   core.Value
	}{{"Tags", "tag", e.Tags}, {"Extra", "extra value", e.Extra}, {"Contexts", "context", e.Contexts}, {"User", "value of the user", e.User}} {
		for i, kid := range part.value.Kids {
			text := "  " + cleanLine(kid.Key, maxName/2) + " = " + renderValue(kid.Value, 2*maxVar) + "\n"
			if i == 0 {
				text = part.heading + ":\n" + text
			}
			pieces = append(pieces, makeFenced(text).named(part.what))
		}
	}
	return pieces
}

func describeRequest(r *core.Request) piece {
	text := strings.Join(strings.Fields("Request "+cleanLine(string(r.Method), maxName)+" "+cleanLine(string(r.URL), maxPath)), " ") + "\n"
	short := text
	for _, part := range []struct {
		name  string
		value core.Value
	}{{"query", r.Query}, {"body", r.Data}, {"headers", r.Headers}, {"cookies", r.Cookies}} {
		if !part.value.IsEmpty() {
			text += "  " + part.name + " = " + renderValue(part.value, 4*maxVar) + "\n"
		}
	}
	return makeFenced(text).orShort(short)
}

func renderBreadcrumb(c *core.Breadcrumb) string {
	text := "  "
	if !c.Timestamp.IsZero() {
		text += c.Timestamp.UTC().Format("15:04:05") + " "
	}
	text += cleanLine(string(c.Category), maxName/2)
	if c.Level != "" && c.Level != "info" {
		text += " " + cleanLine(string(c.Level), maxName/2)
	}
	if c.Message != "" {
		text += ": " + cleanLine(string(c.Message), 2*maxVar)
	}
	if !c.Data.IsEmpty() {
		text += " " + renderValue(c.Data, maxVar)
	}
	return text + "\n"
}
