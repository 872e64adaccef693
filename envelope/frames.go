package envelope

import (
	"math"
	"strconv"
	"strings"

	"errand/core"
	"errand/envelope/stack"
)

// frame is a frame while it is read, with what the normalised event has no room for.
type frame struct {
	core.Frame
	origin  origin
	decided bool // the SDK said whether it is in_app
}

// origin is where a frame comes from, besides its own fields.
type origin struct {
	platform string // of the frame, where it is not that of the event
	library  string // the binary or assembly, which the protocol calls package
}

// undecided is a frame whose in_app is for us to tell.
type undecided struct {
	frame *core.Frame
	origin
}

// stacktrace reads a stack trace: {"frames": [..]}, a list of frames, or the language's own text, which is parsed once
// the platform is known.
func (d *decoder) stacktrace() (frames []core.Frame, text string) {
	d.path.enter("stacktrace")
	defer d.path.leave()
	switch d.peek() {
	case '"':
		return nil, d.str()
	case '[':
		return d.readFrames(), ""
	}
	if !d.isObject() {
		return nil, ""
	}
	for m := d.object(); m.next(); {
		if m.key != "frames" {
			d.skip()
			continue
		}
		d.path.enter(m.key)
		frames = d.readFrames()
		d.path.leave()
	}
	return frames, ""
}

// readFrames reads a list of frames, oldest first as the protocol has them, and gives them most recent first.
func (d *decoder) readFrames() []core.Frame {
	d.frames.reset(maxFrames/2, maxFrames)
	d.list(d.readFrame)
	if lost := d.frames.lost(); lost > 0 {
		d.tell("", strconv.Itoa(lost)+" frames in the middle are left out")
	}
	read := d.frames.list()
	d.frameCount += len(read)
	// An SDK that marks its own frames leaves the mark off the others: then nothing is for us to tell.
	marked := false
	for i := range read {
		marked = marked || read[i].decided && read[i].InApp
	}
	frames := d.calls.take(len(read))
	for i := range frames {
		f := &read[len(read)-1-i]
		tidyFrame(f)
		frames[i] = f.Frame
		if !f.decided && !marked {
			d.undecided = append(d.undecided, undecided{&frames[i], f.origin})
		}
	}
	return frames
}

// readFrame reads one frame.
func (d *decoder) readFrame() {
	if !d.isObject() {
		return
	}
	if d.frameCount+len(d.frames.items) == maxCalls {
		d.tell("", "the event has more than 16384 frames; the rest is left out")
		d.frameCount++
	}
	if d.frameCount > maxCalls {
		d.skip()
		return
	}
	f := d.frames.add()
	for m := d.object(); m.next(); {
		switch m.key {
		case "function":
			f.Function = d.readText()
		case "raw_function", "symbol":
			if name := d.readText(); f.Function == "" {
				f.Function = name
			}
		case "module":
			f.Module = d.readText()
		case "filename":
			f.Filename = d.readText()
		case "abs_path":
			f.AbsPath = d.readText()
		case "lineno":
			f.Lineno = d.position(m.key)
		case "colno":
			f.Colno = d.position(m.key)
		case "in_app":
			if given := d.flag(m.key); given != nil {
				f.InApp, f.decided = *given, true
			}
		case "platform":
			f.origin.platform = d.platform()
		case "package":
			f.origin.library = string(d.readText())
		default:
			d.frameSource(f, m.key)
		}
	}
}

// frameSource reads the members of a frame that show its code and variables.
func (d *decoder) frameSource(f *frame, name string) {
	switch name {
	case "context_line":
		f.ContextLine = d.readText()
	case "pre_context":
		f.PreContext = d.textList()
	case "post_context":
		f.PostContext = d.textList()
	case "vars":
		d.path.enter(name)
		f.Vars = d.objectValue()
		d.path.leave()
	default:
		d.skip()
	}
}

