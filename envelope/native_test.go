package envelope_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"errand/core"
	"errand/envelope"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

const fullNative = `{
	"event_id": "0d5d7f5e-44b9-4e9d-b4e5-b9b5f2f6c111", "timestamp": "2026-01-03T18:22:50.123Z", "level": "warning",
	"platform": "python", "message": "m", "transaction": "t", "release": "r", "environment": "e", "dist": "d", "server_name": "s",
	"exception": [
		{"type": "KeyError", "value": "'a'", "module": "builtins",
			"stacktrace": {"frames": [{"function": "f", "lineno": 3, "in_app": true}]}},
		{"type": "AppError", "value": "b", "mechanism": {"type": "generic", "handled": true, "data": {"x": 1}}}],
	"user": {"id": 7, "plan": "gold"}, "request": {"method": "GET", "url": "http://x/p?a=1", "headers": {"Host": "x"}, "data": "a=1"},
	"tags": {"a": "x", "b": 1, "c": true}, "extra": {"a": [1]}, "contexts": {"os": {"name": "Linux"}},
	"breadcrumbs": [{"message": "b", "timestamp": 1767464570}], "fingerprint": ["{{ default }}", 7], "sdk": {"name": "mine", "version": "1"}
}`

func TestDecodeNative(t *testing.T) {
	t.Parallel()
	event, err := new(envelope.Decoder).DecodeNative([]byte(fullNative), envelope.Hints{ReceivedAt: receivedAt})
	require.NoError(t, err)

	require.Empty(t, event.Problems)
	require.JSONEq(t, `{"event_id":"0d5d7f5e44b94e9db4e5b9b5f2f6c111","timestamp":"2026-01-03T18:22:50.123Z",
	"received_at":"2026-01-03T18:22:51.000Z",
		"platform":"python","level":"warning","message":"m","transaction":"t","release":"r","dist":"d","environment":"e","server_name":"s",
		"exceptions":[{"type":"AppError","value":"b","mechanism":{"type":"generic","handled":true}},
			{"type":"KeyError","value":"'a'","module":"builtins","frames":[{"function":"f","lineno":3,"in_app":true}]}],
		"breadcrumbs":[{"timestamp":"2026-01-03T18:22:50.000Z","message":"b"}],
		"user":{"id":7,"plan":"gold"},"request":{"method":"GET","url":"http://x/p","query":{"a":"1"},"headers":{"Host":"x"},
		"data":{"a":"1"}},
		"tags":{"a":"x","b":"1","c":"true"},"contexts":{"os":{"name":"Linux"}},"extra":{"a":[1]},"sdk":{"name":"mine","version":"1"},
		"fingerprint":["{{ default }}","7"]}`, string(event.AppendJSON(nil)))
}

