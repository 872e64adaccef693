package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"errand/core"
	"errand/wire"
)

// issueCopyPath answers with an event of an issue as text, JSON or Markdown, to be copied.
const issueCopyPath = "/issues/{id}/copy"

// formatField says as what.
const formatField = "as"

// showCopy answers with the event that the address names.
func (s *Site) showCopy(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	found := &issueFindings{}
	if err := v.findEvent(v.readIssueAddress(id), found); err != nil {
		return err
	}
	if found.event == nil {
		return core.NewError(core.NotFound)
	}
	var text string
	switch format := v.r.URL.Query().Get(formatField); format {
	case "json":
		var indented bytes.Buffer
		body, err := json.Marshal(found.event)
		if err != nil {
			return err
		}
		if err := json.Indent(&indented, body, "", "  "); err != nil {
			return err
		}
		text = indented.String() + "\n"
	case "markdown":
		text = v.writeMarkdown(id, found.event)
	case "", "text":
		text = writeStack(&found.event.Event)
	default:
		return core.RefuseField(formatField, "must be text, json or markdown")
	}
	wire.WriteCompressed(v.w, v.r, http.StatusOK, "text/plain; charset=utf-8", []byte(text))
	return nil
}

// writeStack writes the exceptions of an event with all their frames, the most recent call first.
func writeStack(event *core.Event) string {
	var text strings.Builder
	for i := range event.Exceptions {
		x := &event.Exceptions[i]
		if i > 0 {
			text.WriteString("Caused by: ")
		}
		fmt.Fprintf(&text, "%s: %s\n", x.Type, x.Value)
		writeFrames(&text, x.Frames)
	}
	if len(event.Exceptions) == 0 {
		fmt.Fprintf(&text, "%s\n", event.Title)
	}
	for i := range event.Threads {
		if thread := &event.Threads[i]; thread.Crashed && !hasFrames(event.Exceptions) {
			fmt.Fprintf(&text, "%s\n", nameThread(thread))
			writeFrames(&text, thread.Frames)
		}
	}
	return text.String()
}

func writeFrames(text *strings.Builder, frames []core.Frame) {
	for i := range frames {
		view := core.ViewFrame(frames, i)
		fmt.Fprintf(text, "    at %s (%s)\n", view.Function, writePlace(view.File, view.Line, view.Column))
	}
}

// writeMarkdown writes an event for a comment or a ticket. The app's text stands in a fence that it cannot close.
func (v *visit) writeMarkdown(id int64, event *core.EventDetail) string {
	stack := writeStack(&event.Event)
	fence := "```"
	for strings.Contains(stack, fence) {
		fence += "`"
	}
	var text strings.Builder
	at := event.Timestamp.Format(core.TimeLayout)
	fmt.Fprintf(&text, "[Issue %d of Errand](%s/issues/%d), event %d of %s\n\n", id, v.BaseURL(), id, event.ID, at)
	fmt.Fprintf(&text, "%s\n%s%s\n", fence, stack, fence)
	return text.String()
}
