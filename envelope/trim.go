package envelope

import (
	"cmp"
	"slices"
	"strconv"

	"errand/core"
)

// trim makes an event smaller until its JSON fits: the largest free-form parts go first, as they matter least for
// finding the error. Only if the rest is still too large, texts and stack traces are cut shorter and shorter. What counts
// is the JSON that readers get, which is larger than the stored form.
func trim(e *core.Event) {
	const goal = maxEvent - reserve
	t := trimmer{event: e, buffer: e.AppendJSON(nil)}
	excess := e.MeasureJSON(t.buffer) - goal
	if excess <= 0 {
		return
	}
	t.collect()
	t.dropLargest(excess)
	if e.MeasureJSON(t.buffer) <= goal {
		return
	}
	problems := e.Problems
	for text := maxText; ; text /= 2 {
		l := limiter{event: e, text: max(text, 16), frames: max(text/64, 1), exceptions: max(text/128, 1)}
		l.walk()
		e.Problems = problems
		if text == 0 || e.MeasureJSON(t.buffer) <= goal {
			tell(e, "", "all texts were cut to "+strconv.Itoa(l.text)+" bytes and stack traces to "+strconv.Itoa(l.frames)+
				" frames, to keep the event within 256 KB")
			return
		}
	}
}

// trimmer leaves out free-form parts, the largest first.
type trimmer struct {
	event  *core.Event
	parts  []part
	buffer []byte
}

// part is something that can be left out as a whole.
type part struct {
	path  string
	bytes int
	drop  func()
}

func (t *trimmer) dropLargest(excess int) {
	slices.SortStableFunc(t.parts, func(a, b part) int { return cmp.Compare(b.bytes, a.bytes) })
	for _, p := range t.parts {
		if excess <= 0 {
			break
		}
		p.drop()
		excess -= p.bytes
		tell(t.event, p.path, "left out ("+strconv.Itoa(p.bytes)+" bytes) to keep the event within 256 KB")
	}
	for _, v := range t.objects() {
		v.value.Kids = slices.DeleteFunc(v.value.Kids, func(m core.Member) bool { return m.Value.Kind == dropped })
	}
}

// dropped marks the members that are to be removed.
const dropped = core.Kind(255)

// place is a free-form part of the event.
type place struct {
	path  string
	value *core.Value
}

// objects returns the free-form parts whose members can go one by one.
func (t *trimmer) objects() []place {
	e := t.event
	list := []place{{"extra", &e.Extra}, {"contexts", &e.Contexts}, {"tags", &e.Tags}, {"user", &e.User}}
	if r := e.Request; r != nil {
		list = append(list, place{"request.data", &r.Data}, place{"request.headers", &r.Headers},
			place{"request.cookies", &r.Cookies}, place{"request.query", &r.Query})
	}
	return list
}

func (t *trimmer) collect() {
	e := t.event
	for _, o := range t.objects() {
		for i := range o.value.Kids {
			kid := &o.value.Kids[i]
			at := path{{name: o.path}, {name: kid.Key, index: i}}
			t.add(at.String(), len(kid.Key)+t.size(&kid.Value), func() { kid.Value = core.Value{Kind: dropped} })
		}
	}
	if r := e.Request; r != nil && r.Data.Kind == core.String {
		t.add("request.data", t.size(&r.Data), func() { r.Data = core.Value{} })
	}
	for i := range e.Breadcrumbs {
		data := &e.Breadcrumbs[i].Data
		t.add("breadcrumbs."+strconv.Itoa(i)+".data", t.size(data), func() { *data = core.Value{} })
	}
	for i := range e.Exceptions {
		t.collectFrames("exceptions."+strconv.Itoa(i), e.Exceptions[i].Frames)
	}
	for i := range e.Threads {
		thread := &e.Threads[i]
		at := "threads." + strconv.Itoa(i)
		t.collectFrames(at, thread.Frames)
		if !thread.Crashed && !thread.Current {
			t.add(at+".frames", t.sizeOf(core.Event{Threads: e.Threads[i : i+1]}), func() { thread.Frames = nil })
		}
	}
	t.add("debug_images", t.sizeOf(core.Event{DebugImages: e.DebugImages}), func() { e.DebugImages = nil })
}

func (t *trimmer) collectFrames(at string, frames []core.Frame) {
	for i := range frames {
		f := &frames[i]
		place := at + ".frames." + strconv.Itoa(i)
		t.add(place+".vars", t.size(&f.Vars), func() { f.Vars = core.Value{} })
		source := core.Event{Fingerprint: append(slices.Clone(f.PreContext), f.PostContext...)}
		t.add(place+".pre_context and post_context", t.sizeOf(source), func() {
			f.PreContext, f.PostContext = nil, nil
		})
	}
}

// sizeOf returns the bytes of an event that has one part alone.
func (t *trimmer) sizeOf(e core.Event) int { return e.MeasureJSON(t.buffer) - emptyEvent }

var emptyEvent = new(core.Event).MeasureJSON(nil)

func (t *trimmer) size(v *core.Value) int { return len(v.AppendJSON(t.buffer[:0])) }

func (t *trimmer) add(path string, bytes int, drop func()) {
	t.parts = append(t.parts, part{path, bytes, drop})
}