func TestDecodeNativeStack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, payload, want string }{
		{"type and value of the text",
			`{"platform":"python","exception":{"stack":"Traceback (most recent call last):\n  File \"a.py\", line 3,` +
				` in f\n    g()\nshop.AppError: bad"}}`,
			`[{"type":"AppError","value":"bad","module":"shop","frames":[{"function":"f","filename":"a.py","abs_path":"a.py",` +
				`"lineno":3,"context_line":"g()","in_app":true}]}]`},
		{"given type and value",
			`{"exception":{"type":"Mine","value":"","stack":"TypeError: x\n    at f (/app/a.js:1:2)\n    at node:internal/x:3:4"}}`,
			`[{"type":"Mine","frames":[{"function":"f","filename":"/app/a.js","abs_path":"","lineno":1,"colno":2,"in_app":true},` +
				`{"filename":"node:internal/x","lineno":3,"colno":4}]}]`},
		{"causes of the only exception",
			`{"platform":"java","exception":{"stack":"org.a.Outer: o\n\tat org.a.A.f(A.java:1)\nCaused by: org.a.Inner: i\n\tat ` +
				`org.a.B.g(B.java:2)\n\t... 1 more"}}`,
			`[{"type":"Outer","value":"o","module":"org.a","frames":[{"function":"f","module":"org.a.A","filename":"A.java","lineno":1,
			"in_app":true}]},
			{"type":"Inner","value":"i","module":"org.a","frames":[{"function":"g","module":"org.a.B","filename":"B.java","lineno":2,
			"in_app":true},
				{"function":"f","module":"org.a.A","filename":"A.java","lineno":1,"in_app":true}]}]`},
		{"frames win", `{"exception":{"type":"A","stacktrace":{"frames":[{"function":"f","in_app":true}]},"stack":"at g (a.js:1:2)"}}`,
			`[{"type":"A","frames":[{"function":"f","in_app":true}]}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			event, err := new(envelope.Decoder).DecodeNative([]byte(tt.payload), envelope.Hints{ReceivedAt: receivedAt})
			require.NoError(t, err)

			require.Empty(t, event.Problems)

			var stored struct {
				Exceptions json.RawMessage `json:"exceptions"`
			}
			require.NoError(t, json.Unmarshal(event.AppendJSON(nil), &stored))
			require.JSONEq(t, withoutEmpty(t, tt.want), string(stored.Exceptions))
		})
	}
	decoded, err := new(envelope.Decoder).DecodeNative([]byte(`{"exception":{"stack":"at f (/app/a.js:1:2)"}}`),
		envelope.Hints{ReceivedAt: receivedAt})
	require.NoError(t, err)

	require.Equal(t, "javascript", decoded.Platform, "the text tells the platform")

	decoded, err = new(envelope.Decoder).DecodeNative([]byte(`{"exception":{"stack":"it broke"}}`), envelope.Hints{ReceivedAt: receivedAt})
	require.NoError(t, err)

	require.Equal(t, core.List[core.Problem]{{Path: "stack", Reason: "no known form of a stack trace"}}, decoded.Problems)
	require.Equal(t, "it broke", string(decoded.Exceptions[0].Value))
}

// withoutEmpty drops empty texts, so that a want is easier to read.
func withoutEmpty(t *testing.T, text string) string {
	t.Helper()
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &list))
	for _, x := range list {
		for _, f := range x["frames"].([]any) {
			for key, v := range f.(map[string]any) {
				if v == "" {
					delete(f.(map[string]any), key)
				}
			}
		}
	}
	out, err := json.Marshal(list)
	require.NoError(t, err)
	return string(out)
}

// fieldsOfException ends the message about a field that exceptions do not have.
const fieldsOfException = "; allowed are mechanism, module, stack, stacktrace, type, value"

var decodeNativeErrorsCases = []struct{ payload, path, message string }{
	{``, "", "must be an object, not nothing"},
	{`[1]`, "", "must be an object, not a list"},
	{`"x"`, "", "must be an object, not a text"},
	{`{"message":"m"`, "", "not valid JSON: the end inside an object or array at byte 14"},
	{`{"message":"m"} x`, "", "not valid JSON: more text behind the event at byte 16"},
	{`{}`, "", "an event needs a message or an exception: give at least one of them"},
	{`{"message":"","exception":[]}`, "", "an event needs a message or an exception: give at least one of them"},
	{`{"message":null,"exception":null}`, "", "an event needs a message or an exception: give at least one of them"},
	{`{"message":7}`, "message", "must be a text, not a number"},
	{`{"message":{"message":"m"}}`, "message", "must be a text, not an object"},
	{`{"exception":"boom"}`, "exception", "must be an exception or a list of exceptions, not a text"},
	{`{"exception":[{"type":"A"},{"type":5}]}`, "exception.1.type", "must be a text, not a number"},
	{`{"exception":{"type":["A"]}}`, "exception.type", "must be a text, not a list"},
	{`{"exception":{"module":"m"}}`, "exception", "an exception needs a type, a value or a stack"},
	{`{"exception":[{"type":""}]}`, "exception.0", "an exception needs a type, a value or a stack"},
	{`{"exception":[{"value":"0","value":""}]}`, "", "an event needs a message or an exception: give at least one of them"},
	{`{"exception":{"type":" "}}`, "", "an event needs a message or an exception: give at least one of them"},
	{`{"exception":[null]}`, "exception.0", "must be an object, not null"},
	{`{"exception":{"type":"A","values":[]}}`, "exception.values", "not a field of an exception" + fieldsOfException},
	{`{"exception":{"type":"A","stacktrace":[]}}`, "exception.stacktrace", "must be an object, not a list"},
	{`{"exception":{"type":"A","stacktrace":{"frames":{}}}}`, "exception.stacktrace.frames", "must be a list, not an object"},
	{`{"exception":{"type":"A","stacktrace":{"frames":[{"lineno":"3"}]}}}`, "exception.stacktrace.frames.0.lineno",
		"must be a number, not a text"},
	{`{"exception":{"type":"A","stacktrace":{"frames":[{"vars":[]}]}}}`, "exception.stacktrace.frames.0.vars",
		"must be an object, not a list"},
	{`{"exception":{"type":"A","mechanism":{"handled":"no"}}}`, "exception.mechanism.handled", "must be true or false, not a text"},
	{`{"message":"m","level":"loud"}`, "level", "must be fatal, error, warning, info or debug"},
	{`{"message":"m","level":3}`, "level", "must be a text, not a number"},
	{`{"message":"m","event_id":"x"}`, "event_id", "must be 32 hexadecimal digits, with or without the dashes of a UUID"},
	{`{"message":"m","timestamp":"yesterday"}`, "timestamp", "must be a time: RFC 3339, or seconds since 1970 as a number"},
	{`{"message":"m","timestamp":{}}`, "timestamp", "must be a time: RFC 3339, or seconds since 1970 as a number"},
	{`{"message":"m","tags":[["a","b"]]}`, "tags", "must be an object, not a list"},
	{`{"message":"m","tags":{"a":{}}}`, "tags.a", "must be a text, a number or a boolean, not an object"},
	{`{"message":"m","contexts":{"a":1}}`, "contexts.a", "must be an object, not a number"},
	{`{"message":"m","extra":[]}`, "extra", "must be an object, not a list"},
	{`{"message":"m","user":"ada"}`, "user", "must be an object, not a text"},
	{`{"message":"m","user":{"id":[]}}`, "user.id", "must be a text, a number or a boolean, not a list"},
	{`{"message":"m","request":{"url":true}}`, "request.url", "must be a text, not a boolean"},
	{`{"message":"m","breadcrumbs":{"values":[]}}`, "breadcrumbs", "must be a list, not an object"},
	{`{"message":"m","breadcrumbs":[{"message":1}]}`, "breadcrumbs.0.message", "must be a text, not a number"},
	{`{"message":"m","fingerprint":"x"}`, "fingerprint", "must be a list, not a text"},
	{`{"message":"m","fingerprint":[{}]}`, "fingerprint.0", "must be a text, a number or a boolean, not an object"},
	{`{"message":"m","sdk":{"name":1}}`, "sdk.name", "must be a text, not a number"},
	{`{"message":"m","logger":"x"}`, "logger",
		"not a field of an event; allowed are breadcrumbs, contexts, dist, environment, event_id, exception, " +
			"extra, fingerprint, level, message, platform, release, request, sdk, server_name, tags, timestamp, transaction, user"},
	{`{"message":"m","a secret=1":"x"}`, "*",
		"not a field of an event; allowed are breadcrumbs, contexts, dist, environment, event_id, exception, " +
			"extra, fingerprint, level, message, platform, release, request, sdk, server_name, tags, timestamp, transaction, user"},
}

func TestDecodeNativeErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range decodeNativeErrorsCases {
		t.Run(tt.payload, func(t *testing.T) {
			t.Parallel()
			e, err := new(envelope.Decoder).DecodeNative([]byte(tt.payload), envelope.Hints{ReceivedAt: receivedAt})

			require.Nil(t, e)
			require.Equal(t, core.RefuseField(tt.path, "%s", tt.message), err)
		})
	}
	_, err := new(envelope.Decoder).DecodeNative([]byte(`{"message":1,"level":2,"tags":3}`), envelope.Hints{ReceivedAt: receivedAt})

	require.Equal(t, &core.Error{Code: core.InvalidRequest, Details: []core.Detail{
		{Path: "message", Message: "must be a text, not a number"}, {Path: "level", Message: "must be a text, not a number"},
		{Path: "tags", Message: "must be an object, not a number"},
	}}, err)
}

func FuzzDecodeNative(f *testing.F) {
	f.Add(fullNative)
	f.Add(`{"exception":{"stack":"TypeError: x\n    at f (/app/a.js:1:2)"}}`)
	f.Add(`{"message":null,"exception":[null],"tags":{"a":{}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		event, err := new(envelope.Decoder).DecodeNative([]byte(text), envelope.Hints{ReceivedAt: receivedAt})
		if err != nil {
			require.True(t, core.HasCode(err, core.InvalidRequest))
			require.NotEmpty(t, core.AsError(err).Details)
			return
		}
		requireSound(t, event)
		require.True(t, event.Message != "" || len(event.Exceptions) > 0, "there is something to show")
		envelope.LimitEvent(event)
		requireWithinCaps(t, event)
	})
}

// TestNativeFieldsAreDeclared holds that the API documents exactly the fields that are read.
func TestNativeFieldsAreDeclared(t *testing.T) {
	t.Parallel()
	schema := core.IngestEvent.Operation.InputSchema()

	require.Equal(t, envelope.NativeFields(), declaredFields("", schema))

	text, err := json.Marshal(schema)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("event.json", document))
	rules, err := compiler.Compile("event.json")
	require.NoError(t, err)
	for payload, taken := range map[string]bool{
		fullNative: true, `{"exception":{"type":"A","stack":"at f"},"user":{"id":"7"},"request":{"headers":[["a","b"]],"data":"x"}}`: true,
		`{"exception":{"kind":"A"}}`: false, `{"exception":"A"}`: false, `{"message":5}`: false, `{"timestamp":true,"message":"m"}`: false,
		`{"message":"m","tags":{"a":[1]}}`: false, `{"message":"m","contexts":{"os":1}}`: false, `{"message":"m","user":{"id":{}}}`: false,
		`{"message":"m","breadcrumbs":{}}`: false, `{"exception":[{"type":"A","stacktrace":{"frames":[{"lineno":"x"}]}}]}`: false,
	} {
		t.Run(payload, func(t *testing.T) {
			event, err := jsonschema.UnmarshalJSON(strings.NewReader(payload))
			require.NoError(t, err)

			require.Equal(t, taken, rules.Validate(event) == nil)

			_, err = new(envelope.Decoder).DecodeNative([]byte(payload), envelope.Hints{ReceivedAt: receivedAt})

			require.Equal(t, taken, err == nil)
		})
	}
}

// declaredFields returns the paths of a schema's members, sorted. A list has the members of its elements.
func declaredFields(path string, schema core.Schema) []string {
	var paths []string
	properties, _ := schema["properties"].(core.Schema)
	for name, member := range properties {
		at := strings.TrimPrefix(path+"."+name, ".")
		paths = append(append(paths, at), declaredFields(at, member.(core.Schema))...)
	}
	if items, ok := schema["items"].(core.Schema); ok {
		paths = append(paths, declaredFields(path, items)...)
	}
	if either, ok := schema["oneOf"].([]any); ok {
		paths = append(paths, declaredFields(path, either[0].(core.Schema))...)
	}
	slices.Sort(paths)
	return paths
}
