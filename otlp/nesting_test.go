package otlp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"errand/otlp"
)

// Nesting that would exhaust the stack of a reader that follows it to the end: as many levels as fit into a request, and as many
// as one exception may have.
const (
	manyLevels = 3_500_000
	leafLevels = 150_000
)

// nestings are openings and closings of nested values.
var nestings = map[string][2]string{
	"objects": {`{"":`, `}`}, "lists": {`[`, `]`}, "both": {`[{"":`, `}]`},
	"values": {`{"arrayValue":{"values":[`, `]}}`}, "attributes": {`{"kvlistValue":{"values":[{"key":"k","value":`, `}]}}`},
}

func nestText(levels int, nesting [2]string) string {
	if nesting != nestings["objects"] { // the others need no more to be told apart from what is bounded
		levels = min(levels, 1<<20/len(nesting[0]+nesting[1]))
	}
	return strings.Repeat(nesting[0], levels) + "0" + strings.Repeat(nesting[1], levels)
}

// TestDeepNestingInJSON: values nested too deep, at any place of a request, are left out, and the exception is still found.
func TestDeepNestingInJSON(t *testing.T) { // not parallel: it takes memory
	for name, nesting := range nestings {
		deep, leaf := nestText(manyLevels, nesting), nestText(leafLevels, nesting)
		for place, span := range map[string]string{
			"status": `"status":` + deep, "attributes": `"attributes":` + leaf,
			"attribute": `"attributes":[{"key":"a","value":` + deep + `}]`,
			"links":     `"links":` + leaf, "unknown": `"unknown":` + deep, "name": `"name":` + leaf, "id": `"spanId":` + leaf,
			"small status": `"status":` + leaf, "small attribute": `"attributes":[{"key":"a","value":` + leaf + `}]`,
		} {
			body := `{"resourceSpans":[{"scopeSpans":[{"spans":[{` + span + `,"traceId":"01","events":[{"name":"exception","attributes":[
				{"key":"exception.message","value":{"stringValue":"boom"}}]}]}]}]}]}`
			batch, err := otlp.ReadRequest([]byte(body), otlp.JSON, otlp.Traces)
			require.NoError(t, err)

			require.Equal(t, 1, batch.Len(), "%s in the %s", name, place)
			require.EqualValues(t, "boom", decodeAll(t, batch)[0].Exceptions[0].Value)
		}
		requireReadable(t, `{"resourceSpans":[{"resource":`+deep+`,"scopeSpans":[{"scope":`+deep+`,"spans":`+deep+`}]}]}`, otlp.Traces)
		requireReadable(t, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"events":`+deep+`}]}]}]}`, otlp.Traces)
		requireReadable(t, `{"resourceSpans":`+deep+`}`, otlp.Traces)
		requireReadable(t, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"events":[{"name":"exception","attributes":[
			{"key":"exception.message","value":`+leaf+`},{"key":"exception.type","value":{"stringValue":"E"}}]}]}]}]}]}`, otlp.Traces)
		requireReadable(t, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":`+leaf+`,"attributes":[
			{"key":"exception.message","value":{"stringValue":"boom"}},{"key":"more","value":`+leaf+`}]}]}]}]}`, otlp.Logs)
	}
}

// requireReadable reads a request, valid or not.
func requireReadable(t *testing.T, body string, s otlp.Signal) {
	t.Helper()
	batch, err := otlp.ReadRequest([]byte(body), otlp.JSON, s)
	require.NoError(t, err)
	decodeAll(t, batch)
}

// nestWire nests an empty message in fields of protobuf. The path of fields is from the outside to the inside, and is repeated.
func nestWire(levels int, path ...protowire.Number) []byte {
	var reversed []byte
	for n := range levels {
		number := path[len(path)-1-n%len(path)]
		head := protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.BytesType), uint64(len(reversed)))
		slices.Reverse(head)
		reversed = append(reversed, head...)
	}
	slices.Reverse(reversed)
	return reversed
}

func wireField(number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
}

// TestDeepNestingInProtobuf nests values, and groups, which OTLP does not have.
func TestDeepNestingInProtobuf(t *testing.T) { // not parallel: it takes memory
	message := append(wireField(1, []byte("exception.message")), wireField(2, wireField(1, []byte("boom")))...)
	event := append(wireField(2, []byte("exception")), wireField(3, message)...)
	bodyOf := func(span, event []byte) []byte {
		return wireField(1, wireField(2, wireField(2, append(slices.Clone(span), wireField(11, event)...))))
	}
	for name, nesting := range map[string][]protowire.Number{
		"lists": {5, 1}, "maps": {6, 1, 2}, // of an AnyValue
	} {
		const most = 18 << 20 / 6
		value, leaf := nestWire(most/6*6, nesting...), nestWire(leafLevels/6*6, nesting...)
		attribute := func(value []byte) []byte { return append(wireField(1, []byte("deep")), wireField(2, value)...) }
		for _, body := range [][]byte{
			bodyOf(wireField(9, attribute(value)), event), bodyOf(wireField(9, attribute(leaf)), event),
			bodyOf(wireField(15, value), event),
			bodyOf(nil, append(slices.Clone(event), wireField(3, attribute(leaf))...)),
		} {
			batch, err := otlp.ReadRequest(body, otlp.Protobuf, otlp.Traces)
			require.NoError(t, err)

			require.Equal(t, 1, batch.Len(), name)
			require.EqualValues(t, "boom", decodeAll(t, batch)[0].Exceptions[0].Value)
		}
	}
	groups := slices.Repeat(protowire.AppendTag(nil, 2, protowire.StartGroupType), 10<<20)
	_, err := otlp.ReadRequest(groups, otlp.Protobuf, otlp.Traces)

	require.Error(t, err)

	batch, err := otlp.ReadRequest(bodyOf(wireField(15, groups), event), otlp.Protobuf, otlp.Traces)
	require.NoError(t, err)

	require.EqualValues(t, "boom", decodeAll(t, batch)[0].Exceptions[0].Value)
}
