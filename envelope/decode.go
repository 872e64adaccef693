package envelope

import (
	"errors"
	"strings"
	"time"

	"errand/core"
)

// Hints are the facts about an event that come with the request, not with the payload.
type Hints struct {
	ReceivedAt time.Time // when the server received the event
	PeerIP     string    // the sender's address, used for user.ip_address "{{auto}}"
	EventID    string    // the id in the envelope's header, which wins over the payload's
	SDK        string    // "name/version" of the credentials (sentry_client), for payloads that name no SDK
	Browser    *Browser  // nil unless this is a browser's report
}

// Browser holds the facts in a request that a browser's reports do not contain themselves.
type Browser struct{ UserAgent, Release, Environment string }

// The bounds of the memory for one payload. They are above the limits of LimitEvent.
const (
	maxMembers = 32 << 10 // members and elements of free-form parts, and lines of source
	maxCalls   = 16 << 10 // frames of all stack traces
	maxThreads = 256
	maxImages  = 1024
)

// Decoder decodes one event after the other in memory that it uses again. An event is valid until the next call of the decoder;
// only its texts may be kept. The zero value is ready.
type Decoder struct {
	decoder decoder
	kept    keptRoom
	scratch scratchRoom
}

// Decode reads one event of the Sentry protocol: the payload of an event item, or the body of the store endpoint. It accepts
// every shape that SDKs send; it leaves out values that make no sense and names them in the event's Problems. The only error is a
// payload that is not a JSON object; its text may be sent to the client.
//
// Texts are whole, so that the scrubber can recognise a secret in them: call LimitEvent after it. EventID is empty when neither
// the hints nor the payload have a valid one. Title and Culprit are left to grouping. The event keeps nothing of the payload's
// buffer.
func (d *Decoder) Decode(payload []byte, h Hints) (*core.Event, error) {
	d.Reset()
	return d.decoder.decodeEvent(cleanPayload(payload), h)
}

// Reset drops the last event.
func (d *Decoder) Reset() {
	d.kept.startOver()
	d.scratch.startOver()
	stack, path := d.decoder.stack, emptyList(d.decoder.path)
	stack.startOver()
	d.decoder = decoder{event: &d.kept.event, kept: &d.kept, scratch: &d.scratch, stack: stack, path: path}
}

// decoder turns one payload into one event.
type decoder struct {
	event       *core.Event // kept.event
	kept        *keptRoom
	scratch     *scratchRoom
	json        scanner
	stack       memberStack
	path        fieldPath // of the current value
	depth       int       // of containers in free-form parts
	memberCount int       // spent of maxMembers
	frameCount  int       // frames kept, of maxCalls

	// Values that can only be judged at the end, because members may be in any order.

	sentAt      time.Time
	logentry    sentMessage
	message     sentMessage
	culprit     core.Untrusted
	looseFrames []core.Frame // a stack trace at the top level, which belongs to no exception or thread
	looseText   string
	mechanism   *core.Mechanism // beside the list of exceptions, from old clients
	inferIP     string
	report      sentReport
}

func (d *decoder) decodeEvent(text string, hints Hints) (*core.Event, error) {
	if err := d.readPayload(text, d.readField); err != nil {
		return nil, err
	}
	d.finishEvent(hints)
	return d.event, nil
}

// readPayload calls readField for each member of the payload.
func (d *decoder) readPayload(text string, readField func(name string)) error {
	d.json.text = text
	if d.json.peekByte() != '{' {
		return errors.New("the event is not a JSON object")
	}
	d.readMembers(readField)
	if d.json.err != nil {
		return d.json.err
	}
	if !d.json.isAtEnd() {
		return errors.New("not valid JSON: more text behind the event")
	}
	return nil
}

// readMembers calls readField for each member of an object.
func (d *decoder) readMembers(readField func(name string)) {
	for m := d.json.enterObject(); m.nextMember(); {
		d.path.enterMember(m.key)
		readField(m.key)
		d.path.leaveValue()
	}
}