// position reads a line or column number. What cannot be one is 0.
func (d *decoder) position(field string) core.OptInt {
	if d.null() {
		return 0
	}
	text := string(d.word())
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= math.MaxInt32 {
		return core.OptInt(n)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		d.tell(field, "not a number")
		return 0
	}
	if n < 1 || n > math.MaxInt32 {
		return 0
	}
	return core.OptInt(n)
}

// tidyFrame gives a frame a short file name and a full path where it has only one of them: browsers name scripts by
// their URL. A question mark stands for no name in the SDKs for JavaScript.
func tidyFrame(f *frame) {
	if f.Function == "?" {
		f.Function = ""
	}
	name := string(f.Filename)
	if name == "" {
		name = string(f.AbsPath)
	} else if f.AbsPath == "" && isURL(name) {
		f.AbsPath = f.Filename
	}
	if isURL(name) {
		name = urlPath(name)
	}
	f.Filename = core.Untrusted(name)
}

// isURL reports whether a script's place is one that a browser loads it from.
func isURL(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "file://")
}

// urlPath returns the path of a URL without its query and fragment.
func urlPath(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	i := strings.IndexByte(rest, '/')
	if i < 0 {
		return "/"
	}
	if end := strings.IndexAny(rest[i:], "?#"); end >= 0 {
		return rest[i : i+end]
	}
	return rest[i:]
}

// parseStack reads a stack in its language's own text. The platform of the text stands in for a missing one.
func (d *decoder) parseStack(text string) []stack.Trace {
	traces, platform := stack.Parse(text, d.event.Platform)
	if len(traces) == 0 {
		d.tell("stack", "no known form of a stack trace")
		return nil
	}
	if d.event.Platform == "" {
		d.event.Platform = platform
	}
	for i := range traces {
		t := &traces[i]
		kept, lost := keepEnds(t.Frames, maxFrames)
		if t.Frames = kept; lost > 0 {
			d.tell("stack", strconv.Itoa(lost)+" frames in the middle are left out")
		}
		for j := range kept {
			f := frame{Frame: kept[j]}
			tidyFrame(&f)
			kept[j] = f.Frame
			d.undecided = append(d.undecided, undecided{frame: &kept[j]})
		}
	}
	return traces
}

// readThreads reads the threads, some of which have a stack.
func (d *decoder) readThreads() {
	d.event.Threads = nil
	d.list(d.readThread)
}

func (d *decoder) readThread() {
	if len(d.event.Threads) == maxThreads {
		d.skip()
		return
	}
	if !d.isObject() {
		return
	}
	var t core.Thread
	for m := d.object(); m.next(); {
		switch m.key {
		case "id":
			t.ID = d.word()
		case "name":
			t.Name = d.readText()
		case "crashed":
			t.Crashed = isTrue(d.flag(m.key))
		case "current":
			t.Current = isTrue(d.flag(m.key))
		case "stacktrace":
			var text string
			if t.Frames, text = d.stacktrace(); text != "" {
				t.Frames = d.framesOf(text)
			}
		default:
			d.skip()
		}
	}
	if t.ID != "" || t.Name != "" || t.Frames != nil {
		d.event.Threads = append(d.event.Threads, t)
	}
}

func (d *decoder) framesOf(text string) []core.Frame {
	if traces := d.parseStack(text); len(traces) > 0 {
		return traces[0].Frames
	}
	return nil
}

// setLooseStack finds the owner of a stack trace at the top level: the only exception when it has none of its own, else
// the current thread.
func (d *decoder) setLooseStack() {
	if d.looseText != "" {
		d.loose = d.framesOf(d.looseText)
	}
	if len(d.loose) == 0 {
		return
	}
	if e := &d.event; len(e.Exceptions) == 1 && len(e.Exceptions[0].Frames) == 0 {
		e.Exceptions[0].Frames = d.loose
	} else {
		e.Threads = append(e.Threads, core.Thread{Current: true, Frames: d.loose})
	}
}
