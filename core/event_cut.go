package core

import (
	"fmt"
	"slices"
	"strings"
)

// EventPart is a part of a normalised event that can be asked for alone. Members outside of these parts are always sent.
type EventPart string

// JSONSchema is one of the parts.
func (EventPart) JSONSchema() Schema {
	return Schema{"type": "string", "enum": []any{
		"exceptions", "threads", "breadcrumbs", "request", "user", "tags", "contexts", "extra", "debug_images",
	}}
}

// clearPart empties each part of an event.
var clearPart = map[EventPart]func(*Event){
	"exceptions":   func(e *Event) { e.Exceptions = nil },
	"threads":      func(e *Event) { e.Threads = nil },
	"breadcrumbs":  func(e *Event) { e.Breadcrumbs = nil },
	"request":      func(e *Event) { e.Request = nil },
	"user":         func(e *Event) { e.User = Value{} },
	"tags":         func(e *Event) { e.Tags = Value{} },
	"contexts":     func(e *Event) { e.Contexts = Value{} },
	"extra":        func(e *Event) { e.Extra = Value{} },
	"debug_images": func(e *Event) { e.DebugImages = nil },
}

// KeepParts empties all parts of the event except the named ones. Without names it keeps every part.
func (e *Event) KeepParts(parts []EventPart) {
	if len(parts) == 0 {
		return
	}
	for part, clearIt := range clearPart {
		if !slices.Contains(parts, part) {
			clearIt(e)
		}
	}
}

// KeepAppFrames leaves out the frames of libraries, in each stack that has frames of the application.
func (e *Event) KeepAppFrames() {
	e.eachStack(func(frames *List[Frame]) {
		isOfLibrary := func(f Frame) bool { return !f.InApp }
		if slices.ContainsFunc(*frames, func(f Frame) bool { return f.InApp }) {
			*frames = slices.DeleteFunc(slices.Clone(*frames), isOfLibrary)
		}
	})
}

func (e *Event) eachStack(visit func(*List[Frame])) {
	e.eachException(visit)
	e.eachThread(visit)
}

func (e *Event) eachException(visit func(*List[Frame])) {
	for i := range e.Exceptions {
		visit(&e.Exceptions[i].Frames)
	}
}

func (e *Event) eachThread(visit func(*List[Frame])) {
	for i := range e.Threads {
		visit(&e.Threads[i].Frames)
	}
}

// How many items of a long list remain in an event that is too long.
const (
	fewBreadcrumbs = 15
	fewFrames      = 10 // at each end of a stack
)

// eventCut removes something from an event that is too long, and says which argument brings it back.
type eventCut struct {
	path, reason, back string
	isThere            func(*Event) bool
	cut                func(*Event)
}

// eventCuts are made one after the other until the event fits. The first ones matter least for finding a cause.
var eventCuts = []eventCut{
	cutStacks("threads", lostContext, "", (*Event).eachThread, hasLibraryContext, dropLibraryContext),
	cutStacks("exceptions", lostContext, "", (*Event).eachException, hasLibraryContext, dropLibraryContext),
	{"breadcrumbs", fmt.Sprintf("the last %d are left", fewBreadcrumbs), "parts=breadcrumbs",
		func(e *Event) bool { return len(e.Breadcrumbs) > fewBreadcrumbs },
		func(e *Event) { e.Breadcrumbs = e.Breadcrumbs[len(e.Breadcrumbs)-fewBreadcrumbs:] }},
	{"breadcrumbs", "left out", "parts=breadcrumbs",
		func(e *Event) bool { return len(e.Breadcrumbs) > 0 }, func(e *Event) { e.Breadcrumbs = nil }},
	{"extra", "left out", "parts=extra", func(e *Event) bool { return !e.Extra.IsEmpty() }, func(e *Event) { e.Extra = Value{} }},
	{"threads", "left out", "parts=threads", func(e *Event) bool { return len(e.Threads) > 0 }, func(e *Event) { e.Threads = nil }},
	{"debug_images", "left out", "parts=debug_images",
		func(e *Event) bool { return len(e.DebugImages) > 0 }, func(e *Event) { e.DebugImages = nil }},
	{"contexts", "left out", "parts=contexts", func(e *Event) bool { return !e.Contexts.IsEmpty() }, func(e *Event) { e.Contexts = Value{} }},
	{"request", "left out", "parts=request", func(e *Event) bool { return e.Request != nil }, func(e *Event) { e.Request = nil }},
	cutStacks("threads", endsLeft, " frames=in_app", (*Event).eachThread, hasManyFrames, keepEnds),
	cutStacks("exceptions", endsLeft, " frames=in_app", (*Event).eachException, hasManyFrames, keepEnds),
	{"tags", "left out", "parts=tags", func(e *Event) bool { return !e.Tags.IsEmpty() }, func(e *Event) { e.Tags = Value{} }},
	{"user", "left out", "parts=user", func(e *Event) bool { return !e.User.IsEmpty() }, func(e *Event) { e.User = Value{} }},
}

// The reasons for shorter stacks.
var (
	lostContext = "library frames lost their context and variables"
	endsLeft    = fmt.Sprintf("%d frames at each end of a stack are left", fewFrames)
)

// cutStacks makes the cut of the stacks that each visits. parts=<part> brings them back.
func cutStacks(part EventPart, reason, further string, each func(*Event, func(*List[Frame])),
	canCut func([]Frame) bool, cut func(*List[Frame]),
) eventCut {
	isThere := func(e *Event) (there bool) {
		each(e, func(frames *List[Frame]) { there = there || canCut(*frames) })
		return there
	}
	return eventCut{string(part) + "[].frames[]", reason, "parts=" + string(part) + further, isThere, func(e *Event) { each(e, cut) }}
}

func hasLibraryContext(frames []Frame) bool {
	return slices.ContainsFunc(frames, func(f Frame) bool {
		return !f.InApp && (f.ContextLine != "" || len(f.PreContext)+len(f.PostContext) > 0 || !f.Vars.IsEmpty())
	})
}

func dropLibraryContext(frames *List[Frame]) {
	trimmed := slices.Clone(*frames)
	for i := range trimmed {
		if f := &trimmed[i]; !f.InApp {
			f.ContextLine, f.PreContext, f.PostContext, f.Vars = "", nil, nil, Value{}
		}
	}
	*frames = trimmed
}

func hasManyFrames(frames []Frame) bool { return len(frames) > 2*fewFrames }

func keepEnds(frames *List[Frame]) {
	if n := len(*frames); n > 2*fewFrames {
		*frames = slices.Concat((*frames)[:fewFrames], (*frames)[n-fewFrames:])
	}
}

// CutToFit cuts the event until its JSON weighs at most budget, as WeighText counts. Problems name what was cut and
// the argument of get_event that brings it back. A part that is asked for alone is made shorter and never left out.
func (e *Event) CutToFit(budget int, parts []EventPart) {
	buffer := make([]byte, 0, 2*budget)
	for _, c := range eventCuts {
		if e.WeighJSON(buffer) <= budget {
			return
		}
		isAlone := len(parts) == 1 && strings.HasPrefix(c.path, string(parts[0]))
		if !c.isThere(e) || isAlone && c.reason == "left out" {
			continue
		}
		c.cut(e)
		back := "get_event with " + c.back + " shows more"
		if isAlone {
			back = "the REST API has it whole"
		}
		e.Problems = append(slices.Clone(e.Problems), Problem{Path: c.path, Reason: c.reason + " to fit: " + back})
	}
}
