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

// Bounds of the values that many exceptions share, in bytes: each event has a copy, so one attribute may cost a thousand times
// its size.
const (
	maxShared      = 64 << 10 // of one message; a larger one loses its attributes
	keptShared     = 16 << 10 // of its attributes in one event
	maxSharedName  = 1 << 10  // of the name of a service, a scope or a span
	maxSharedInAll = 4 << 20  // of the copies in all events of one request, and of the spans that are decoded repeatedly
)

// attributes are the attributes of a message, in order. Taking one removes it; the remaining ones have no other place.
type attributes struct {
	list []core.Member
	size int // in bytes
	lost int // attributes beyond the bounds
}

// attributesOf reads the attributes that fit into room bytes together.
func attributesOf(list []*commonpb.KeyValue, room int) attributes {
	var readAttributes attributes
	for _, pair := range list {
		if value := valueOf(pair.GetValue(), 0); pair.GetKey() != "" && value.Kind != core.Null {
			readAttributes.addMember(core.Member{Key: pair.GetKey(), Value: value}, room)
		}
	}
	return readAttributes
}

// addMember adds an attribute unless the total would exceed room.
func (a *attributes) addMember(member core.Member, room int) {
	const besides = 16 // the size of an attribute besides its name and value
	size := len(member.Key) + sizeOf(member.Value) + besides
	if a.size+size > room {
		a.lost++
		return
	}
	a.size += size
	a.list = append(a.list, member)
}

// copyUpTo copies the attributes that fit into room bytes. Taking one would change the shared list.
func (a *attributes) copyUpTo(room int) attributes {
	if a.size <= room {
		return attributes{slices.Clone(a.list), a.size, a.lost}
	}
	part := attributes{lost: a.lost}
	for _, m := range a.list {
		part.addMember(m, room)
	}
	return part
}

// takeValue removes the attributes with these names and returns the value of the first name that has one.
func (a *attributes) takeValue(names ...string) core.Value {
	best, at := core.Value{}, len(names)
	kept := a.list[:0]
	for _, member := range a.list {
		i := slices.Index(names, member.Key)
		if i < 0 {
			kept = append(kept, member)
		} else if i < at {
			best, at = member.Value, i
		}
	}
	a.list = kept
	return best
}

// takeText is takeValue for an attribute that is a text.
func (a *attributes) takeText(names ...string) string { return textOf(a.takeValue(names...)) }

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

// maxDepth is one more than the depth that an event's values may have, so that the event's decoder reports the cut.
const maxDepth = 65

// valueOf converts an OpenTelemetry value to JSON.
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

// numberOf writes a number; one that JSON cannot write, such as NaN, is a text.
func numberOf(n float64) core.Value {
	text := strconv.FormatFloat(n, 'g', -1, 64)
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return core.StringValue(text)
	}
	return core.Value{Kind: core.Number, Text: text}
}

// textOf returns a value as text: a text as it is, anything else as JSON, null as an empty text.
func textOf(value core.Value) string {
	switch value.Kind {
	case core.Null:
		return ""
	case core.String, core.Number, core.Bool:
		return value.Text
	}
	return string(value.AppendJSON(nil))
}

// cutText cuts a text to a number of bytes, at the end of a character.
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
	value := core.Value{Kind: core.Object}
	for _, m := range members {
		if !m.Value.IsEmpty() && (m.Value.Kind != core.String || m.Value.Text != "") {
			value.Kids = append(value.Kids, m)
		}
	}
	return value
}

func makeObjectOf(members []core.Member) core.Value {
	return core.Value{Kind: core.Object, Kids: members}
}

func makeMember(key string, value core.Value) core.Member { return core.Member{Key: key, Value: value} }

func makeTextMember(key, text string) core.Member { return makeMember(key, core.StringValue(text)) }
