package envelope_test

import "testing"

// TestDecodeOldNames decodes payloads as raven for Python and sentry-java 1 send them.
func TestDecodeOldNames(t *testing.T) {
	t.Parallel()
	runShapes(t, []payloadShape{
		{"an exception with a user and a request", `{"message":"boom","sentry.interfaces.Exception":{"values":[{"type":"A","value":"a",
			"module":"java.lang","stacktrace":{"frames":[{"function":"main","filename":"A.java","lineno":3}]}}]},
			"sentry.interfaces.User":{"id":"1"},"sentry.interfaces.Http":{"url":"http://a/b","method":"GET"}}`,
			`{"message":"boom","exceptions":[{"type":"A","value":"a","module":"java.lang","frames":[
			{"function":"main","filename":"A.java","lineno":3,"in_app":true}]}],"user":{"id":"1"},"request":{"url":"http://a/b","method":"GET"}}`},
		{"a list of exceptions", `{"sentry.interfaces.Exception":[{"type":"A","sentry.interfaces.Stacktrace":{"frames":[
			{"function":"f","filename":"a.py"}]}}]}`,
			`{"exceptions":[{"type":"A","frames":[{"function":"f","filename":"a.py","in_app":true}]}]}`},
		{"a message", `{"message":"a 1","sentry.interfaces.Message":{"message":"a %s","params":[1]}}`, `{"message":"a 1"}`},
		{"an unknown interface", `{"message":"m","sentry.interfaces.Query":{"query":"SELECT 1"}}`, `{"message":"m"}`},
	})
}
