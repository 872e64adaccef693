package envelope

import (
	"slices"
	"strconv"
	"strings"

	"errand/core"
	"errand/envelope/stack"
)

// DecodeNotice is Decode for the body of POST /ingest/v1/errors (management API, 1.11). It is as lenient, except for an error
// without a class and a body that is not a JSON object: these are core.InvalidRequest. As with Decode, call the scrubber and then
// LimitEvent.
func (d *Decoder) DecodeNotice(payload []byte, hints Hints) (*core.Event, error) {
	d.Reset()
	notice := noticeReader{decoder: &d.decoder}
	if err := notice.readPayload(cleanPayload(payload), notice.readField); err != nil {
		return nil, core.RefuseField("", "%s", err)
	}
	if notice.exception.Type == "" {
		return nil, core.RefuseField("", "error.class is required")
	}
	notice.finishNotice()
	notice.finishEvent(hints)
	return notice.event, nil
}

// noticeReader reads a notice into the event of the decoder.
type noticeReader struct {
	*decoder
	exception core.Exception
	backtrace []core.Frame // in the order of the client
	language  core.Untrusted
	version   core.Untrusted // of the language
	request   core.Value     // the members that have no place in an event's request
}

func (n *noticeReader) readField(name string) {
	event := n.event
	switch name {
	case "error":
		n.readObjectOf(n.readError)
	case "context":
		event.Extra = n.readObject()
	case "request":
		event.Request = n.readNoticeRequest()
	case "user":
		event.User = n.readUser()
	case "notifier":
		n.readObjectOf(n.readNotifier)
	case "server":
		n.readObjectOf(n.readServer)
	default:
		n.json.skipValue()
	}
}

// readObjectOf calls readField for each member of the next object; any other value is left out.
func (n *noticeReader) readObjectOf(readField func(name string)) {
	if n.requireObject() {
		n.readMembers(readField)
	}
}

func (n *noticeReader) readError(name string) {
	switch name {
	case "class":
		n.exception.Type = n.readWord()
	case "message":
		n.exception.Value = n.readText()
	case "backtrace":
		n.readBacktrace()
	case "fingerprint":
		if text := n.readWord(); text != "" {
			n.event.Fingerprint = core.List[core.Untrusted]{text}
		}
	case "occurred_at":
		n.sentAt = n.readTimestamp("")
	case "tags":
		n.readNoticeTags()
	default:
		n.json.skipValue()
	}
}

// readNoticeTags reads tags, which are single words here: each becomes a tag of the event with the value true.
func (n *noticeReader) readNoticeTags() {
	if n.json.peekByte() == '{' {
		n.event.Tags = n.readTags()
		return
	}
	mark := len(n.stack.members)
	for _, word := range n.readTextList() {
		n.stack.push(core.Member{Key: strings.TrimSpace(string(word)), Value: core.StringValue("true")})
	}
	n.event.Tags = n.popObject(mark)
}

// rootMarkers replace the markers for the application's folder that clients put into paths.
var rootMarkers = strings.NewReplacer("file://[PROJECT_ROOT]/", "./", "[PROJECT_ROOT]/", "./")

// readBacktrace reads a list of frames, each as a line of text or as an object, or the whole text.
func (n *noticeReader) readBacktrace() {
	n.backtrace = n.backtrace[:0]
	if n.json.peekByte() == '"' {
		for line := range strings.Lines(string(n.readText())) {
			n.addFrame(readNoticeLine(line))
		}
		return
	}
	n.readList(func() {
		switch n.json.peekByte() {
		case '{':
			var frame core.Frame
			n.readMembers(func(name string) { n.readNoticeFrame(&frame, name) })
			n.addFrame(frame)
		case 'n':
			n.json.skipValue()
		default:
			n.addFrame(readNoticeLine(string(n.readText())))
		}
	})
}

// readNoticeLine reads a line of a backtrace. A method of Ruby keeps its class, for # and . say whether it is one of instances.
func readNoticeLine(line string) core.Frame {
	line = rootMarkers.Replace(line)
	frame := stack.ParseLine(line)
	if frame.Module == "" {
		return frame
	}
	scope := strings.LastIndexByte(string(frame.Function), ' ') + 1
	for _, separator := range [...]core.Untrusted{"#", "."} {
		method := frame.Module + separator + frame.Function[scope:]
		if strings.HasSuffix(line, string(method)+"'") {
			frame.Function = frame.Function[:scope] + method
			break
		}
	}
	return frame
}

