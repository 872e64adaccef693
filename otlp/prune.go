package otlp

import (
	"errors"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"errand/core"
	"errand/envelope"
)

// pruner copies the text of a message without what is too much of it: as a message, an empty value takes fifty times its text.
// Attributes are counted apart from the values in them, so that one with a list of ten thousand does not cost the exception
// that comes behind it.
type pruner struct {
	attributes, direct, values int // that may still be kept
	lost                       int
}

// How much is kept of one message. SDKs keep 128 attributes.
const (
	maxAttributes = 1000
	maxValues     = 1000
	maxMembers    = 16  // of one object in JSON; OTLP has none with more
	maxLevels     = 200 // of messages in each other, which are three for each level of values
	maxNesting    = 270 // of objects and lists in each other in JSON, which are four for each level of values
)

func newPruner() *pruner {
	return &pruner{attributes: maxAttributes, direct: 2 * maxAttributes, values: maxValues}
}

// spend takes one from what is left, and counts what is too much.
func (p *pruner) spend(left *int) bool {
	if *left == 0 {
		p.lost++
		return false
	}
	*left--
	return true
}

// keeps reports whether a message in a field is kept. The value of an attribute is not counted with the values in it.
func (p *pruner) keeps(level int, of protoreflect.FieldDescriptor) bool {
	switch {
	case level == 0:
		return p.spend(&p.attributes)
	case level == 1 && !of.IsList():
		return p.spend(&p.direct)
	}
	return level < maxLevels && p.spend(&p.values)
}

// wire appends a message of protobuf to b, with valid UTF-8 in its strings, without which protobuf refuses to read it.
func (p *pruner) wire(b []byte, raw string, d protoreflect.MessageDescriptor, level int) []byte {
	_ = eachField(raw, func(number protowire.Number, kind protowire.Type, value string) error {
		of := d.Fields().ByNumber(number)
		switch {
		case of == nil:
		case kind == protowire.BytesType && of.Kind() == protoreflect.StringKind:
			b = appendField(b, number, kind, strings.ToValidUTF8(value, "\ufffd"))
		case kind == protowire.BytesType && of.Kind() == protoreflect.MessageKind:
			switch {
			case p.keeps(level, of):
				b = protowire.AppendTag(b, number, kind)
				start := len(b)
				b = p.wire(append(b, make([]byte, lengthSize)...), value, of.Message(), level+1)
				putLength(b[start:], len(b)-start-lengthSize)
			case level > 0:
				return errEnough
			}
		default:
			b = appendField(b, number, kind, value)
		}
		return nil
	})
	return b
}

// errEnough ends the walk over a value of which no more is kept. A message itself is read to its end: its id may come last.
var errEnough = errors.New("otlp: too many values")

// lengthSize is how many bytes a length takes that is written once it is known.
const lengthSize = 5

func putLength(b []byte, n int) {
	for i := range lengthSize {
		b[i] = byte(n)&0x7f | 0x80
		n >>= 7
	}
	b[lengthSize-1] &= 0x7f
}

func appendField(b []byte, number protowire.Number, kind protowire.Type, value string) []byte {
	b = protowire.AppendTag(b, number, kind)
	if kind == protowire.BytesType {
		b = protowire.AppendVarint(b, uint64(len(value)))
	}
	return append(b, value...)
}

// json appends some members of an object to b, each once.
func (p *pruner) json(b []byte, raw string, names []string) []byte {
	b = append(b, '{')
	seen := map[string]bool{}
	r := envelope.NewRawReader(raw)
	r.VisitMembers(func(name string) {
		if !seen[name] && slices.Contains(names, name) {
			seen[name] = true
			b = p.value(appendName(b, name), r, 0)
		}
	})
	return append(b, '}')
}

// value appends the value that comes next. The elements of the outermost list are attributes. What lies too deep is left out:
// each level takes a part of the stack.
func (p *pruner) value(b []byte, r *envelope.Reader, level int) []byte {
	switch {
	case r.IsObject():
		b = append(b, '{')
		left := maxMembers
		r.VisitMembers(func(name string) {
			if p.spend(&left) && p.enters(level) {
				b = p.value(appendName(b, name), r, level+1)
			}
		})
		return append(b, '}')
	case r.IsArray():
		b = append(b, '[')
		r.VisitElements(func() {
			left := &p.values
			if level == 0 {
				left = &p.attributes
			}
			if p.spend(left) && p.enters(level) {
				b = p.value(appendComma(b, '['), r, level+1)
			}
		})
		return append(b, ']')
	}
	return append(b, r.ReadRaw()...)
}

// enters reports whether what lies in a value of this level is kept.
func (p *pruner) enters(level int) bool {
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