// readField reads one member of the event. It silently leaves out members that nobody needs (modules, _meta, spans), and unknown
// ones from later versions of the protocol.
func (d *decoder) readField(name string) {
	event := d.event
	switch name {
	case "event_id":
		event.EventID = d.readEventID()
	case "timestamp":
		d.sentAt = d.readTimestamp("")
	case "platform":
		event.Platform = d.readPlatform()
	case "level":
		event.Level = d.readLevel()
	case "logger":
		event.Logger = d.readWord()
	case "transaction":
		event.Transaction = d.readWord()
	case "culprit":
		d.culprit = d.readWord()
	case "release":
		event.Release = d.readWord()
	case "dist":
		event.Dist = d.readWord()
	case "environment":
		event.Environment = d.readWord()
	case "server_name":
		event.ServerName = d.readWord()
	case "message":
		d.message = d.readMessage()
	case "logentry":
		d.logentry = d.readMessage()
	case "exception":
		d.readExceptions()
	case "stacktrace":
		d.looseFrames, d.looseText = d.readStacktrace()
	case "threads":
		d.readThreads()
	case "breadcrumbs":
		d.readBreadcrumbs()
	default:
		d.readCircumstance(name)
	}
}

// readCircumstance reads the members about the circumstances of the event.
func (d *decoder) readCircumstance(name string) {
	event := d.event
	switch name {
	case "user":
		event.User = d.readUser()
	case "request":
		event.Request = d.readRequest()
	case "tags":
		event.Tags = d.readTags()
	case "contexts":
		event.Contexts = d.readContexts()
	case "extra":
		event.Extra = d.readObject()
	case "sdk":
		event.SDK = d.readSDK()
	case "fingerprint":
		event.Fingerprint = d.readTextList()
	case "debug_meta":
		d.readDebugMeta()
	default:
		d.readReport(name)
	}
}

// finishEvent does the work that needs the whole event.
func (d *decoder) finishEvent(hints Hints) {
	event := d.event
	if id, ok := parseEventID(hints.EventID); ok {
		event.EventID = id
	}
	if event.SDK == (core.SDK{}) {
		event.SDK.Name, event.SDK.Version = splitSDK(hints.SDK)
	}
	if event.Level == "" {
		event.Level = "error"
	}
	if event.Transaction == "" {
		event.Transaction = d.culprit
	}
	d.setMessage()
	d.setReport()
	d.setTimes(hints.ReceivedAt)
	d.setUser(hints.PeerIP)
	d.setExceptions()
	d.setLooseStack()
	d.setBreadcrumbs()
	if event.Platform == "" {
		event.Platform = "other"
	}
	d.decideInApp()
}

// skipNull skips a null, and reports whether there was one.
func (d *decoder) skipNull() bool {
	if d.json.peekByte() != 'n' {
		return false
	}
	d.json.skipValue()
	return true
}

// requireObject reports whether an object comes next. Any other value is left out, and reported as a problem unless it is null.
func (d *decoder) requireObject() bool {
	if d.json.peekByte() == '{' {
		return true
	}
	if !d.skipNull() {
		d.dropValue("not an object")
	}
	return false
}

// readText reads a text. A number, boolean, object or array is read as its JSON, null as an empty text.
func (d *decoder) readText() core.Untrusted {
	switch d.json.peekByte() {
	case '"':
		return core.Untrusted(d.json.readString())
	case 'n':
		d.json.skipValue()
		return ""
	}
	return core.Untrusted(d.json.readRaw())
}

// readWord reads a short text, such as a name.
func (d *decoder) readWord() core.Untrusted {
	return core.Untrusted(strings.TrimSpace(string(d.readText())))
}

// admitMember counts one more member of the free-form parts. When there are too many it leaves the value out.
func (d *decoder) admitMember() bool {
	if d.countMember() {
		return true
	}
	d.json.skipValue()
	return false
}

func (d *decoder) countMember() bool {
	if d.memberCount++; d.memberCount == maxMembers+1 {
		d.addProblem("", "the event has more than 32768 values; the rest is left out")
	}
	return d.memberCount <= maxMembers
}
