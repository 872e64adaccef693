package envelope

import (
	"math"
	"strconv"
	"strings"

	"errand/core"
	"errand/envelope/stack"
)

// sentFrame is a frame while it is read, with the fields that only decide whether it is in_app.
type sentFrame struct {
	core.Frame
	origin    frameOrigin
	isDecided bool // the SDK said whether it is in_app
}

// frameOrigin is where a frame comes from, besides its own fields.
type frameOrigin struct {
	platform string // of the frame, when it differs from the event's
	library  string // the binary or assembly, which the protocol calls package
}

// undecidedFrame is a frame whose in_app the SDK left open.
type undecidedFrame struct {
	frame  *core.Frame
	origin frameOrigin
}

// readStacktrace reads a stack trace: {"frames": [..]}, a list of frames, or a text in the language's form, which is parsed when
// the platform is known.
func (d *decoder) readStacktrace() (frames []core.Frame, text string) {
	d.path.enterMember("stacktrace")
	defer d.path.leaveValue()
	switch d.json.peekByte() {
	case '"':
		return nil, d.json.readString()
	case '[':
		return d.readFrames(), ""
	}
	if !d.requireObject() {
		return nil, ""
	}
	for members := d.json.enterObject(); members.nextMember(); {
		if members.key != "frames" {
			d.json.skipValue()
			continue
		}
		d.path.enterMember(members.key)
		frames = d.readFrames()
		d.path.leaveValue()
	}
	return frames, ""
}

// readFrames reads a list of frames, oldest first as in the protocol, and returns them most recent first.
func (d *decoder) readFrames() []core.Frame {
	d.scratch.frames.startOver(maxFrames/2, maxFrames)
	d.readList(d.readFrame)
	if lost := d.scratch.frames.countLost(); lost > 0 {
		d.addProblem("", strconv.Itoa(lost)+" frames in the middle are left out")
	}
	read := d.scratch.frames.keptItems()
	d.frameCount += len(read)
	// An SDK that marks the application's frames has decided about the others by leaving out the mark.
	marked := false
	for i := range read {
		marked = marked || read[i].isDecided && read[i].InApp
	}
	frames := d.kept.frames.takeRoom(len(read))
	for i := range frames {
		f := &read[len(read)-1-i]
		tidyFrame(f)
		frames[i] = f.Frame
		if !f.isDecided && !marked {
			d.scratch.undecided = append(d.scratch.undecided, undecidedFrame{&frames[i], f.origin})
		}
	}
	return frames
}

// readFrame reads one frame.
func (d *decoder) readFrame() {
	if !d.requireObject() {
		return
	}
	if d.frameCount+len(d.scratch.frames.items) == maxCalls {
		d.addProblem("", "the event has more than 16384 frames; the rest is left out")
		d.frameCount++
	}
	if d.frameCount > maxCalls {
		d.json.skipValue()
		return
	}
	frame := d.scratch.frames.addItem()
	for members := d.json.enterObject(); members.nextMember(); {
		switch members.key {
		case "function":
			frame.Function = d.readText()
		case "raw_function", "symbol":
			if name := d.readText(); frame.Function == "" {
				frame.Function = name
			}
		case "module":
			frame.Module = d.readText()
		case "filename":
			frame.Filename = d.readText()
		case "abs_path":
			frame.AbsPath = d.readText()
		case "lineno":
			frame.Lineno = d.readPosition(members.key)
		case "colno":
			frame.Colno = d.readPosition(members.key)
		case "in_app":
			if given := d.readFlag(members.key); given != nil {
				frame.InApp, frame.isDecided = *given, true
			}
		case "platform":
			frame.origin.platform = d.readPlatform()
		case "package":
			frame.origin.library = string(d.readText())
		default:
			d.readFrameSource(frame, members.key)
		}
	}
}

// readFrameSource reads the members of a frame that show its code and variables.
func (d *decoder) readFrameSource(frame *sentFrame, name string) {
	switch name {
	case "context_line":
		frame.ContextLine = d.readText()
	case "pre_context":
		frame.PreContext = d.readTextList()
	case "post_context":
		frame.PostContext = d.readTextList()
	case "vars":
		d.path.enterMember(name)
		frame.Vars = d.readObject()
		d.path.leaveValue()
	default:
		d.json.skipValue()
	}
}

