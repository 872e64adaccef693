package envelope

import (
	"slices"
	"strconv"
	"strings"

	"errand/core"
	"errand/envelope/stack"
)

// sentException is an exception while it is read.
type sentException struct {
	core.Exception
	stackText string // the stack as text in the language's form, when there are no frames
}

// readExceptions reads the exception member. Old clients put one mechanism beside the list. A text stands for a list of one.
func (d *decoder) readExceptions() {
	d.scratch.exceptions.startOver(maxExceptions/2, maxExceptions)
	if d.json.peekByte() == '"' {
		d.readException()
		return
	}
	d.readListBeside(d.readException, func(key string) {
		if key == "mechanism" {
			d.mechanism = d.readMechanism()
		} else {
			d.json.skipValue()
		}
	})
}

// readException reads one entry. The protocol requires a type or a value; an entry without both is left out.
func (d *decoder) readException() {
	exception := d.scratch.exceptions.addItem()
	if d.json.peekByte() == '"' {
		exception.Value = d.readText()
		return
	}
	if !d.requireObject() {
		d.scratch.exceptions.undoAdd()
		return
	}
	for m := d.json.enterObject(); m.nextMember(); {
		switch m.key {
		case "type":
			exception.Type = d.readWord()
		case "value":
			exception.Value = d.readText()
		case "module":
			exception.Module = d.readWord()
		case "mechanism":
			exception.Mechanism = d.readMechanism()
		case "stacktrace", oldPrefix + "Stacktrace":
			exception.Frames, exception.stackText = d.readStacktrace()
		case "stack":
			exception.stackText = string(d.readText())
		default:
			d.json.skipValue()
		}
	}
	if exception.Type == "" && exception.Value == "" && exception.Frames == nil && exception.stackText == "" {
		d.scratch.exceptions.undoAdd()
	}
}

// splitValue takes the type from a value like "ValueError: text" of a client that sent no type.
func splitValue(exception *core.Exception) {
	if exception.Type != "" {
		return
	}
	name, rest, found := strings.Cut(string(exception.Value), ":")
	if !found || name == "" || strings.HasPrefix(rest, "//") {
		return
	}
	for i := range len(name) {
		if c := name[i] | 0x20; (c < 'a' || c > 'z') && name[i] != '_' && (name[i] < '0' || name[i] > '9') {
			return
		}
	}
	exception.Type, exception.Value = core.Untrusted(name), core.Untrusted(strings.TrimSpace(rest))
}

// readMechanism reads how an exception was caught.
func (d *decoder) readMechanism() *core.Mechanism {
	if d.json.peekByte() == '"' {
		k := &d.kept.mechanisms.takeRoom(1)[0]
		k.Type = d.readWord()
		return k
	}
	d.path.enterMember("mechanism")
	defer d.path.leaveValue()
	if !d.requireObject() {
		return nil
	}
	k := &d.kept.mechanisms.takeRoom(1)[0]
	for members := d.json.enterObject(); members.nextMember(); {
		switch members.key {
		case "type":
			k.Type = d.readWord()
		case "handled":
			k.Handled = d.readFlag(members.key)
		case "synthetic":
			k.Synthetic = isTrue(d.readFlag(members.key))
		case "is_exception_group":
			k.IsGroup = isTrue(d.readFlag(members.key))
		case "exception_id":
			k.ExceptionID = d.readInteger(members.key)
		case "parent_id":
			k.ParentID = d.readInteger(members.key)
		default:
			d.json.skipValue()
		}
	}
	return k
}

func isTrue(b *bool) bool { return b != nil && *b }

// readFlag reads a boolean or its text; null is nil.
func (d *decoder) readFlag(field string) *bool {
	if d.skipNull() {
		return nil
	}
	b, err := strconv.ParseBool(string(d.readWord()))
	if err != nil {
		d.addProblem(field, "neither true nor false")
		return nil
	}
	return &b
}

// readInteger reads a whole number or its text; null is nil.
func (d *decoder) readInteger(field string) *int64 {
	if d.skipNull() {
		return nil
	}
	text := string(d.readWord())
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		d.addProblem(field, "not a whole number")
		return nil
	}
	return &n
}

// setExceptions puts the exceptions into the event, outermost first (the protocol has it last), and reads the stacks that came as
// text.
func (d *decoder) setExceptions() {
	read := d.scratch.exceptions.keptItems()
	if len(read) == 0 {
		return
	}
	if lost := d.scratch.exceptions.countLost(); lost > 0 {
		addProblem(d.event, "exception", strconv.Itoa(lost)+" exceptions in the middle are left out")
	}
	list := d.kept.exceptions.takeRoom(len(read))[:0]
	for i := range slices.Backward(read) {
		exception := &read[i]
		if !exception.RestatesMessage(d.event.Message) {
			splitValue(&exception.Exception)
		}
		if exception.stackText == "" || exception.Frames != nil {
			list = append(list, exception.Exception)
			continue
		}
		traces := d.parseStack(exception.stackText)
		if len(traces) == 0 && exception.Type == "" && exception.Value == "" {
			exception.Value = core.Untrusted(exception.stackText) // there is nothing else
		}
		list = append(list, withStack(exception.Exception, traces))
		for _, cause := range traces[min(1, len(traces)):] {
			if len(read) == 1 { // with more entries, the causes are entries themselves
				list = append(list, withStack(core.Exception{}, []stack.Trace{cause}))
			}
		}
	}
	if list[0].Mechanism == nil {
		list[0].Mechanism = d.mechanism
	}
	d.event.Exceptions = list
}

// withStack fills the gaps of an exception from its stack text.
func withStack(exception core.Exception, traces []stack.Trace) core.Exception {
	if len(traces) == 0 {
		return exception
	}
	trace := &traces[0]
	if exception.Type == "" {
		exception.Type = core.Untrusted(trace.Type)
		if exception.Value == "" {
			exception.Value = core.Untrusted(trace.Value)
		}
		if exception.Module == "" {
			exception.Module = core.Untrusted(trace.Module)
		}
	}
	exception.Frames = trace.Frames
	return exception
}
