package envelope_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"errand/core"
	"errand/envelope"

	"github.com/stretchr/testify/require"
)

// payloadShape is a payload and members of the event that it becomes. A want without problems requires an event without problems.
type payloadShape struct{ name, payload, want string }

func runShapes(t *testing.T, shapes []payloadShape) {
	t.Helper()
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			event := decodeEvent(t, shape.payload)
			var got, want map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(event.AppendJSON(nil), &got))
			require.NoError(t, json.Unmarshal([]byte(shape.want), &want), "want is JSON")
			if _, ok := want["problems"]; !ok {
				require.Empty(t, event.Problems)
			}
			for member, value := range want {
				require.JSONEq(t, string(value), orNull(got[member]), member)
			}
		})
	}
}

func orNull(raw json.RawMessage) string {
	if raw == nil {
		return "null"
	}
	return string(raw)
}

func decodeEvent(t testing.TB, payload string) *core.Event {
	t.Helper()
	e, err := new(envelope.Decoder).Decode([]byte(payload), envelope.Hints{ReceivedAt: receivedAt, PeerIP: "198.51.100.4"})
	require.NoError(t, err)
	return e
}

func TestDecodeExceptions(t *testing.T) {
	t.Parallel()
	runShapes(t, []payloadShape{
		{"values", `{"exception":{"values":[{"type":"A","value":"a"},{"type":"B","value":"b"}]}}`,
			`{"exceptions":[{"type":"B","value":"b"},{"type":"A","value":"a"}]}`},
		{"list", `{"exception":[{"type":"A"},{"type":"B"}]}`, `{"exceptions":[{"type":"B"},{"type":"A"}]}`},
		{"one object", `{"exception":{"type":"A","value":"a"}}`, `{"exceptions":[{"type":"A","value":"a"}]}`},
		{"a text", `{"exception":["boom"]}`, `{"exceptions":[{"value":"boom"}]}`},
		{"a text alone", `{"exception":"ValueError: boom"}`, `{"exceptions":[{"type":"ValueError","value":"boom"}]}`},
		{"null", `{"exception":null,"message":"m"}`, `{"message":"m","exceptions":null}`},
		{"null values", `{"exception":{"values":null}}`, `{"exceptions":null}`},
		{"null and empty elements", `{"exception":[null,{},{"type":null},{"type":"A"}]}`, `{"exceptions":[{"type":"A"}]}`},
		{"a number", `{"exception":7}`, `{"exceptions":null,"problems":[{"path":"exception","reason":"not a list"}]}`},
		{"element of the wrong kind", `{"exception":[7,{"type":"A"}]}`,
			`{"exceptions":[{"type":"A"}],"problems":[{"path":"exception.0","reason":"not an object"}]}`},
		{"without a type", `{"exception":[{"value":"lost"}]}`, `{"exceptions":[{"value":"lost"}]}`},
		{"the type in the value", `{"exception":[{"value":"ValueError: bad"},{"value":"http://x"},{"value":"a b: c"}]}`,
			`{"exceptions":[{"value":"a b: c"},{"value":"http://x"},{"type":"ValueError","value":"bad"}]}`},
		{"values that are no text",
			`{"exception":[{"type":404,"value":{"a":[1, 2]}},{"type":"B","value":false},{"type":"C","value":null}]}`,
			`{"exceptions":[{"type":"C"},{"type":"B","value":"false"},{"type":"404","value":"{\"a\":[1, 2]}"}]}`},
		{"mechanism", `{"exception":[{"type":"A","module":"m","mechanism":{"type":"onerror","handled":false,"data":{"x":1}}}]}`,
			`{"exceptions":[{"type":"A","module":"m","mechanism":{"type":"onerror","handled":false}}]}`},
		{"mechanism as a text", `{"exception":[{"type":"A","mechanism":"generic"}]}`,
			`{"exceptions":[{"type":"A","mechanism":{"type":"generic"}}]}`},
		{"mechanism beside the list", `{"exception":{"mechanism":{"type":"old","handled":"true"},"values":[{"type":"A"},{"type":"B"}]}}`,
			`{"exceptions":[{"type":"B","mechanism":{"type":"old","handled":true}},{"type":"A"}]}`},
		{"mechanism that is wrong", `{"exception":[{"type":"A","mechanism":{"handled":"perhaps","exception_id":"x"}}]}`,
			`{"exceptions":[{"type":"A","mechanism":{}}],"problems":[{"path":"exception.0.mechanism.handled",
			"reason":"neither true nor false"},
			{"path":"exception.0.mechanism.exception_id","reason":"not a whole number"}]}`},
		{"the last of two members counts", `{"exception":[{"type":"A"}],"exception":[{"type":"B"}]}`, `{"exceptions":[{"type":"B"}]}`},
	})
}

