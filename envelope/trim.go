package envelope

import (
	"cmp"
	"slices"
	"strconv"

	"errand/core"
)

// trimEvent makes an event smaller until its JSON fits: the largest free-form parts go first, because they matter least for
// finding the error. Only if the rest is still too large, texts and stack traces are cut shorter and shorter. The JSON is the one
// that readers get, which is larger than the stored form.
func trimEvent(event *core.Event) {
	const goal = maxEvent - laterBytes
	trimming := trimmer{event: event, buffer: event.AppendJSON(nil)}
	excess := event.MeasureJSON(trimming.buffer) - goal
	if excess <= 0 {
		return
	}
	trimming.collectParts()
	trimming.dropLargest(excess)
	if event.MeasureJSON(trimming.buffer) <= goal {
		return
	}
	for text := maxText; ; text /= 2 {
		l := limiter{event: event, maxText: max(text, 16), maxFrames: max(text/64, 1), maxExceptions: max(text/128, 1), isQuiet: true}
		l.walkEvent()
		if text == 0 || event.MeasureJSON(trimming.buffer) <= goal {
			addProblem(event, "", "all texts were cut to "+strconv.Itoa(l.maxText)+" bytes and stack traces to "+strconv.Itoa(l.maxFrames)+
				" frames, to keep the event within 256 KB")
			return
		}
	}
}

// trimmer leaves out free-form parts, the largest first.
type trimmer struct {
	event  *core.Event
	parts  []droppablePart
	buffer []byte
}

// droppablePart is a part that can be left out as a whole.
type droppablePart struct {
	path  string
	bytes int
	drop  func()
}

func (t *trimmer) dropLargest(excess int) {
	slices.SortStableFunc(t.parts, func(a, b droppablePart) int { return cmp.Compare(b.bytes, a.bytes) })
	for _, p := range t.parts {
		if excess <= 0 {
			break
		}
		p.drop()
		excess -= p.bytes
		addProblem(t.event, p.path, "left out ("+strconv.Itoa(p.bytes)+" bytes) to keep the event within 256 KB")
	}
	for _, v := range t.listObjects() {
		v.value.Kids = slices.DeleteFunc(v.value.Kids, func(m core.Member) bool { return m.Value.Kind == droppedKind })
	}
}

// droppedKind marks the members to remove.
const droppedKind = core.Kind(255)

// freeFormPart is a free-form part of the event.
type freeFormPart struct {
	path  string
	value *core.Value
}

// listObjects returns the free-form parts whose members can be dropped one by one.
func (t *trimmer) listObjects() []freeFormPart {
	e := t.event
	list := []freeFormPart{{"extra", &e.Extra}, {"contexts", &e.Contexts}, {"tags", &e.Tags}, {"user", &e.User}}
	if r := e.Request; r != nil {
		list = append(list, freeFormPart{"request.data", &r.Data}, freeFormPart{"request.headers", &r.Headers},
			freeFormPart{"request.cookies", &r.Cookies}, freeFormPart{"request.query", &r.Query})
	}
	return list
}

func (t *trimmer) collectParts() {
	event := t.event
	for _, o := range t.listObjects() {
		for i := range o.value.Kids {
			kid := &o.value.Kids[i]
			at := fieldPath{{name: o.path}, {name: kid.Key, index: i}}
			t.addPart(at.String(), len(kid.Key)+t.sizeOfValue(&kid.Value), func() { kid.Value = core.Value{Kind: droppedKind} })
		}
	}
	if r := event.Request; r != nil && r.Data.Kind == core.String {
		t.addPart("request.data", t.sizeOfValue(&r.Data), func() { r.Data = core.Value{} })
	}
	for i := range event.Breadcrumbs {
		data := &event.Breadcrumbs[i].Data
		t.addPart("breadcrumbs."+strconv.Itoa(i)+".data", t.sizeOfValue(data), func() { *data = core.Value{} })
	}
	for i := range event.Exceptions {
		t.collectFrames("exceptions."+strconv.Itoa(i), event.Exceptions[i].Frames)
	}
	for i := range event.Threads {
		thread := &event.Threads[i]
		at := "threads." + strconv.Itoa(i)
		t.collectFrames(at, thread.Frames)
		if !thread.Crashed && !thread.Current {
			t.addPart(at+".frames", t.sizeOfEvent(core.Event{Threads: event.Threads[i : i+1]}), func() { thread.Frames = nil })
		}
	}
	t.addPart("debug_images", t.sizeOfEvent(core.Event{DebugImages: event.DebugImages}), func() { event.DebugImages = nil })
}

func (t *trimmer) collectFrames(at string, frames []core.Frame) {
	for i := range frames {
		frame := &frames[i]
		location := at + ".frames." + strconv.Itoa(i)
		t.addPart(location+".vars", t.sizeOfValue(&frame.Vars), func() { frame.Vars = core.Value{} })
		source := core.Event{Fingerprint: append(slices.Clone(frame.PreContext), frame.PostContext...)}
		t.addPart(location+".pre_context and post_context", t.sizeOfEvent(source), func() {
			frame.PreContext, frame.PostContext = nil, nil
		})
	}
}

// sizeOfEvent returns how many bytes of JSON the only part of an event takes.
func (t *trimmer) sizeOfEvent(e core.Event) int { return e.MeasureJSON(t.buffer) - emptyEvent }

var emptyEvent = new(core.Event).MeasureJSON(nil)

func (t *trimmer) sizeOfValue(v *core.Value) int { return len(v.AppendJSON(t.buffer[:0])) }

func (t *trimmer) addPart(path string, bytes int, drop func()) {
	t.parts = append(t.parts, droppablePart{path, bytes, drop})
}
