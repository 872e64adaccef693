package envelope

import (
	"slices"
	"strconv"
	"strings"

	"errand/core"
	"errand/envelope/stack"
)

// exception is an exception while it is read.
type exception struct {
	core.Exception
	text string // the language's own stack text, for want of frames
}

// readExceptions reads the exception member. Old clients put one mechanism beside the list.
func (d *decoder) readExceptions() {
	d.exceptions.reset(maxExceptions/2, maxExceptions)
	d.listBeside(d.readException, func(key string) {
		if key == "mechanism" {
			d.mechanism = d.readMechanism()
		} else {
			d.skip()
		}
	})
}

// readException reads one entry. The protocol asks for a type or a value; an entry with nothing at all is no exception.
func (d *decoder) readException() {
	x := d.exceptions.add()
	if d.peek() == '"' {
		x.Value = d.readText()
		return
	}
	if !d.isObject() {
		d.exceptions.undo()
		return
	}
	for m := d.object(); m.next(); {
		switch m.key {
		case "type":
			x.Type = d.word()
		case "value":
			x.Value = d.readText()
		case "module":
			x.Module = d.word()
		case "mechanism":
			x.Mechanism = d.readMechanism()
		case "stacktrace":
			x.Frames, x.text = d.stacktrace()
		case "stack":
			x.text = string(d.readText())
		default:
			d.skip()
		}
	}
	if x.Type == "" && x.Value == "" && x.Frames == nil && x.text == "" {
		d.exceptions.undo()
	}
}

// splitValue takes the type from a value like "ValueError: text" of a client that sent no type.
func splitValue(x *core.Exception) {
	if x.Type != "" {
		return
	}
	name, rest, found := strings.Cut(string(x.Value), ":")
	if !found || name == "" || strings.HasPrefix(rest, "//") {
		return
	}
	for i := range len(name) {
		if c := name[i] | 0x20; (c < 'a' || c > 'z') && name[i] != '_' && (name[i] < '0' || name[i] > '9') {
			return
		}
	}
	x.Type, x.Value = core.Untrusted(name), core.Untrusted(strings.TrimSpace(rest))
}

// readMechanism reads how an exception was caught.
func (d *decoder) readMechanism() *core.Mechanism {
	if d.peek() == '"' {
		k := &d.caught.take(1)[0]
		k.Type = d.word()
		return k
	}
	d.path.enter("mechanism")
	defer d.path.leave()
	if !d.isObject() {
		return nil
	}
	k := &d.caught.take(1)[0]
	for m := d.object(); m.next(); {
		switch m.key {
		case "type":
			k.Type = d.word()
		case "handled":
			k.Handled = d.flag(m.key)
		case "synthetic":
			k.Synthetic = isTrue(d.flag(m.key))
		case "is_exception_group":
			k.IsGroup = isTrue(d.flag(m.key))
		case "exception_id":
			k.ExceptionID = d.integer(m.key)
		case "parent_id":
			k.ParentID = d.integer(m.key)
		default:
			d.skip()
		}
	}
	return k
}

func isTrue(b *bool) bool { return b != nil && *b }

// flag reads a boolean or its text; null is nil.
func (d *decoder) flag(field string) *bool {
	if d.null() {
		return nil
	}
	b, err := strconv.ParseBool(string(d.word()))
	if err != nil {
		d.tell(field, "neither true nor false")
		return nil
	}
	return &b
}

// integer reads a whole number or its text; null is nil.
func (d *decoder) integer(field string) *int64 {
	if d.null() {
		return nil
	}
	text := string(d.word())
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		d.tell(field, "not a whole number")
		return nil
	}
	return &n
}

// setExceptions puts the exceptions into the event, outermost first where the protocol has the outermost last, and
// reads the stacks that came as text.
func (d *decoder) setExceptions() {
	read := d.exceptions.list()
	if len(read) == 0 {
		return
	}
	if lost := d.exceptions.lost(); lost > 0 {
		tell(&d.event, "exception", strconv.Itoa(lost)+" exceptions in the middle are left out")
	}
	list := d.chain.take(len(read))[:0]
	for i := range slices.Backward(read) {
		x := &read[i]
		if !x.RestatesMessage(d.event.Message) {
			splitValue(&x.Exception)
		}
		if x.text == "" || x.Frames != nil {
			list = append(list, x.Exception)
			continue
		}
		traces := d.parseStack(x.text)
		if len(traces) == 0 && x.Type == "" && x.Value == "" {
			x.Value = core.Untrusted(x.text) // all that there is
		}
		list = append(list, withStack(x.Exception, traces))
		for _, cause := range traces[min(1, len(traces)):] {
			if len(read) == 1 { // with more entries, the causes have their own
				list = append(list, withStack(core.Exception{}, []stack.Trace{cause}))
			}
		}
	}
	if list[0].Mechanism == nil {
		list[0].Mechanism = d.mechanism
	}
	d.event.Exceptions = list
}

// withStack fills what an exception lacks from its stack text.
func withStack(x core.Exception, traces []stack.Trace) core.Exception {
	if len(traces) == 0 {
		return x
	}
	t := &traces[0]
	if x.Type == "" {
		x.Type = core.Untrusted(t.Type)
		if x.Value == "" {
			x.Value = core.Untrusted(t.Value)
		}
		if x.Module == "" {
			x.Module = core.Untrusted(t.Module)
		}
	}
	x.Frames = t.Frames
	return x
}