func TestDecodeGroupOfExceptions(t *testing.T) {
	t.Parallel()
	e := decodeEvent(t, `{"exception":{"values":[
		{"type":"KeyError","mechanism":{"exception_id":1,"parent_id":0,"synthetic":true}},
		{"type":"Group","mechanism":{"is_exception_group":true,"exception_id":0}}]}}`)
	group, part := e.Exceptions[0].Mechanism, e.Exceptions[1].Mechanism

	require.True(t, group.IsGroup)
	require.Equal(t, int64(0), *group.ExceptionID)
	require.Nil(t, group.ParentID)
	require.True(t, part.Synthetic)
	require.Equal(t, int64(1), *part.ExceptionID)
	require.Equal(t, int64(0), *part.ParentID)
}

func TestDecodeFrames(t *testing.T) {
	t.Parallel()
	in := func(frames string) string {
		return `{"platform":"python","exception":[{"type":"A","stacktrace":{"frames":` + frames + `}}]}`
	}
	out := func(frames string) string { return `{"exceptions":[{"type":"A","frames":` + frames + `}]}` }
	runShapes(t, []payloadShape{
		{"the most recent call first", in(`[{"function":"main"},{"function":"f"}]`),
			out(`[{"function":"f","in_app":true},{"function":"main","in_app":true}]`)},
		{"all fields", in(`[{"function":"f","module":"m","filename":"a.py","abs_path":"/x/a.py","lineno":3,"colno":7,"in_app":true,
			"context_line":"  f()","pre_context":["a",null,"b"],"post_context":"c","vars":{"x":[1]},"unknown":1}]`),
			out(`[{"function":"f","module":"m","filename":"a.py","abs_path":"/x/a.py","lineno":3,"colno":7,"in_app":true,
			"context_line":"  f()","pre_context":["a","","b"],"post_context":["c"],"vars":{"x":[1]}}]`)},
		{"only a path", in(`[{"abs_path":"/x/a.py"}]`), out(`[{"filename":"/x/a.py","abs_path":"/x/a.py","in_app":true}]`)},
		{"a URL for a name", in(`[{"filename":"https://x.org/js/app.js?v=1#top"},{"filename":"http://x.org"}]`),
			out(`[{"filename":"/","abs_path":"http://x.org","in_app":true},
			{"filename":"/js/app.js","abs_path":"https://x.org/js/app.js?v=1#top","in_app":true}]`)},
		{"numbers that are none",
			in(`[{"function":"f","lineno":-3,"colno":1e30},{"function":"g","lineno":"12","colno":0},{"function":"h","lineno":3.0}]`),
			out(`[{"function":"h","lineno":3,"in_app":true},{"function":"g","lineno":12,"in_app":true},{"function":"f","in_app":true}]`)},
		{"in_app stays as given", in(`[{"filename":"/usr/lib/python3/x.py","in_app":true},{"filename":"mine.py","in_app":false}]`),
			out(`[{"filename":"mine.py"},{"filename":"/usr/lib/python3/x.py","in_app":true}]`)},
		{"frames as the stack trace", `{"exception":[{"type":"A","stacktrace":[{"function":"f"}]}]}`,
			out(`[{"function":"f","in_app":true}]`)},
		{"other names of the function", in(`[{"raw_function":"f()"},{"symbol":"_f","function":"f"},{"function":"?"}]`),
			out(`[{"in_app":true},{"function":"f","in_app":true},{"function":"f()","in_app":true}]`)},
		{"null stack trace", `{"exception":[{"type":"A","stacktrace":null},{"type":"B","stacktrace":{"frames":null}}]}`,
			`{"exceptions":[{"type":"B"},{"type":"A"}]}`},
		{"wrong kinds", in(`[null,5,{"function":"f","vars":[1],"lineno":"x"}]`),
			`{"exceptions":[{"type":"A","frames":[{"function":"f","in_app":true}]}],"problems":[
			{"path":"exception.0.stacktrace.frames.1","reason":"not an object"},
			{"path":"exception.0.stacktrace.frames.2.vars","reason":"not an object"},
			{"path":"exception.0.stacktrace.frames.2.lineno","reason":"not a number"}]}`},
	})
}

