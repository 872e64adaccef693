package otlp

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"errand/core"
)

// Bounds of what many exceptions share, in bytes: each event has a copy, so one attribute may cost a thousand times its size.
const (
	maxShared      = 64 << 10 // of one message; what is larger loses its attributes
	keptShared     = 16 << 10 // of its attributes that one event has
	maxSharedName  = 1 << 10  // of the name of a service, a scope or a span
	maxSharedInAll = 4 << 20  // of the copies in all events of one request, and of the spans that are decoded again and again
)

// attributes are those of a message, in order. Taking one removes it, so that what is left has found no better place.
type attributes struct {
	list []core.Member
	size int // in bytes
	lost int // attributes that were too many or too large
}

// attributesOf reads attributes of at most so many bytes together.
func attributesOf(list []*commonpb.KeyValue, room int) attributes {
	var a attributes
	for _, pair := range list {
		if value := valueOf(pair.GetValue(), 0); pair.GetKey() != "" && value.Kind != core.Null {
			a.add(core.Member{Key: pair.GetKey(), Value: value}, room)
		}
	}
	return a
}

// add adds an attribute unless it makes all of them larger than room.
func (a *attributes) add(m core.Member, room int) {
	const besides = 16 // what an attribute takes besides its name and value
	size := len(m.Key) + sizeOf(m.Value) + besides
	if a.size+size > room {
		a.lost++
		return
	}
	a.size += size
	a.list = append(a.list, m)
}

// copyUpTo copies the attributes that have room, as taking one changes the list.
func (a *attributes) copyUpTo(room int) attributes {
	if a.size <= room {
		return attributes{slices.Clone(a.list), a.size, a.lost}
	}
	part := attributes{lost: a.lost}
	for _, m := range a.list {
		part.add(m, room)
	}
	return part
}

// take removes the attributes with these names and returns the value of the first name that has one.
func (a *attributes) take(names ...string) core.Value {
	best, at := core.Value{}, len(names)
	kept := a.list[:0]
	for _, m := range a.list {
		i := slices.Index(names, m.Key)
		if i < 0 {
			kept = append(kept, m)
		} else if i < at {
			best, at = m.Value, i
		}
	}
	a.list = kept
	return best
}

// takeText is take for an attribute that is a text.
func (a *attributes) takeText(names ...string) string { return textOf(a.take(names...)) }

// takeAll removes the attributes whose name has the prefix, and returns them without it.
func (a *attributes) takeAll(prefix string) (taken []core.Member) {
	kept := a.list[:0]
	for _, m := range a.list {
		if name, ok := strings.CutPrefix(m.Key, prefix); ok && name != "" {
			taken = append(taken, core.Member{Key: name, Value: m.Value})
		} else {
			kept = append(kept, m)
		}
	}
	a.list = kept
	return taken
}

// maxDepth is one more than how deep values of an event may lie in each other, so that its decoder says what was cut.
const maxDepth = 65

// valueOf makes a JSON value of one of OpenTelemetry.
func valueOf(v *commonpb.AnyValue, depth int) core.Value {
	if depth > maxDepth {
		return core.Value{}
	}
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return core.StringValue(v.StringValue)
	case *commonpb.AnyValue_BoolValue:
		return core.Value{Kind: core.Bool, Text: strconv.FormatBool(v.BoolValue)}
	case *commonpb.AnyValue_IntValue:
		return core.Value{Kind: core.Number, Text: strconv.FormatInt(v.IntValue, 10)}
	case *commonpb.AnyValue_DoubleValue:
		return numberOf(v.DoubleValue)
	case *commonpb.AnyValue_BytesValue:
		return core.StringValue(base64.StdEncoding.EncodeToString(v.BytesValue))
	case *commonpb.AnyValue_ArrayValue:
		list := core.Value{Kind: core.Array}
		for _, element := range v.ArrayValue.GetValues() {
			list.Kids = append(list.Kids, core.Member{Value: valueOf(element, depth+1)})
		}
		return list
	case *commonpb.AnyValue_KvlistValue:
		object := core.Value{Kind: core.Object}
		for _, pair := range v.KvlistValue.GetValues() {
			object.Kids = append(object.Kids, core.Member{Key: pair.GetKey(), Value: valueOf(pair.GetValue(), depth+1)})
		}
		return object
	}
	return core.Value{}
}

// numberOf writes a number; what JSON has no number for is a text.
func numberOf(n float64) core.Value {
	text := strconv.FormatFloat(n, 'g', -1, 64)
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return core.StringValue(text)
	}
	return core.Value{Kind: core.Number, Text: text}
}

// textOf returns a value as text: a text as it is, anything else as JSON, null as nothing.
func textOf(v core.Value) string {
	switch v.Kind {
	case core.Null:
		return ""
	case core.String, core.Number, core.Bool:
		return v.Text
	}
	return string(v.AppendJSON(nil))
}

// cutText cuts a text that is longer than so many bytes, not within a character.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// sizeOf returns about how many bytes a value takes.
func sizeOf(v core.Value) int {
	size := len(v.Text) + 2
	for i := range v.Kids {
		size += len(v.Kids[i].Key) + sizeOf(v.Kids[i].Value)
	}
	return size
}

// makeObject makes an object of the members that have a value.
func makeObject(members ...core.Member) core.Value {
	v := core.Value{Kind: core.Object}
	for _, m := range members {
		if !m.Value.IsEmpty() && (m.Value.Kind != core.String || m.Value.Text != "") {
			v.Kids = append(v.Kids, m)
		}
	}
	return v
}

func makeObjectOf(members []core.Member) core.Value {
	return core.Value{Kind: core.Object, Kids: members}
}

func makeMember(key string, value core.Value) core.Member { return core.Member{Key: key, Value: value} }

func makeTextMember(key, text string) core.Member { return makeMember(key, core.StringValue(text)) }
