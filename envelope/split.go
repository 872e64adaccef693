package envelope

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"errand/core"
)

// maxItems is how many items of one envelope are read.
const maxItems = 1000

// Envelope is the body of a request to the envelope endpoint, in parts.
type Envelope struct {
	Header Header
	Items  []Item
	// Problems names the malformed items that could not be read, by their index: items.0. They never affect their neighbours.
	Problems []core.Problem
}

// Header is the first line of an envelope. All of it is optional.
type Header struct {
	EventID string // 32 hexadecimal digits, or "" when it has none or an invalid one
	DSN     string // credentials, for requests without others, such as those through a tunnel
	SDK     string // "name/version", empty without a name
}

// Item is one item of an envelope.
type Item struct {
	Type    string
	Kind    ItemKind
	Payload []byte // a part of the body, not a copy
}

// SplitEnvelope splits an envelope: a line with its header, then for each item a line with the item's header and the payload. It
// is an error when the first line is not a JSON object; the text may be sent to the client.
func SplitEnvelope(body []byte) (Envelope, error) {
	line, rest := cutLine(body)
	var env Envelope
	var err error
	if env.Header, err = parseHeader(line); err != nil {
		return Envelope{}, err
	}
	s := splitter{rest: rest}
	s.splitItems()
	env.Items, env.Problems = s.found, s.problems
	return env, nil
}

func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte{'\n'})
	return line, rest
}

func parseHeader(line []byte) (Header, error) {
	json := scanner{text: cleanPayload(line)}
	switch json.peekByte() {
	case '{':
	case 0:
		return Header{}, errors.New("the envelope has no header line")
	default:
		return Header{}, errors.New("the envelope's header is not a JSON object")
	}
	var header Header
	for m := json.enterObject(); m.nextMember(); {
		switch m.key {
		case "event_id":
			header.EventID, _ = parseEventID(json.readStringOr(""))
		case "dsn":
			header.DSN = json.readStringOr("")
		case "sdk":
			header.SDK = json.readHeaderSDK()
		default:
			json.skipValue()
		}
	}
	if json.err == nil && !json.isAtEnd() {
		json.failWith("more text behind the header")
	}
	if json.err != nil {
		return Header{}, fmt.Errorf("the envelope's header is %w", json.err)
	}
	return header, nil
}

// readStringOr reads a string; any other value is skipped.
func (s *scanner) readStringOr(otherwise string) string {
	if s.peekByte() == '"' {
		return s.readString()
	}
	s.skipValue()
	return otherwise
}

func (s *scanner) readHeaderSDK() string {
	if s.peekByte() != '{' {
		s.skipValue()
		return ""
	}
	var name, version string
	for m := s.enterObject(); m.nextMember(); {
		switch m.key {
		case "name":
			name = s.readStringOr("")
		case "version":
			version = s.readStringOr("")
		default:
			s.skipValue()
		}
	}
	if name == "" {
		return ""
	}
	return name + "/" + version
}

// splitter walks over the items.
type splitter struct {
	rest     []byte
	count    int // items so far
	found    []Item
	problems []core.Problem
}

func (s *splitter) splitItems() {
	for {
		s.rest = bytes.TrimLeft(s.rest, "\r\n")
		if len(s.rest) == 0 {
			return
		}
		if s.count == maxItems {
			s.addProblem("the envelope has more than " + strconv.Itoa(maxItems) + " items; the rest is left out")
			return
		}
		line, rest := cutLine(s.rest)
		s.rest = rest
		h, err := parseItemHeader(line)
		if err == nil {
			err = s.takeItem(h)
		}
		if err != nil {
			s.addProblem(err.Error())
			s.findNextHeader()
		}
		s.count++
	}
}

// takeItem takes the payload of an item. An error means that its end is unknown.
func (s *splitter) takeItem(header itemHeader) error {
	var payload []byte
	switch {
	case header.length < 0:
		payload, s.rest = cutLine(s.rest)
	case header.length > len(s.rest):
		return fmt.Errorf("the item's length of %d is beyond the end of the envelope", header.length)
	case header.length > 0 && header.length < len(s.rest) && s.rest[header.length] != '\n' && s.rest[header.length] != '\r':
		// Some clients count characters, not bytes.
		end, rest := cutLine(s.rest[header.length:])
		payload, s.rest = s.rest[:header.length+len(end)], rest
		s.addProblem(fmt.Sprintf("the item's length of %d ends inside a line; all of the line was taken", header.length))
	default:
		payload, s.rest = s.rest[:header.length], s.rest[header.length:]
	}
	if header.itemType == "" {
		s.addProblem("the item's header has no type")
		return nil
	}
	s.found = append(s.found, Item{Type: header.itemType, Kind: KindOf(header.itemType), Payload: payload})
	return nil
}

// findNextHeader moves to the next line that is the header of an item. Payloads are JSON too, so a header line must have only the
// members of item headers.
func (s *splitter) findNextHeader() {
	for len(s.rest) > 0 {
		line, rest := cutLine(s.rest)
		if h, err := parseItemHeader(line); err == nil && h.canResync() {
			return
		}
		s.rest = rest
	}
}

func (s *splitter) addProblem(reason string) {
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, core.Problem{Path: "items." + strconv.Itoa(s.count), Reason: reason})
	}
}

// itemHeader is the line before an item's payload.
type itemHeader struct {
	itemType string
	length   int  // -1 when the payload goes to the end of the line
	isPlain  bool // all its members are members of item headers
}

// canResync reports whether the line counts as a header even after a malformed item.
func (h itemHeader) canResync() bool { return h.isPlain && KindOf(h.itemType) != Unknown }

func parseItemHeader(line []byte) (itemHeader, error) {
	header := itemHeader{length: -1, isPlain: true}
	json := scanner{text: cleanPayload(line)}
	if json.peekByte() != '{' {
		return header, errors.New("the item's header is not a JSON object")
	}
	var length string
	for m := json.enterObject(); m.nextMember(); {
		switch m.key {
		case "type":
			header.itemType = strings.TrimSpace(json.readStringOr(""))
		case "length":
			length = json.readRaw()
		case "content_type", "filename", "attachment_type", "item_count", "platform", "meta", "sample_rates", "routing_key":
			json.skipValue()
		default:
			header.isPlain = false
			json.skipValue()
		}
	}
	if json.err == nil && !json.isAtEnd() {
		json.failWith("more text behind it")
	}
	if json.err != nil {
		return header, fmt.Errorf("the item's header is %w", json.err)
	}
	if length != "" && length != "null" {
		n, err := strconv.ParseUint(length, 10, 31)
		if err != nil {
			return header, errors.New("the item's length is not a whole number of bytes")
		}
		header.length = int(n)
	}
	return header, nil
}