func TestDecodeThreads(t *testing.T) {
	t.Parallel()
	runShapes(t, []payloadShape{
		{"values", `{"threads":{"values":[{"id":41,"name":"main","crashed":true,"stacktrace":{"frames":[{"function":"f",` +
			`"in_app":true}]}}]}}`,
			`{"threads":[{"id":"41","name":"main","crashed":true,"frames":[{"function":"f","in_app":true}]}]}`},
		{"list", `{"threads":[{"id":"a","current":true},null,{}]}`, `{"threads":[{"id":"a","current":true}]}`},
		{"stack trace of a message", `{"message":"m","stacktrace":{"frames":[{"function":"f","in_app":true}]}}`,
			`{"threads":[{"current":true,"frames":[{"function":"f","in_app":true}]}]}`},
		{"stack trace of the only exception", `{"stacktrace":{"frames":[{"function":"f","in_app":true}]},"exception":[{"type":"A"}]}`,
			`{"exceptions":[{"type":"A","frames":[{"function":"f","in_app":true}]}],"threads":null}`},
		{"stack trace as text",
			`{"platform":"python","stacktrace":"Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    x\nKeyError: 1"}`,
			`{"threads":[{"current":true,"frames":[{"function":"f","filename":"a.py","abs_path":"a.py","lineno":3,"context_line":"x",` +
				`"in_app":true}]}]}`},
	})
}

func TestDecodeMessage(t *testing.T) {
	t.Parallel()
	runShapes(t, []payloadShape{
		{"text", `{"message":"hello"}`, `{"message":"hello"}`},
		{"number", `{"message":12.50}`, `{"message":"12.50"}`},
		{"object", `{"message":{"message":"a %s","params":["b"]}}`, `{"message":"a b"}`},
		{"formatted wins", `{"message":{"message":"a %s","params":["b"],"formatted":"a c"}}`, `{"message":"a c"}`},
		{"logentry wins", `{"message":"m","logentry":{"message":"l"}}`, `{"message":"l"}`},
		{"empty logentry", `{"message":"m","logentry":{"message":""}}`, `{"message":"m"}`},
		{"logentry as text", `{"logentry":"l"}`, `{"message":"l"}`},
		{"null", `{"message":null,"logentry":null}`, `{"message":null}`},
	})
}

func TestDecodeMessageWithParameters(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ template, params, want string }{
		{`%s of %d`, `["one",2]`, "one of 2"},
		{`%(who)s did %(n)03d`, `{"who":"ada","n":7}`, "ada did 7"},
		{`{} and {}`, `["a",null]`, "a and "},
		{`{1} before {0}`, `["a","b"]`, "b before a"},
		{`{x} is {y:>10}`, `{"x":1,"y":true}`, "1 is true"},
		{`100%% of %.2f`, `[2.5]`, "100% of 2.5"},
		{`%s %s`, `["one"]`, "one %s"},
		{`%z {what} %(no)s`, `{"x":1}`, "%z {what} %(no)s"},
		{`json {"a": 1} %s`, `[{"b":[1]}]`, `json {"a": 1} {"b":[1]}`},
		{`ends with %`, `["x"]`, `ends with %`},
		{`ends with %(`, `{"x":1}`, `ends with %(`},
		{`ends with {`, `["x"]`, `ends with {`},
	} {
		t.Run(tt.template, func(t *testing.T) {
			t.Parallel()
			template, err := json.Marshal(tt.template)
			require.NoError(t, err)
			e := decodeEvent(t, `{"logentry":{"message":`+string(template)+`,"params":`+tt.params+`}}`)

			require.Equal(t, tt.want, string(e.Message))
			require.Equal(t, tt.template, e.Template)
		})
	}
}

func TestDecodeTemplate(t *testing.T) {
	t.Parallel()
	require.Empty(t, decodeEvent(t, `{"message":"plain"}`).Template)
	require.Empty(t, decodeEvent(t, `{"logentry":{"message":"plain","formatted":"plain"}}`).Template)
	require.Equal(t, "a {}", decodeEvent(t, `{"logentry":{"message":"a {}","formatted":"a 1"}}`).Template)

	huge := strings.Repeat("%(x)s", 2000)
	e := decodeEvent(t, `{"logentry":{"message":"`+huge+`","params":{"x":"`+strings.Repeat("y", 2000)+`"}}}`)

	require.Equal(t, huge, string(e.Message), "a small payload cannot ask for a huge message")
}

