package envelope_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"errand/core"
	"errand/envelope"

	"github.com/stretchr/testify/require"
)

func TestDecodeText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"escapes", `"\" \\ \/ \b\f\n\r\t \u00e9 \ud83d\ude00"`, "\" \\ / \b\f\n\r\t é 😀"},
		{"NUL is left out", `"a\u0000b"`, "ab"},
		{"raw NUL is left out", "\"a\x00b\"", "ab"},
		{"half of a pair", `"\ud83d x \ude00 \ud83d\u0041"`, "\ufffd x \ufffd \ufffdA"},
		{"unknown escapes stay", `"C:\dir\x41 \u12 \é"`, `C:\dir\x41 \u12 \é`},
		{"not UTF-8", "\"a\xff\xfeb\xc3\"", "a\ufffdb\ufffd"},
		{"raw control characters", "\"a\nb\tc\"", "a\nb\tc"},
		{"long", `"` + strings.Repeat("x", 100) + `\n"`, strings.Repeat("x", 100) + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := decodeEvent(t, `{"message":`+tt.text+`}`)
			require.Equal(t, tt.want, string(e.Message))
		})
	}
}

// TestDecodeKeepsNothing shows that an event keeps nothing of the payload's buffer.
func TestDecodeKeepsNothing(t *testing.T) {
	t.Parallel()
	wire := []byte(readPayload(t, "node"))
	event, err := new(envelope.Decoder).Decode(wire, envelope.Hints{ReceivedAt: receivedAt})
	require.NoError(t, err)
	before := string(event.AppendJSON(nil))
	for i := range wire {
		wire[i] = 'x'
	}
	require.Equal(t, before, string(event.AppendJSON(nil)))
}

// TestDecodeKeepsTheEnds shows the kept part of too many breadcrumbs, frames and exceptions, and its order.
func TestDecodeKeepsTheEnds(t *testing.T) {
	t.Parallel()
	numbered := func(form string, n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(form, i+1)
		}
		return strings.Join(list, ",")
	}
	event := decodeEvent(t, `{"breadcrumbs":[`+numbered(`{"message":"%d"}`, 257)+`],"exception":[`+numbered(`{"type":"%d"}`, 64)+
		`],"threads":[{"stacktrace":{"frames":[`+numbered(`{"lineno":%d}`, 333)+`]}}]}`)

	require.Len(t, event.Breadcrumbs, 100)
	for i, b := range event.Breadcrumbs {
		require.Equal(t, strconv.Itoa(158+i), string(b.Message))
	}
	require.Len(t, event.Exceptions, 50)
	for i, exception := range event.Exceptions { // the first ones are the causes
		want := 64 - i
		if i >= 25 {
			want = 50 - i
		}

		require.Equal(t, strconv.Itoa(want), string(exception.Type))
	}
	require.Len(t, event.Threads[0].Frames, 250)
	for i, f := range event.Threads[0].Frames {
		want := 333 - i
		if i >= 125 {
			want = 250 - i
		}

		require.EqualValues(t, want, f.Lineno)
	}
}

// TestDecoderIsUsedAgain shows that an event contains nothing of the decoder's earlier events.
func TestDecoderIsUsedAgain(t *testing.T) {
	t.Parallel()
	var decoder envelope.Decoder
	crumbs := strings.Repeat(`{"message":"a","data":{"b":1}},`, 250)
	giant := `{"breadcrumbs":[` + crumbs + `{}],"stacktrace":{"frames":[` + strings.Repeat(`{"function":"f","in_app":true},`, 300) +
		`{}]},"exception":[` + strings.Repeat(`{"type":"E","mechanism":{"handled":true}},`,
		70) + `{}],"extra":{"n":[` + strings.Repeat("7,", 5000) + `1]}}`
	for range 3 {
		for _, name := range sdkNames {
			for _, before := range []string{giant, `{"extra":{"a":[1,{"b":`, `{"breadcrumbs":[` + crumbs[:40]} {
				_, _ = decoder.Decode([]byte(before), envelope.Hints{ReceivedAt: receivedAt})
			}
			e, err := decoder.Decode([]byte(readPayload(t, name)), envelope.Hints{ReceivedAt: receivedAt})
			require.NoError(t, err)
			fresh, err := new(envelope.Decoder).Decode([]byte(readPayload(t, name)), envelope.Hints{ReceivedAt: receivedAt})
			require.NoError(t, err)

			require.Equal(t, fresh, e)
		}
	}
}

