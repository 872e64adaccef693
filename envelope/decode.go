package envelope

import (
	"errors"
	"strings"
	"time"

	"errand/core"
)

// Hints is what the request says about an event besides its payload.
type Hints struct {
	ReceivedAt time.Time // when the server took it in
	PeerIP     string    // the sender's address, which user.ip_address "{{auto}}" stands for
	EventID    string    // the id in the envelope's header, which wins over that of the payload
	SDK        string    // "name/version" of the credentials (sentry_client), for payloads that name no SDK
	Browser    *Browser  // nil for what is not a report of a browser
}

// Browser is what a request says about the reports of a browser, which do not say it themselves.
type Browser struct{ UserAgent, Release, Environment string }

// What one payload may make the decoder hold. The bounds lie above what Limit lets pass.
const (
	maxMembers = 32 << 10 // members and elements of free-form parts, and lines of source
	maxCalls   = 16 << 10 // frames of all stack traces
	maxThreads = 256
	maxImages  = 1024
)

// Decoder decodes one event after the other in room that it uses again. An event is good until the decoder is called
// again; only its texts may be kept. The zero value is ready.
type Decoder struct {
	decoder decoder
	room    room
}

// Decode reads one event of the Sentry protocol: the payload of an event item, or the body of the store endpoint. It
// takes every shape that SDKs send; what makes no sense is left out and named in the event's Problems. The only error
// is a payload that is not a JSON object; its text is fit for the sender.
//
// Texts are whole, so that the scrubber can recognise a secret in them: call Limit after it. EventID is empty when
// neither the hints nor the payload have a valid one. Title and Culprit are left to grouping. The event keeps nothing of
// the payload's buffer.
func (d *Decoder) Decode(payload []byte, h Hints) (*core.Event, error) {
	d.Reset()
	return d.decoder.decode(clean(payload), h)
}

// Reset lets go of the last event.
func (d *Decoder) Reset() {
	d.room.reset()
	d.decoder = decoder{room: &d.room}
}

// decoder turns one payload into one event.
type decoder struct {
	*room
	scanner
	depth      int // of containers in free-form parts
	members    int // spent of maxMembers
	frameCount int // frames kept, of maxCalls

	// What can only be judged once all is read, as the order of members is free.

	sent      time.Time
	logentry  message
	message   message
	culprit   core.Untrusted
	loose     []core.Frame // a stack trace at the top level, which belongs to no exception or thread
	looseText string
	mechanism *core.Mechanism // beside the list of exceptions, by old clients
	inferIP   string
	report    report
}

func (d *decoder) decode(text string, h Hints) (*core.Event, error) {
	d.text = text
	if d.peek() != '{' {
		return nil, errors.New("the event is not a JSON object")
	}
	for m := d.object(); m.next(); {
		d.path.enter(m.key)
		d.field(m.key)
		d.path.leave()
	}
	if d.err != nil {
		return nil, d.err
	}
	if !d.end() {
		return nil, errors.New("not valid JSON: more text behind the event")
	}
	d.finish(h)
	return &d.event, nil
}

// field reads one member of the event. Members that nobody needs (modules, _meta, spans) are left out silently, as
// are those of coming versions of the protocol.
func (d *decoder) field(name string) {
	e := &d.event
	switch name {
	case "event_id":
		e.EventID = d.eventID()
	case "timestamp":
		d.sent = d.timestamp("")
	case "platform":
		e.Platform = d.platform()
	case "level":
		e.Level = d.level()
	case "logger":
		e.Logger = d.word()
	case "transaction":
		e.Transaction = d.word()
	case "culprit":
		d.culprit = d.word()
	case "release":
		e.Release = d.word()
	case "dist":
		e.Dist = d.word()
	case "environment":
		e.Environment = d.word()
	case "server_name":
		e.ServerName = d.word()
	case "message":
		d.message = d.readMessage()
	case "logentry":
		d.logentry = d.readMessage()
	case "exception":
		d.readExceptions()
	case "stacktrace":
		d.loose, d.looseText = d.stacktrace()
	case "threads":
		d.readThreads()
	case "breadcrumbs":
		d.readBreadcrumbs()
	default:
		d.context(name)
	}
}

// context reads the members that say in what circumstances the event happened.
func (d *decoder) context(name string) {
	e := &d.event
	switch name {
	case "user":
		e.User = d.user()
	case "request":
		e.Request = d.request()
	case "tags":
		e.Tags = d.tags()
	case "contexts":
		e.Contexts = d.contexts()
	case "extra":
		e.Extra = d.objectValue()
	case "sdk":
		e.SDK = d.sdk()
	case "fingerprint":
		e.Fingerprint = d.textList()
	case "debug_meta":
		d.debugMeta()
	default:
		d.readReport(name)
	}
}

// finish does what needs the whole event.
func (d *decoder) finish(h Hints) {
	e := &d.event
	if id, ok := parseEventID(h.EventID); ok {
		e.EventID = id
	}
	if e.SDK == (core.SDK{}) {
		e.SDK.Name, e.SDK.Version = splitSDK(h.SDK)
	}
	if e.Level == "" {
		e.Level = "error"
	}
	if e.Transaction == "" {
		e.Transaction = d.culprit
	}
	d.setMessage()
	d.setReport()
	d.setTimes(h.ReceivedAt)
	d.setUser(h.PeerIP)
	d.setExceptions()
	d.setLooseStack()
	d.setBreadcrumbs()
	if e.Platform == "" {
		e.Platform = "other"
	}
	d.decideInApp()
}

// null passes over a null, and reports whether there was one.
func (d *decoder) null() bool {
	if d.peek() != 'n' {
		return false
	}
	d.skip()
	return true
}

// isObject reports whether an object comes next. Anything else is left out, and told unless it is null.
func (d *decoder) isObject() bool {
	if d.peek() == '{' {
		return true
	}
	if !d.null() {
		d.drop("not an object")
	}
	return false
}

// readText reads a text. A number, boolean, object or array gives its JSON; null gives none.
func (d *decoder) readText() core.Untrusted {
	switch d.peek() {
	case '"':
		return core.Untrusted(d.str())
	case 'n':
		d.skip()
		return ""
	}
	return core.Untrusted(d.raw())
}

// word reads a short text, such as a name.
func (d *decoder) word() core.Untrusted {
	return core.Untrusted(strings.TrimSpace(string(d.readText())))
}

// spend counts one more member of the free-form parts. When there are too many it leaves the value out.
func (d *decoder) spend() bool {
	if d.afford() {
		return true
	}
	d.skip()
	return false
}

func (d *decoder) afford() bool {
	if d.members++; d.members == maxMembers+1 {
		d.tell("", "the event has more than 32768 values; the rest is left out")
	}
	return d.members <= maxMembers
}
