package otlp

import (
	"errors"
	"slices"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// Encoding is how a request and its answer are written.
type Encoding int

// The encodings of OTLP/HTTP.
const (
	Protobuf Encoding = iota
	JSON
)

func (e Encoding) chooseForm() form {
	if e == JSON {
		return jsonForm{}
	}
	return wireForm{}
}

// messageField is a field of a message: its number in protobuf and its name in JSON.
type messageField struct {
	number protowire.Number
	name   string
}

// form reads messages of one encoding. A message is passed as its text.
type form interface {
	// openRequest returns the text of the whole request.
	openRequest(body []byte) (string, error)
	// eachMessage calls visit with each message in a field.
	eachMessage(raw string, of messageField, visit func(message string) error) error
	// readText returns the string in a field, empty without one.
	readText(raw string, of messageField) (string, error)
	// readSpanIDs returns the ids of a span.
	readSpanIDs(raw string) spanIDs
	// pickFields copies only some fields of a message.
	pickFields(raw string, fields []messageField) string
	// decodeMessage reads a message; a span must come from outlineSpan. It returns how many values were beyond the bounds.
	decodeMessage(raw string, into proto.Message) (lost int, err error)
}

// wireForm is protobuf.
type wireForm struct{}

var errWire = errors.New("the body is not valid protobuf of an OTLP export request")

func (wireForm) openRequest(body []byte) (string, error) { return string(body), nil }

func (wireForm) eachMessage(raw string, of messageField, visit func(string) error) error {
	return eachField(raw, func(number protowire.Number, kind protowire.Type, value string) error {
		if number == of.number && kind == protowire.BytesType {
			return visit(value)
		}
		return nil
	})
}

func (f wireForm) readText(raw string, of messageField) (string, error) {
	return lastMessage(f, raw, of)
}

func (wireForm) decodeMessage(raw string, into proto.Message) (lost int, err error) {
	p := newPruner()
	pruned := p.pruneWire(nil, raw, into.ProtoReflect().Descriptor(), 0)
	return p.lost, proto.Unmarshal(pruned, into)
}

func (wireForm) readSpanIDs(raw string) (ids spanIDs) {
	_ = eachField(raw, func(number protowire.Number, _ protowire.Type, value string) error {
		switch number {
		case 1:
			ids.trace = idOf([]byte(value))
		case 2:
			ids.id = idOf([]byte(value))
		case 4:
			ids.parent = idOf([]byte(value))
		case 6:
			kind, _ := readVarint(value)
			ids.isServing = tracepb.Span_SpanKind(kind) == tracepb.Span_SPAN_KIND_SERVER
		}
		return nil
	})
	return ids
}

// eachField calls visit with each field of a message. The value is the text after the tag; in a length-delimited field, without
// the length.
func eachField(raw string, visit func(protowire.Number, protowire.Type, string) error) error {
	for raw != "" {
		tag, skipped := readVarint(raw)
		number, kind := protowire.DecodeTag(tag)
		if skipped == 0 || number < protowire.MinValidNumber {
			return errWire
		}
		raw = raw[skipped:]
		skipped, size := 0, 0
		switch kind {
		case protowire.VarintType:
			_, size = readVarint(raw)
		case protowire.Fixed32Type:
			size = 4
		case protowire.Fixed64Type:
			size = 8
		case protowire.BytesType:
			var length uint64
			length, skipped = readVarint(raw)
			if length <= uint64(len(raw)) {
				size = skipped + int(length)
			}
		}
		if size == 0 || size > len(raw) { // also for groups, which OTLP does not have
			return errWire
		}
		if err := visit(number, kind, raw[skipped:size]); err != nil {
			return err
		}
		raw = raw[size:]
	}
	return nil
}

// readVarint reads a protobuf number and returns how many bytes it takes, 0 without a number. Protobuf's own function needs
// bytes, which would be a copy each time.
func readVarint(raw string) (n uint64, size int) {
	for i := range min(len(raw), 10) {
		n |= uint64(raw[i]&0x7f) << (7 * i)
		if raw[i] < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}

func (wireForm) pickFields(raw string, fields []messageField) string {
	var buf []byte
	_ = eachField(raw, func(number protowire.Number, kind protowire.Type, value string) error {
		if slices.ContainsFunc(fields, func(of messageField) bool { return of.number == number }) {
			buf = appendField(buf, number, kind, value)
		}
		return nil
	})
	return string(buf)
}