func TestDecodeTime(t *testing.T) {
	t.Parallel()
	const clockTold = "timestamp"
	for _, tt := range []struct{ name, sent, want, problem string }{
		{"absent", `null`, "2026-01-03T18:22:51.000Z", ""},
		{"float", `1767464570.123`, "2026-01-03T18:22:50.123Z", ""},
		{"integer", `1767464570`, "2026-01-03T18:22:50.000Z", ""},
		{"nine digits", `1767464570.123456789`, "2026-01-03T18:22:50.123Z", ""},
		{"exponent", `1.76746457e9`, "2026-01-03T18:22:50.000Z", ""},
		{"milliseconds", `1767464570123`, "2026-01-03T18:22:50.123Z", ""},
		{"numeric text", `"1767464570.5"`, "2026-01-03T18:22:50.500Z", ""},
		{"RFC 3339", `"2026-01-03T18:22:50Z"`, "2026-01-03T18:22:50.000Z", ""},
		{"nine digits of RFC 3339", `"2026-01-03T18:22:50.123456789Z"`, "2026-01-03T18:22:50.123Z", ""},
		{"zone", `"2026-01-03T20:22:50.5+02:00"`, "2026-01-03T18:22:50.500Z", ""},
		{"zone without a colon", `"2026-01-03T20:22:50.5+0200"`, "2026-01-03T18:22:50.500Z", ""},
		{"no zone", `"2026-01-03T18:22:50.0021839"`, "2026-01-03T18:22:50.002Z", ""},
		{"space", `"2026-01-03 18:22:50"`, "2026-01-03T18:22:50.000Z", ""},
		{"29 days behind", `"2025-12-05T18:22:51Z"`, "2025-12-05T18:22:51.000Z", ""},
		{"59 seconds ahead", `"2026-01-03T18:23:50Z"`, "2026-01-03T18:23:50.000Z", ""},
		{"31 days behind", `"2025-12-03T18:22:50Z"`, "2026-01-03T18:22:51.000Z", clockTold},
		{"61 seconds ahead", `"2026-01-03T18:23:52Z"`, "2026-01-03T18:22:51.000Z", clockTold},
		{"nonsense", `"yesterday"`, "2026-01-03T18:22:51.000Z", clockTold},
		{"object", `{"a":1}`, "2026-01-03T18:22:51.000Z", clockTold},
		{"too large", `1e999`, "2026-01-03T18:22:51.000Z", clockTold},
		{"negative", `-5`, "2026-01-03T18:22:51.000Z", clockTold},
		{"year 10000", `"9999-12-31T23:59:59-23:00"`, "2026-01-03T18:22:51.000Z", clockTold},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			event := decodeEvent(t, `{"timestamp":`+tt.sent+`}`)

			require.Equal(t, tt.want, event.Timestamp.Format(core.TimeLayout))
			require.Equal(t, receivedAt, event.ReceivedAt.Time)

			if tt.problem == "" {
				require.Empty(t, event.Problems)
				return
			}

			require.Len(t, event.Problems, 1)
			require.Equal(t, tt.problem, event.Problems[0].Path)
		})
	}
}

func TestDecodeEventID(t *testing.T) {
	t.Parallel()
	const id = "0d5d7f5e44b94e9db4e5b9b5f2f6c111"
	for _, tt := range []struct{ name, payload, header, want string }{
		{"plain", `{"event_id":"` + id + `"}`, "", id},
		{"UUID in capitals", `{"event_id":"0D5D7F5E-44B9-4E9D-B4E5-B9B5F2F6C111"}`, "", id},
		{"the header wins", `{"event_id":"00000000000000000000000000000000"}`, "0d5d7f5e-44b9-4e9d-b4e5-b9b5f2f6c111", id},
		{"invalid header", `{"event_id":"` + id + `"}`, "zz", id},
		{"absent", `{}`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, err := new(envelope.Decoder).Decode([]byte(tt.payload), envelope.Hints{ReceivedAt: receivedAt, EventID: tt.header})
			require.NoError(t, err)

			require.Equal(t, tt.want, e.EventID)
			require.Empty(t, e.Problems)
		})
	}
	e := decodeEvent(t, `{"event_id":"not-an-id"}`)

	require.Empty(t, e.EventID)
	require.Equal(t, "event_id", e.Problems[0].Path)
}

