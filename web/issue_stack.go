package web

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"errand/core"
)

// issueStack is the stack of an event, and the ways to others.
type issueStack struct {
	Event   int64  // its id; 0 when there is none
	Which   string // latest of 1,204 events
	At      moment
	Release core.Untrusted
	Where   core.Untrusted // environment

	Older, Newer, First, Latest string // paths; empty when the event is the one
	Raw, All                    string // paths that switch
	IsRaw, ShowsAll             bool
	Threads                     *choice
	Kept                        []keptField // of the form that chooses a thread
	Narrowed                    []narrowing
	Everything                  string // the path without filters
	Parts                       []stackPart
	CopyPath                    string // ends before the format
	Formats                     []string
}

// narrowing is a filter of the events with the path that takes it away.
type narrowing struct {
	Name   string
	Value  any
	Remove string
}

// eventFilterNames are the filters as a sentence names them.
var eventFilterNames = map[string]string{
	"release": "release", "environment": "environment", "user": "user", "tag": "tag", "since": "since", "until": "before",
}

// makeStack makes the stack of the event that was found.
func (v *visit) makeStack(at issueAddress, found *issueFindings) issueStack {
	stack := issueStack{IsRaw: at.isRaw(), ShowsAll: at.showsAll()}
	for _, name := range eventFilters {
		if value := at.query.Get(name); value != "" {
			stack.Narrowed = append(stack.Narrowed, narrowing{eventFilterNames[name], value, at.with(name, "", eventField, "")})
			stack.Everything = issueAddress{at.id, nil}.with()
		}
	}
	if found.event == nil {
		return stack
	}
	event := found.event
	stack.Event, stack.At = event.ID, v.at(event.Timestamp)
	stack.Release, stack.Where = cutName(event.Release), cutName(event.Environment)
	stack.Which = describePlace(found, at.hasFilter())
	stack.steer(at, &found.around)
	stack.Raw, stack.All = at.with(rawField, toggle(stack.IsRaw, "1")), at.with(framesField, toggle(stack.ShowsAll, "all"))
	stack.Formats = []string{"text", "json", "markdown"}
	stack.CopyPath = at.path(fmt.Sprintf("/copy?event=%d&as=", event.ID))
	stack.Threads, stack.Kept = chooseThread(at, &event.Event)
	stack.Parts = v.makeParts(at, &event.Event)
	if one := stack.Parts; len(one) == 1 && strings.HasSuffix(string(found.issue.Title), readText(one[0].Value)) { // the head says it
		one[0].Name, one[0].Value = nil, nil
	}
	return stack
}

// toggle is the value of a switch that turns it: empty when it is on.
func toggle(isOn bool, value string) string {
	if isOn {
		return ""
	}
	return value
}

// describePlace says which of the events it is.
func describePlace(found *issueFindings, hasFilter bool) string {
	of := writePlural(found.issue.TimesSeen, "event", "events")
	if hasFilter {
		of = "those that pass"
	}
	isAt := func(mark *core.EventMark) bool { return mark != nil && mark.ID == found.event.ID }
	switch {
	case found.issue.TimesSeen == 1:
		return "of the only event"
	case isAt(found.around.Latest):
		return "latest of " + of
	case isAt(found.around.First):
		return "oldest stored of " + of
	}
	return "one of " + of
}

// steer sets the paths to other events.
func (s *issueStack) steer(at issueAddress, around *core.EventsAround) {
	path := func(mark *core.EventMark) string {
		switch {
		case mark == nil || mark.ID == s.Event:
			return ""
		case around.Latest != nil && mark.ID == around.Latest.ID: // the address stays at the latest one
			return at.with(eventField, "", threadField, "")
		}
		return at.with(eventField, strconv.FormatInt(mark.ID, 10), threadField, "")
	}
	s.Older, s.Newer, s.First, s.Latest = path(around.Previous), path(around.Next), path(around.First), path(around.Latest)
}

// chooseThread makes the select of the threads that have a stack, the crashed one first; nil when there is nothing to choose.
func chooseThread(at issueAddress, event *core.Event) (*choice, []keptField) {
	var crashed, others []option
	for i := range event.Threads {
		thread := &event.Threads[i]
		if len(thread.Frames) == 0 {
			continue
		}
		made := option{Value: strconv.Itoa(i), Text: core.Untrusted(cutText(nameThread(thread), maxName))}
		if thread.Crashed {
			crashed = append(crashed, made)
		} else {
			others = append(others, made)
		}
	}
	options := slices.Concat(crashed, others)
	if hasFrames(event.Exceptions) {
		options = slices.Insert(options, 0, option{Text: "The exception"})
	}
	if len(options) < 2 {
		return nil, nil
	}
	var kept []keptField
	for name := range at.query {
		if name != threadField {
			kept = append(kept, keptField{name, at.query.Get(name)})
		}
	}
	slices.SortFunc(kept, func(a, b keptField) int { return strings.Compare(a.Name, b.Name) })
	if !slices.ContainsFunc(options, func(o option) bool { return o.Value == at.query.Get(threadField) }) {
		at = issueAddress{at.id, nil}
	}
	chosen := chooseFrom(threadField, "Thread", cmp.Or(at.query.Get(threadField), options[0].Value), options...)
	return &chosen, kept
}

// nameThread names a thread, and says whether it crashed.
func nameThread(thread *core.Thread) string {
	name := cmp.Or(string(thread.Name), string(thread.ID), "without a name")
	switch {
	case thread.Crashed:
		return "Thread " + name + ", crashed"
	case thread.Current:
		return "Thread " + name + ", current"
	}
	return "Thread " + name
}

func hasFrames(exceptions []core.Exception) bool {
	return slices.ContainsFunc(exceptions, func(x core.Exception) bool { return len(x.Frames) > 0 })
}

// makeParts makes the stack of the chosen thread, else the exceptions with their causes, else the thread that crashed.
func (v *visit) makeParts(at issueAddress, event *core.Event) []stackPart {
	open := openFrames
	list := frameList{
		event: event, list: "threads", isRaw: at.isRaw(), all: at.showsAll(), oldestFirst: v.prefers.Frames == core.OldestFirst, open: &open,
	}
	if i, err := strconv.Atoi(at.query.Get(threadField)); err == nil && i >= 0 && i < len(event.Threads) {
		list.owner = i
		return []stackPart{{Groups: list.makeGroups(event.Threads[i].Frames)}}
	}
	if len(event.Exceptions) == 0 || !hasFrames(event.Exceptions) {
		for _, isWanted := range []func(core.Thread) bool{
			func(t core.Thread) bool { return t.Crashed && len(t.Frames) > 0 }, func(t core.Thread) bool { return len(t.Frames) > 0 },
		} {
			if i := slices.IndexFunc(event.Threads, isWanted); i >= 0 {
				list.owner = i
				return []stackPart{{Groups: list.makeGroups(event.Threads[i].Frames)}}
			}
		}
	}
	list.list = "exceptions"
	var parts []stackPart
	for i := range event.Exceptions {
		x := &event.Exceptions[i]
		list.owner = i
		part := stackPart{Groups: list.makeGroups(x.Frames), Name: cutName(x.Type), Value: core.Untrusted(cutText(string(x.Value), at.longest()))}
		part.IsCause = i > 0
		if x.Mechanism != nil && x.Mechanism.Handled != nil && !*x.Mechanism.Handled {
			part.Remark = "nothing caught it"
		}
		parts = append(parts, part)
	}
	return parts
}

// longest is how many bytes a message has on the page.
func (a issueAddress) longest() int {
	if a.showsAll() {
		return allOfValue
	}
	return maxLongText
}