func (n *noticeReader) addFrame(frame core.Frame) {
	isEmpty := frame.Filename == "" && frame.Function == "" && frame.Module == ""
	if n.frameCount++; n.frameCount <= maxCalls && !isEmpty {
		n.backtrace = append(n.backtrace, frame)
	}
}

// readNoticeFrame reads a member of a frame, by any of the names that clients use for it.
func (n *noticeReader) readNoticeFrame(frame *core.Frame, name string) {
	switch name {
	case "file", "filename", "path":
		frame.Filename = core.Untrusted(rootMarkers.Replace(string(n.readWord())))
	case "line", "lineno", "line_number", "number":
		frame.Lineno = n.readPosition(name)
	case "column", "colno", "column_number":
		frame.Colno = n.readPosition(name)
	case "function", "method", "name":
		frame.Function = n.readWord()
	case "class", "module":
		frame.Module = n.readWord()
	default:
		n.json.skipValue()
	}
}

func (n *noticeReader) readNotifier(name string) {
	switch name {
	case "name":
		n.event.SDK.Name = n.readWord()
	case "version":
		n.event.SDK.Version = n.readWord()
	case "language":
		n.event.Platform = n.readPlatform()
		n.language = core.Untrusted(n.event.Platform)
	case "language_version":
		n.version = n.readWord()
	default:
		n.json.skipValue()
	}
}

func (n *noticeReader) readServer(name string) {
	switch name {
	case "revision":
		n.event.Release = n.readWord()
	case "hostname":
		n.event.ServerName = n.readWord()
	default:
		n.json.skipValue()
	}
}

// finishNotice does the work that needs the whole notice.
func (n *noticeReader) finishNotice() {
	event := n.event
	if n.language == "javascript" && strings.HasSuffix(string(event.SDK.Name), "node") {
		event.Platform = "node"
	}
	event.Environment = core.Untrusted(textOf(event.Extra.Get("environment")))
	setMember(&event.Extra, "environment", "") // which is told as the event's
	if event.Release == "" {
		event.Release = core.Untrusted(textOf(event.Extra.Get("revision")))
	}
	var contexts []core.Member
	if n.version != "" {
		contexts = append(contexts, core.Member{Key: "runtime", Value: core.Value{Kind: core.Object, Kids: []core.Member{
			{Key: "name", Value: core.StringValue(string(n.language))}, {Key: "version", Value: core.StringValue(string(n.version))},
		}}})
	}
	if !n.request.IsEmpty() {
		contexts = append(contexts, core.Member{Key: "request", Value: n.request})
	}
	if len(contexts) > 0 {
		event.Contexts = core.Value{Kind: core.Object, Kids: contexts}
	}
	n.exception.Frames = n.finishBacktrace()
	event.Exceptions = core.List[core.Exception]{n.exception}
}

// finishBacktrace returns the frames with the most recent call first. The Python client sends it last. The PHP client sends with
// each location the function that was called there, as PHP prints it.
func (n *noticeReader) finishBacktrace() []core.Frame {
	switch n.event.Platform {
	case "python":
		slices.Reverse(n.backtrace)
	case "php":
		for i := range n.backtrace {
			n.backtrace[i].Function = ""
			if i+1 < len(n.backtrace) {
				n.backtrace[i].Function = n.backtrace[i+1].Function
			}
		}
	}
	frames, lost := keepEnds(n.backtrace, maxFrames)
	if lost > 0 {
		n.addProblem("backtrace", strconv.Itoa(lost)+" frames in the middle are left out")
	}
	for i := range frames {
		frame := sentFrame{Frame: frames[i]}
		tidyFrame(&frame)
		if path, ok := strings.CutPrefix(string(frame.Filename), "./"); ok && strings.Contains(path, "/") {
			frame.Filename = core.Untrusted(path) // without a folder the "./" stays, and marks the application's file
		}
		if separator := core.QualifierOf(n.event.Platform); separator != "" && frame.Module == "" && n.event.Platform != "go" {
			if at := strings.LastIndex(string(frame.Function), separator); at > 0 {
				frame.Module, frame.Function = frame.Function[:at], frame.Function[at+len(separator):]
			}
		}
		frames[i] = frame.Frame
		n.scratch.undecided = append(n.scratch.undecided, undecidedFrame{frame: &frames[i]})
	}
	return frames
}
