package grouping_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/envelope"
	"errand/grouping"
)

func decodeEvent(t *testing.T, payload string) *core.Event {
	t.Helper()
	e, err := new(envelope.Decoder).Decode([]byte(payload), envelope.Hints{})
	require.NoError(t, err)
	return e
}

// withStackOf is the addition of JavaScript SDKs to a message when they attach stack traces, from version 11 on.
func withStackOf(function, text string) string {
	value, _ := json.Marshal(text)
	return `"exception":{"values":[{"value":` + string(value) + `,"mechanism":{"type":"generic","handled":true,"synthetic":true},
		"stacktrace":{"frames":[{"function":"` + function + `","filename":"/srv/shop/ops.js","lineno":3,"in_app":true}]}}]}`
}

func TestMessagesWithAStackAreMessages(t *testing.T) {
	t.Parallel()
	const thread = `"threads":{"values":[{"current":true,"stacktrace":{"frames":[{"function":"notify","module":"ops","in_app":true}]}}]}`
	for _, tt := range []struct {
		title, plain string
		stacked      []string
	}{
		{"Disk almost full", `{"message":"Disk almost full"}`, []string{
			`{"message":"Disk almost full",` + withStackOf("notifyOps", "Disk almost full") + `}`,
			`{"message":"Disk almost full",` + withStackOf("Object.error", "Disk almost full") + `,"platform":"node"}`,
			`{"message":"Disk almost full","exception":[{"value":"Disk almost full"}]}`,
			`{"message":"Disk almost full","exception":[{"value":" Disk almost full\n","stacktrace":{"frames":[{"function":"f"}]}}]}`,
			`{"message":"Disk almost full",` + thread + `}`,
			`{"logentry":{"formatted":"Disk almost full"},` + thread + `}`,
		}},
		{"Mail: cannot be sent", `{"message":"Mail: cannot be sent"}`, []string{
			`{` + withStackOf("send", "Mail: cannot be sent") + `,"message":"Mail: cannot be sent"}`,
		}},
		{"several", `{"message":"several\nlines"}`, []string{`{"message":"several\nlines",` + withStackOf("f", "several\nlines") + `}`}},
		{`Order 7 of {"a":1}`, `{"logentry":{"message":"Order %s of %s","params":[7,{"a":1}]}}`, []string{
			`{"logentry":{"message":"Order %s of %s","params":[7,{"a":1}]},` + withStackOf("f", "Order 7 of [object Object]") + `}`,
		}},
	} {
		want := decodeEvent(t, tt.plain)

		require.Equal(t, tt.title, grouping.MakeTitle(want))
		for _, payload := range tt.stacked {
			e := decodeEvent(t, payload)

			require.Equal(t, tt.title, grouping.MakeTitle(e), payload)
			require.Empty(t, grouping.FindType(e), payload)
			require.Equal(t, grouping.ComputeKey(want), grouping.ComputeKey(e), payload)
		}
	}
}

func TestMessagesOfOneLoggerAreApart(t *testing.T) {
	t.Parallel()
	seen := map[grouping.Key]string{}
	for _, text := range []string{"payment provider down", "Mail: cannot be sent", "queue is stuck", "TypeError: as text"} {
		message, _ := json.Marshal(text)
		e := decodeEvent(t, `{"platform":"node","message":`+string(message)+`,`+withStackOf("Object.error", text)+`}`)

		require.Equal(t, text, grouping.MakeTitle(e))
		require.Equal(t, "Object.error(/srv/shop/ops.js)", grouping.FindCulprit(e), "the stack still says where")
		require.Empty(t, seen[grouping.ComputeKey(e)])

		seen[grouping.ComputeKey(e)] = text
	}
}

func TestExceptionsBesideAMessageAreExceptions(t *testing.T) {
	t.Parallel()
	for title, payload := range map[string]string{
		"ValueError: bad":  `{"message":"cannot load","exception":[{"type":"ValueError","value":"bad"}]}`,
		"bad":              `{"message":"cannot load","exception":[{"value":"bad"}]}`,
		"KeyError: a":      `{"message":"cannot load","exception":[{"value":"KeyError: a"}]}`,
		"ValueError: same": `{"message":"same","exception":[{"type":"ValueError","value":"same"}]}`,
	} {
		e := decodeEvent(t, payload)

		require.Equal(t, title, grouping.MakeTitle(e), payload)
		require.NotEqual(t, grouping.ComputeKey(decodeEvent(t, `{"message":"cannot load"}`)), grouping.ComputeKey(e), payload)
	}
}

// A text that a page throws has no stack before @sentry/browser 11.
func TestThrownTexts(t *testing.T) {
	t.Parallel()
	browser := func(text string, frames ...core.Frame) *core.Event {
		e := thrownEvent("javascript", text, frames...)
		e.Message = core.Untrusted(text)
		return e
	}
	page := fileFrame("report", "https://a.example/a.js", 3)

	require.Equal(t, grouping.ComputeKey(browser("no cart")), grouping.ComputeKey(browser("no cart", page)))
	require.NotEqual(t, grouping.ComputeKey(browser("no cart", page)), grouping.ComputeKey(browser("no user", page)))
	require.Equal(t, "no cart", grouping.MakeTitle(browser("no cart", page)))

	one, two := thrownEvent("node", "no cart", ownFrame("report", "log")), thrownEvent("node", "no user", ownFrame("report", "log"))

	require.NotEqual(t, grouping.ComputeKey(one), grouping.ComputeKey(two), "one function reports both")
	require.Equal(t, grouping.ComputeKey(one), grouping.ComputeKey(thrownEvent("node", "no cart", ownFrame("report", "log"))))
}