func TestDecodeNumbers(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]string{
		`0`: `0`, `-0.5`: `-0.5`, `1e10`: `1e10`, `12345678901234567890`: `12345678901234567890`,
		`1e999`: `"1e999"`, `-1E400`: `"-1E400"`, `007`: `"007"`, `1.`: `"1."`, `.5`: `".5"`, `+1`: `"+1"`, `1e`: `"1e"`, `-`: `"-"`,
		`1.2.3`: `"1.2.3"`, `NaN`: `"NaN"`, `-Infinity`: `"-Infinity"`,
		strings.Repeat("9", 65): `"` + strings.Repeat("9", 65) + `"`,
	} {
		t.Run(literal, func(t *testing.T) {
			e := decodeEvent(t, `{"extra":{"n":`+literal+`}}`)

			require.Equal(t, `{"n":`+want+`}`, string(e.Extra.AppendJSON(nil)))
			require.True(t, json.Valid(e.AppendJSON(nil)))
		})
	}
}

func TestDecodeDepth(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat(`[`, n) + strings.Repeat(`]`, n) }
	event := decodeEvent(t, `{"extra":{"a":`+nested(63)+`}}`)

	require.Empty(t, event.Problems)

	event = decodeEvent(t, `{"extra":{"a":`+nested(64)+`,"b":1}}`)

	require.Equal(t, core.List[core.Problem]{{Path: "extra", Reason: "nested deeper than 64 levels"}}, event.Problems)
	require.Equal(t, "1", event.Extra.Get("b").Text)

	event = decodeEvent(t, `{"message":"m","modules":`+nested(1e6)+`,"extra":{"a":`+nested(1e6)+`},"request":{"data":"`+nested(1e6)+`"}}`)

	require.Equal(t, "m", string(event.Message), "a million levels do not overflow the stack")
}

func TestDecodeDuplicateKeys(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, `"k%d":%d,`, i%40, i)
	}
	e := decodeEvent(t, `{"extra":{"few":{"a":1,"b":2,"a":3},"many":{`+strings.TrimSuffix(many.String(), ",")+`}}}`)

	require.Equal(t, `{"b":2,"a":3}`, string(e.Extra.Get("few").AppendJSON(nil)))
	require.Len(t, e.Extra.Get("many").Kids, 40)
	require.Equal(t, "79", e.Extra.Get("many").Get("k39").Text)
	require.Equal(t, "99", e.Extra.Get("many").Get("k19").Text)
}

func TestDecodeLongKeys(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("k", 100_000)
	e := decodeEvent(t, `{"`+key+`":{"a":1},"extra":{"`+key+`":"`+strings.Repeat("v", 9000)+`"},"message":"m"}`)

	require.Equal(t, "m", string(e.Message))

	envelope.LimitEvent(e)

	require.LessOrEqual(t, len(e.Extra.Kids[0].Key), 8192)
	for _, p := range e.Problems {
		require.Less(t, len(p.Path), 100, "a path names no key that is not a name")
	}
}

// TestDecodeBounds shows that a payload cannot make the server hold much more than its own size.
func TestDecodeBounds(t *testing.T) {
	t.Parallel()
	list := func(element string, n int) string { return `[` + strings.Repeat(element+`,`, n-1) + element + `]` }
	for _, tt := range []struct{ name, payload, problem string }{
		{"values", `{"extra":{"a":` + list(`0`, 100_000) + `}}`, "the event has more than 32768 values; the rest is left out"},
		{"lines of source", `{"exception":[{"type":"A","stacktrace":{"frames":[{"pre_context":` + list(`""`, 100_000) + `}]}}]}`,
			"the event has more than 32768 values; the rest is left out"},
		{"frames", `{"exception":` + list(`{"type":"A","stacktrace":{"frames":`+list(`{"function":"f"}`, 250)+`}}`, 100) + `}`,
			"the event has more than 16384 frames; the rest is left out"},
		{"exceptions", `{"exception":` + list(`{"type":"A"}`, 70) + `}`, "20 exceptions in the middle are left out"},
		{"breadcrumbs", `{"breadcrumbs":` + list(`{"message":"b"}`, 150) + `}`, "50 older ones are left out"},
		{"query", `{"request":{"url":"http://x/?` + strings.Repeat("a&", 100_000) + `"}}`,
			"the event has more than 32768 values; the rest is left out"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			event := decodeEvent(t, tt.payload)
			reasons := make([]string, len(event.Problems))
			for i, p := range event.Problems {
				reasons[i] = p.Reason
			}
			require.Contains(t, reasons, tt.problem)
			require.LessOrEqual(t, len(event.Problems), 51)
		})
	}
	e := decodeEvent(t, `{"threads":`+list(`{"id":1}`, 1000)+`,"debug_meta":{"images":`+list(`{"debug_id":"d"}`, 5000)+`}}`)

	require.Len(t, e.Threads, 256)
	require.Len(t, e.DebugImages, 1024)
}

