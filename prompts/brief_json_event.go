package prompts

import (
	"fmt"

	"errand/core"
)

// makeEvent returns the event for the JSON; nil when there is none. It reuses frames that are made already.
func (b *brief) makeEvent(sizes jsonSizes, made map[*core.Frame]core.BriefFrame) *core.BriefEvent {
	if b.Event == nil {
		return nil
	}
	e := &b.Event.Event
	stacks := collectStacks(e)
	event := &core.BriefEvent{
		ID: b.Event.ID, Timestamp: b.Event.Timestamp, IsLatest: b.NewerEvents == 0, HasAppFrames: stacks.hasApp,
		Message: cleanField(e.Message, sizes.text), Transaction: cleanField(e.Transaction, maxName), Release: cleanField(e.Release, maxName),
		Environment: cleanField(e.Environment, maxName), ServerName: cleanField(e.ServerName, maxName),
		User: clipPart(e.User, sizes.value), Tags: clipPart(e.Tags, sizes.value), Contexts: clipPart(e.Contexts, sizes.value),
		Extra: clipPart(e.Extra, sizes.value),
	}
	if e.Request != nil {
		event.Request = makeRequest(e.Request, sizes.value)
	}
	frames := sizes.frames
	for i := range e.Exceptions[:min(len(e.Exceptions), sizes.exceptions)] {
		x := &e.Exceptions[i]
		exception := core.BriefException{Type: cleanField(x.Type, maxName), Value: cleanField(x.Value, sizes.text)}
		if x.Mechanism != nil {
			exception.Handled = x.Mechanism.Handled
		}
		exception.Frames, exception.Folded = stacks.makeFrames(x.Frames, &frames, made)
		event.Exceptions = append(event.Exceptions, exception)
	}
	for i := range e.Threads {
		t := &e.Threads[i]
		if frames == sizes.frames && (t.Crashed || t.Current) {
			thread := core.BriefThread{Name: cleanField(t.Name, maxName)}
			thread.Frames, thread.Folded = stacks.makeFrames(t.Frames, &frames, made)
			event.Threads = append(event.Threads, thread)
		}
	}
	for i := max(0, len(e.Breadcrumbs)-sizes.breadcrumbs); i < len(e.Breadcrumbs); i++ {
		c := &e.Breadcrumbs[i]
		event.Breadcrumbs = append(event.Breadcrumbs, core.BriefBreadcrumb{
			Timestamp: c.Timestamp, Category: cleanField(c.Category, maxName), Level: cleanField(c.Level, maxName),
			Message: cleanField(c.Message, maxHeadline), Data: clipPart(c.Data, maxHeadline),
		})
	}
	reasons, _ := listUnmapped(e)
	event.UnmappedFrames = cleanFields(reasons)
	return event
}

// makeRequest returns the request as one value.
func makeRequest(r *core.Request, limit int) core.Value {
	request := core.Value{Kind: core.Object}
	for _, text := range []struct {
		key  string
		text core.Untrusted
	}{{"method", r.Method}, {"url", r.URL}} {
		if text.text != "" {
			request.Kids = append(request.Kids, core.Member{Key: text.key, Value: core.StringValue(cleanText(string(text.text), maxPath))})
		}
	}
	for _, part := range []core.Member{{Key: "query", Value: r.Query}, {Key: "headers", Value: r.Headers}, {Key: "cookies", Value: r.Cookies},
		{Key: "data", Value: r.Data}} {
		if !part.Value.IsEmpty() {
			request.Kids = append(request.Kids, core.Member{Key: part.Key, Value: clipPart(part.Value, limit)})
		}
	}
	return request
}

// makeFrames returns the frames of a stack that are shown, at most left, which it reduces; and the number of library frames that are not.
func (s *stacks) makeFrames(frames []core.Frame, left *int, made map[*core.Frame]core.BriefFrame) (
	shown core.List[core.BriefFrame], folded int,
) {
	for i := range frames {
		f := &frames[i]
		switch {
		case !s.isShown(f):
			folded++
		case *left > 0:
			*left--
			if _, isMade := made[f]; !isMade {
				made[f] = makeFrame(frames, i)
			}
			shown = append(shown, made[f])
		}
	}
	return shown, folded
}

func makeFrame(frames []core.Frame, i int) core.BriefFrame {
	f, view := &frames[i], core.ViewFrame(frames, i)
	frame := core.BriefFrame{
		Function: cleanField(view.Function, maxName), Module: cleanField(f.Module, maxName), File: cleanField(view.File, maxPath),
		Line: view.Line, Column: view.Column, InApp: f.InApp, IsMapped: view.IsMapped, Vars: clipVars(f.Vars),
	}
	before, after := f.PreContext[max(0, len(f.PreContext)-linesBefore):], f.PostContext[:min(len(f.PostContext), linesAfter)]
	if f.ContextLine == "" && len(before) == 0 && len(after) == 0 {
		return frame
	}
	for _, code := range before {
		frame.Source = append(frame.Source, cleanField(code, maxCodeLine))
	}
	frame.Source = append(frame.Source, cleanField(f.ContextLine, maxCodeLine))
	for _, code := range after {
		frame.Source = append(frame.Source, cleanField(code, maxCodeLine))
	}
	frame.FirstLine = core.OptInt(numberLine(view.Line, -len(before)))
	return frame
}

// clipPart is clipValue for a value whose JSON may have at most limit bytes. A larger value is cut, and becomes a text.
func clipPart(v core.Value, limit int) core.Value {
	clipped := clipValue(v, 0)
	if text := clipped.AppendJSON(nil); len(text) > limit {
		return core.StringValue(cleanText(string(text), limit))
	}
	return clipped
}

// clipVars returns the variables in the form of the Markdown: large ones as a text.
func clipVars(vars core.Value) core.Value {
	clipped := core.Value{Kind: core.Object}
	for i, v := range vars.Kids {
		if i == maxVars {
			more := core.StringValue(fmt.Sprintf("%d more", len(vars.Kids)-i))
			clipped.Kids = append(clipped.Kids, core.Member{Key: "…", Value: more})
			break
		}
		clipped.Kids = append(clipped.Kids, core.Member{Key: cleanLine(v.Key, maxName/2), Value: clipPart(v.Value, maxVar)})
	}
	if len(clipped.Kids) == 0 {
		return core.Value{}
	}
	return clipped
}