func TestDecodeLevelAndPlatform(t *testing.T) {
	t.Parallel()
	runShapes(t, []payloadShape{
		{"nothing", `{}`, `{"level":"error","platform":"other"}`},
		{"other spellings", `{"level":"WARN","platform":"Java.Android "}`, `{"level":"warning","platform":"java.android"}`},
		{"log", `{"level":"log"}`, `{"level":"info"}`},
		{"critical", `{"level":"critical"}`, `{"level":"fatal"}`},
		{"a number of Python's logging", `{"level":40}`, `{"level":"error"}`},
		{"unknown level", `{"level":"loud"}`,
			`{"level":"error","problems":[{"path":"level","reason":"an unknown level, taken as error"}]}`},
		{"odd characters", `{"platform":"c#/.NET\u0000<b>"}`, `{"platform":"c.netb"}`},
		{"too long", `{"platform":"` + strings.Repeat("a", 33) + `"}`,
			`{"platform":"other","problems":[{"path":"platform","reason":"too long for the name of a platform"}]}`},
	})
}

func TestDecodeWords(t *testing.T) {
	t.Parallel()
	runShapes(t, []payloadShape{
		{"trimmed", `{"release":" v1 ","environment":"prod","dist":7,"server_name":"s","logger":"l","transaction":"t"}`,
			`{"release":"v1","environment":"prod","dist":"7","server_name":"s","logger":"l","transaction":"t"}`},
		{"culprit of old clients", `{"culprit":"app.views"}`, `{"transaction":"app.views"}`},
		{"transaction wins", `{"culprit":"c","transaction":"t"}`, `{"transaction":"t"}`},
		{"sdk", `{"sdk":{"name":"sentry.go","version":"1","packages":[]}}`, `{"sdk":{"name":"sentry.go","version":"1"}}`},
		{"sdk as text", `{"sdk":"raven-js/3.1"}`, `{"sdk":{"name":"raven-js","version":"3.1"}}`},
		{"fingerprint", `{"fingerprint":["{{ default }}",7,true]}`, `{"fingerprint":["{{ default }}","7","true"]}`},
		{"fingerprint as text", `{"fingerprint":"one"}`, `{"fingerprint":["one"]}`},
		{"empty fingerprint", `{"fingerprint":[]}`, `{"fingerprint":null}`},
		{"debug images", `{"debug_meta":{"images":[{"type":"sourcemap","debug_id":"D","code_file":"f.js"},{"type":"apple","uuid":"U",` +
			`"name":"App"},{"type":"x"},null]}}`,
			`{"debug_images":[{"type":"sourcemap","debug_id":"D","code_file":"f.js"},{"type":"apple","debug_id":"U","code_file":"App"}]}`},
		{"members that nobody needs", `{"modules":{"a":"1"},"_meta":{},"spans":[],"x":{"y":[{}]}}`, `{}`},
	})
	e, err := new(envelope.Decoder).Decode([]byte(`{}`), envelope.Hints{ReceivedAt: receivedAt, SDK: "sentry.rust/0.40"})
	require.NoError(t, err)

	require.Equal(t, core.SDK{Name: "sentry.rust", Version: "0.40"}, e.SDK)
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		``:                      "the event is not a JSON object",
		`[]`:                    "the event is not a JSON object",
		`"x"`:                   "the event is not a JSON object",
		`null`:                  "the event is not a JSON object",
		`{"message":"m"`:        "not valid JSON: the end inside an object or array at byte 14",
		`{"message":"m}`:        "not valid JSON: a string without an end at byte 11",
		`{"message":"m",}`:      "not valid JSON: a comma before the closing bracket at byte 15",
		`{"message" "m"}`:       "not valid JSON: no colon after a member's name at byte 11",
		`{"message":"m" "x":1}`: "not valid JSON: neither a comma nor a closing bracket at byte 15",
		`{message:"m"}`:         "not valid JSON: a member without a name at byte 1",
		`{"message":}`:          "not valid JSON: no value at byte 11",
		`{"message":what}`:      "not valid JSON: an unknown word at byte 11",
		`{"message":"m"} {}`:    "not valid JSON: more text behind the event",
		`{"extra":{"a":[1,2}}`:  "not valid JSON: neither a comma nor a closing bracket at byte 18",
	} {
		t.Run(payload, func(t *testing.T) {
			_, err := new(envelope.Decoder).Decode([]byte(payload), envelope.Hints{ReceivedAt: receivedAt})
			require.EqualError(t, err, want)
		})
	}
	_, err := new(envelope.Decoder).Decode([]byte("\ufeff {} \n"), envelope.Hints{ReceivedAt: time.Now()})
	require.NoError(t, err)
}