// readPosition reads a line or column number. A value that cannot be one is 0.
func (d *decoder) readPosition(field string) core.OptInt {
	if d.skipNull() {
		return 0
	}
	text := string(d.readWord())
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= math.MaxInt32 {
		return core.OptInt(n)
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		d.addProblem(field, "not a number")
		return 0
	}
	if number < 1 || number > math.MaxInt32 {
		return 0
	}
	return core.OptInt(number)
}

// tidyFrame sets the file name or the full path of a frame that has only one of them: browsers name scripts by their URL. The
// JavaScript SDKs write a question mark for a missing name.
func tidyFrame(frame *sentFrame) {
	if frame.Function == "?" {
		frame.Function = ""
	}
	name := string(frame.Filename)
	if name == "" {
		name = string(frame.AbsPath)
	} else if frame.AbsPath == "" && isURL(name) {
		frame.AbsPath = frame.Filename
	}
	if isURL(name) {
		name = urlPath(name)
	}
	frame.Filename = core.Untrusted(name)
}

// isURL reports whether a script is named by a URL, as in browsers.
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

// parseStack parses a stack in its language's text form. The platform of the text replaces a missing one.
func (d *decoder) parseStack(text string) []stack.Trace {
	traces, platform := stack.ParseStack(text, d.event.Platform)
	if len(traces) == 0 {
		d.addProblem("stack", "no known form of a stack trace")
		return nil
	}
	if d.event.Platform == "" {
		d.event.Platform = platform
	}
	for i := range traces {
		t := &traces[i]
		kept, lost := keepEnds(t.Frames, maxFrames)
		if t.Frames = kept; lost > 0 {
			d.addProblem("stack", strconv.Itoa(lost)+" frames in the middle are left out")
		}
		for j := range kept {
			f := sentFrame{Frame: kept[j]}
			tidyFrame(&f)
			kept[j] = f.Frame
			d.scratch.undecided = append(d.scratch.undecided, undecidedFrame{frame: &kept[j]})
		}
	}
	return traces
}

// readThreads reads the threads. Only some have a stack.
func (d *decoder) readThreads() {
	d.event.Threads = nil
	d.readList(d.readThread)
}

func (d *decoder) readThread() {
	if len(d.event.Threads) == maxThreads {
		d.json.skipValue()
		return
	}
	if !d.requireObject() {
		return
	}
	var thread core.Thread
	for members := d.json.enterObject(); members.nextMember(); {
		switch members.key {
		case "id":
			thread.ID = d.readWord()
		case "name":
			thread.Name = d.readText()
		case "crashed":
			thread.Crashed = isTrue(d.readFlag(members.key))
		case "current":
			thread.Current = isTrue(d.readFlag(members.key))
		case "stacktrace":
			var text string
			if thread.Frames, text = d.readStacktrace(); text != "" {
				thread.Frames = d.parseFrames(text)
			}
		default:
			d.json.skipValue()
		}
	}
	if thread.ID != "" || thread.Name != "" || thread.Frames != nil {
		d.event.Threads = append(d.event.Threads, thread)
	}
}

func (d *decoder) parseFrames(text string) []core.Frame {
	if traces := d.parseStack(text); len(traces) > 0 {
		return traces[0].Frames
	}
	return nil
}

// setLooseStack finds the owner of a stack trace at the top level: the only exception, if it has no stack trace, or else the
// current thread.
func (d *decoder) setLooseStack() {
	if d.looseText != "" {
		d.looseFrames = d.parseFrames(d.looseText)
	}
	if len(d.looseFrames) == 0 {
		return
	}
	if e := d.event; len(e.Exceptions) == 1 && len(e.Exceptions[0].Frames) == 0 {
		e.Exceptions[0].Frames = d.looseFrames
	} else {
		e.Threads = append(e.Threads, core.Thread{Current: true, Frames: d.looseFrames})
	}
}