func TestDecodeKeepsBothEnds(t *testing.T) {
	t.Parallel()
	var frames strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&frames, `,{"function":"f%d","in_app":true}`, i)
	}
	event := decodeEvent(t, `{"exception":[{"type":"A","stacktrace":{"frames":[`+frames.String()[1:]+`]}}]}`)
	kept := event.Exceptions[0].Frames

	require.Len(t, kept, 250)
	require.Equal(t, "f999", string(kept[0].Function))
	require.Equal(t, "f875", string(kept[124].Function))
	require.Equal(t, "f124", string(kept[125].Function))
	require.Equal(t, "f0", string(kept[249].Function))
	require.Equal(t, "exception.0.stacktrace.frames", event.Problems[0].Path)
	require.Equal(t, "750 frames in the middle are left out", event.Problems[0].Reason)
}

func FuzzDecode(f *testing.F) {
	for _, name := range sdkNames {
		f.Add(readPayload(f, name))
	}
	f.Add(`{"tags":[["a",1]],"request":{"data":"{\"a\":1}","cookies":"a=b","url":"http://x?a=1#b"},"csp":{"blocked_uri":"x"}}`)
	f.Add(`{"logentry":{"message":"%s {x} %(y)d","params":{"x":1}},"exception":{"type":"A","stack":"Error: x\n at f (a.js:1:2)"}}`)
	f.Add("{\"message\":\"\\ud83d\xff\\u0000\",\"timestamp\":1e999,\"extra\":{\"a\":[[[NaN]]]}}")
	f.Fuzz(func(t *testing.T, text string) {
		event, err := new(envelope.Decoder).Decode([]byte(text), envelope.Hints{ReceivedAt: receivedAt, PeerIP: "10.0.0.1"})
		if json.Valid([]byte(text)) && strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
			require.NoError(t, err, "every JSON object is an event")
		}
		if err == nil {
			requireSound(t, event)
			envelope.LimitEvent(event)
			requireSound(t, event)
			requireWithinCaps(t, event)
		}
	})
}

// requireSound checks the rule for every event: its stored form is JSON and valid UTF-8 without NUL.
func requireSound(t *testing.T, event *core.Event) {
	t.Helper()
	stored := event.AppendJSON(nil)
	require.True(t, json.Valid(stored), "%s", stored)
	require.True(t, utf8.Valid(stored))
	require.NotContains(t, string(stored), `\u0000`)
	require.False(t, event.Timestamp.IsZero())
	require.Contains(t, []string{"fatal", "error", "warning", "info", "debug"}, event.Level)
	require.NotEmpty(t, event.Platform)
	var back core.Event
	require.NoError(t, json.Unmarshal(stored, &back))
}

// FuzzValue compares the reader of free-form values with encoding/json.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-2.5e-3,"x\u00e9\ud83d\ude00",null,true,{"b":{}}],"a":2}`, `"\\\"\/\b\f\n\r\t"`, `[[],[[]],0.1]`,
		` { "k" : [ 1 , 2 ] } `, `1e5`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) || !utf8.Valid(text) || strings.Contains(string(text), `\u0000`) {
			return // accepted too, but not as encoding/json does
		}
		e := decodeEvent(t, `{"extra":{"v":`+string(text)+`}}`)
		if len(e.Problems) > 0 {
			return // nested too deep
		}
		require.Equal(t, decodePlain(t, text), decodePlain(t, e.Extra.Get("v").AppendJSON(nil)))
	})
}

// decodePlain reads JSON with numbers as texts, because numbers that no double can hold become texts.
func decodePlain(t *testing.T, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	require.NoError(t, dec.Decode(&v))
	return numbersAsTexts(v)
}

func numbersAsTexts(decoded any) any {
	switch v := decoded.(type) {
	case json.Number:
		return v.String()
	case []any:
		for i := range v {
			v[i] = numbersAsTexts(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = numbersAsTexts(v[key])
		}
	}
	return decoded
}
