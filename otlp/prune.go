package otlp

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"errand/core"
	"errand/envelope"
)

// pruner copies the text of a message without the values beyond the bounds: as a message, an empty value takes fifty times its
// text. Attributes are counted apart from the values in them, so that one with a list of ten thousand does not cost the exception
// after it.
type pruner struct {
	attributes, direct, values int // that may still be kept
	lost                       int
}

// The bounds of one message. SDKs keep 128 attributes.
const (
	maxAttributes = 1000
	maxValues     = 1000
	maxMembers    = 16  // of one object in JSON; the objects of OTLP have fewer
	maxLevels     = 200 // of nested messages; a level of values has three
	maxNesting    = 270 // of nested objects and lists in JSON; a level of values has four
)

func newPruner() *pruner {
	return &pruner{attributes: maxAttributes, direct: 2 * maxAttributes, values: maxValues}
}

// takeOne takes one from the remaining number, and counts a value beyond the bound.
func (p *pruner) takeOne(left *int) bool {
	if *left == 0 {
		p.lost++
		return false
	}
	*left--
	return true
}

// keepsField reports whether a message in a field is kept. The value of an attribute does not count among the values in it.
func (p *pruner) keepsField(level int, of protoreflect.FieldDescriptor) bool {
	switch {
	case level == 0:
		return p.takeOne(&p.attributes)
	case level == 1 && !of.IsList():
		return p.takeOne(&p.direct)
	}
	return level < maxLevels && p.takeOne(&p.values)
}

// pruneWire appends a protobuf message to buf. It makes strings valid UTF-8, because protobuf refuses others.
func (p *pruner) pruneWire(buf []byte, raw string, d protoreflect.MessageDescriptor, level int) []byte {
	_ = eachField(raw, func(number protowire.Number, kind protowire.Type, value string) error {
		of := d.Fields().ByNumber(number)
		switch {
		case of == nil:
		case kind == protowire.BytesType && of.Kind() == protoreflect.StringKind:
			buf = appendField(buf, number, kind, strings.ToValidUTF8(value, "\ufffd"))
		case kind == protowire.BytesType && of.Kind() == protoreflect.MessageKind:
			switch {
			case p.keepsField(level, of):
				buf = protowire.AppendTag(buf, number, kind)
				start := len(buf)
				buf = p.pruneWire(append(buf, make([]byte, lengthSize)...), value, of.Message(), level+1)
				putLength(buf[start:], len(buf)-start-lengthSize)
			case level > 0:
				return errEnough
			}
		default:
			buf = appendField(buf, number, kind, value)
		}
		return nil
	})
	return buf
}

// errEnough ends the walk over a value when the rest of it is not kept. A message itself is read to its end: its id may come
// last.
var errEnough = errors.New("otlp: too many values")

// lengthSize is how many bytes are left free for a length that is known later.
const lengthSize = 5

func putLength(buf []byte, n int) {
	for i := range lengthSize {
		buf[i] = byte(n)&0x7f | 0x80
		n >>= 7
	}
	buf[lengthSize-1] &= 0x7f
}

func appendField(buf []byte, number protowire.Number, kind protowire.Type, value string) []byte {
	buf = protowire.AppendTag(buf, number, kind)
	if kind == protowire.BytesType {
		buf = protowire.AppendVarint(buf, uint64(len(value)))
	}
	return append(buf, value...)
}

// pruneJSON appends the named members of an object to buf, each once.
func (p *pruner) pruneJSON(buf []byte, raw string, names []string) []byte {
	buf = append(buf, '{')
	seen := map[string]bool{}
	r := envelope.NewRawReader(raw)
	r.VisitMembers(func(name string) {
		if !seen[name] && slices.Contains(names, name) {
			seen[name] = true
			buf = p.pruneValue(appendName(buf, name), r, 0)
		}
	})
	return append(buf, '}')
}

// pruneValue appends the next value. The elements of the outermost list are attributes. Values nested too deep are left out,
// because each level takes a part of the stack.
func (p *pruner) pruneValue(buf []byte, reader *envelope.Reader, level int) []byte {
	switch {
	case reader.IsObject():
		buf = append(buf, '{')
		left := maxMembers
		reader.VisitMembers(func(name string) {
			if p.takeOne(&left) && p.entersLevel(level) {
				buf = p.pruneValue(appendName(buf, name), reader, level+1)
			}
		})
		return append(buf, '}')
	case reader.IsArray():
		buf = append(buf, '[')
		reader.VisitElements(func() {
			left := &p.values
			if level == 0 {
				left = &p.attributes
			}
			if p.takeOne(left) && p.entersLevel(level) {
				buf = p.pruneValue(appendComma(buf, '['), reader, level+1)
			}
		})
		return append(buf, ']')
	}
	raw := reader.ReadRaw()
	if strings.HasPrefix(raw, `"`) && strings.ContainsFunc(raw, mayBeRefused) {
		return core.StringValue(envelope.NewRawReader(raw).ReadText()).AppendJSON(buf)
	}
	return append(buf, raw...)
}

// mayBeRefused reports whether a character of a JSON string may be one that protobuf refuses: a half of a pair that JavaScript cut,
// invalid UTF-8, a control character. Reading and writing the string again replaces them.
func mayBeRefused(r rune) bool { return r == '\\' || r < ' ' || r == utf8.RuneError }

// entersLevel reports whether the values inside a value of this level are kept.
func (p *pruner) entersLevel(level int) bool {
	if level >= maxNesting {
		p.lost++
		return false
	}
	return true
}

func appendName(b []byte, name string) []byte {
	return append(core.StringValue(name).AppendJSON(appendComma(b, '{')), ':')
}

// appendComma appends a comma unless b ends with the bracket that opened the list.
func appendComma(b []byte, open byte) []byte {
	if b[len(b)-1] == open {
		return b
	}
	return append(b, ',')
}
