package envelope_test

import (
	"strings"
	"testing"

	"errand/core"
	"errand/envelope"

	"github.com/stretchr/testify/require"
)

// listItems writes what SplitEnvelope found in one line: type:payload and the problems.
func listItems(env envelope.Envelope) string {
	var parts []string
	for _, item := range env.Items {
		parts = append(parts, item.Type+":"+string(item.Payload))
	}
	for _, p := range env.Problems {
		parts = append(parts, p.Path+" "+p.Reason)
	}
	return strings.Join(parts, " | ")
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, want string }{
		{"with lengths", "{}\n{\"type\":\"event\",\"length\":2}\n{}\n{\"type\":\"session\",\"length\":3}\n123\n", "event:{} | session:123"},
		{"without lengths", "{}\n{\"type\":\"event\"}\n{\"a\":1}\n{\"type\":\"session\"}\n{}\n", "event:{\"a\":1} | session:{}"},
		{"no last newline", "{}\n{\"type\":\"event\"}\n{}", "event:{}"},
		{"length and no last newline", "{}\n{\"type\":\"event\",\"length\":2}\n{}", "event:{}"},
		{"null length", "{}\n{\"type\":\"event\",\"length\":null}\n{}\n", "event:{}"},
		{"carriage returns", "{}\r\n{\"type\":\"event\"}\r\n{}\r\n{\"type\":\"log\",\"length\":1}\r\nx\r\n", "event:{}\r | log:x"},
		{"newlines in the payload", "{}\n{\"type\":\"attachment\",\"length\":5}\na\nb\nc\n{\"type\":\"event\"}\n{}\n",
			"attachment:a\nb\nc | event:{}"},
		{"zero length", "{}\n{\"type\":\"attachment\",\"length\":0}\n\n{\"type\":\"event\"}\n{}\n", "attachment: | event:{}"},
		{"zero length at the end", "{}\n{\"type\":\"attachment\",\"length\":0}", "attachment:"},
		{"zero length without a line", "{}\n{\"type\":\"attachment\",\"length\":0}\n{\"type\":\"event\"}\n{}\n",
			"attachment: | event:{}"},
		{"empty payload", "{}\n{\"type\":\"event\"}\n\n{\"type\":\"session\"}\n{}", "event: | session:{}"},
		{"blank lines between", "{}\n\n\n{\"type\":\"event\"}\n{}\n\n\n", "event:{}"},
		{"no items", "{}", ""},
		{"no items but a newline", "{\"event_id\":\"x\"}\n", ""},
		{"header without payload", "{}\n{\"type\":\"event\"}", "event:"},
		{"several events", "{}\n{\"type\":\"event\"}\n1\n{\"type\":\"event\"}\n2\n", "event:1 | event:2"},
		{"unknown type", "{}\n{\"type\":\"novelty\"}\nx\n{\"type\":\"event\"}\n{}\n", "novelty:x | event:{}"},
		{"missing type", "{}\n{\"length\":1}\nx\n{\"type\":\"event\"}\n{}\n", "event:{} | items.0 the item's header has no type"},
		{"type that is no text", "{}\n{\"type\":7}\nx\n{\"type\":\"event\"}\n{}\n", "event:{} | items.0 the item's header has no type"},
		{"header that is no JSON", "{}\nnonsense\n{\"x\":1}\n{\"type\":\"event\"}\n{}\n",
			"event:{} | items.0 the item's header is not a JSON object"},
		{"header that is broken", "{}\n{\"type\":\"event\",\n{\"x\":1}\n{\"type\":\"event\"}\n{}\n",
			"event:{} | items.0 the item's header is not valid JSON: a comma before the closing bracket at byte 16"},
		{"broken item between others",
			"{}\n{\"type\":\"event\"}\n1\n[]\n{\"type\":\"transaction\",\"spans\":[]}\n{\"type\":\"event\"}\n2\n",
			"event:1 | event:2 | items.1 the item's header is not a JSON object"},
		{"length beyond the end", "{}\n{\"type\":\"event\",\"length\":99}\n{}\n",
			"items.0 the item's length of 99 is beyond the end of the envelope"},
		{"length beyond the end with neighbours",
			"{}\n{\"type\":\"event\"}\n1\n{\"type\":\"event\",\"length\":99}\n{}\n{\"type\":\"event\",\"length\":1}\n3",
			"event:1 | event:3 | items.1 the item's length of 99 is beyond the end of the envelope"},
		{"length too short", "{}\n{\"type\":\"event\",\"length\":2}\n{\"a\":1}\n{\"type\":\"event\"}\n2\n",
			"event:{\"a\":1} | event:2 | items.0 the item's length of 2 ends inside a line; all of the line was taken"},
		{"negative length", "{}\n{\"type\":\"event\",\"length\":-1}\n{}\n{\"type\":\"event\"}\n2\n",
			"event:2 | items.0 the item's length is not a whole number of bytes"},
		{"length with a fraction", "{}\n{\"type\":\"event\",\"length\":1.5}\n{}\n{\"type\":\"event\"}\n2\n",
			"event:2 | items.0 the item's length is not a whole number of bytes"},
		{"huge length", "{}\n{\"type\":\"event\",\"length\":99999999999999999999}\n{}\n",
			"items.0 the item's length is not a whole number of bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env, err := envelope.SplitEnvelope([]byte(tt.body))
			require.NoError(t, err)

			require.Equal(t, tt.want, listItems(env))
		})
	}
}

func TestSplitHeader(t *testing.T) {
	t.Parallel()
	env, err := envelope.SplitEnvelope([]byte(`{"event_id":"0d5d7f5e-44b9-4e9d-b4e5-b9b5f2f6c111","dsn":"https://k@h/1","sent_at":"x",` +
		`"sdk":{"name":"sentry.go","version":"1","packages":[]},"trace":{"a":"b"}}`))
	require.NoError(t, err)

	require.Equal(t, envelope.Header{EventID: "0d5d7f5e44b94e9db4e5b9b5f2f6c111", DSN: "https://k@h/1", SDK: "sentry.go/1"}, env.Header)

	env, err = envelope.SplitEnvelope([]byte(`{"event_id":5,"dsn":null,"sdk":"x"}`))
	require.NoError(t, err)

	require.Zero(t, env.Header)
}

func TestSplitErrors(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"":               "the envelope has no header line",
		"\n\n":           "the envelope has no header line",
		"[]\n":           "the envelope's header is not a JSON object",
		"hello":          "the envelope's header is not a JSON object",
		"{\"a\":1\n{}\n": "the envelope's header is not valid JSON: the end inside an object or array at byte 6",
		"{} {}\n":        "the envelope's header is not valid JSON: more text behind the header at byte 3",
	} {
		t.Run(body, func(t *testing.T) {
			_, err := envelope.SplitEnvelope([]byte(body))
			require.EqualError(t, err, want)
		})
	}
}

func TestSplitManyItems(t *testing.T) {
	t.Parallel()
	env, err := envelope.SplitEnvelope([]byte("{}\n" + strings.Repeat("{\"type\":\"event\"}\n{}\n", 1500)))
	require.NoError(t, err)

	require.Len(t, env.Items, 1000)
	require.Equal(t, "the envelope has more than 1000 items; the rest is left out", env.Problems[0].Reason)
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	require.Equal(t, envelope.Event, envelope.KindOf("event"))
	for _, typ := range []string{"session", "sessions", "transaction"} {
		require.Equal(t, envelope.SignOfLife, envelope.KindOf(typ), typ)
	}
	for _, typ := range []string{
		"client_report", "user_report", "feedback", "attachment", "profile", "profile_chunk", "replay_event", "replay_recording",
		"replay_video", "check_in", "span", "log", "metric", "trace_metric", "statsd", "metric_buckets", "metric_meta", "raw_security",
	} {
		t.Run(typ, func(t *testing.T) {
			require.Equal(t, envelope.Dropped, envelope.KindOf(typ))
		})
	}
	require.Equal(t, envelope.Unknown, envelope.KindOf("novelty"))

	env, err := envelope.SplitEnvelope([]byte("{}\n{\"type\":\"sessions\"}\n{}\n"))
	require.NoError(t, err)

	require.Equal(t, envelope.SignOfLife, env.Items[0].Kind)
}

func TestSourceOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		sdk, platform string
		want          core.Source
	}{
		{"sentry.javascript.browser", "javascript", core.SourceBrowser},
		{"sentry.javascript.react", "javascript", core.SourceBrowser},
		{"sentry.javascript.node", "node", core.SourceServer},
		{"sentry.javascript.nextjs", "node", core.SourceServer},
		{"sentry.javascript.nextjs", "javascript", core.SourceBrowser},
		{"sentry.javascript.react-router", "node", core.SourceServer},
		{"sentry.javascript.react-router", "javascript", core.SourceBrowser},
		{"sentry.javascript.remix", "node", core.SourceServer},
		{"sentry.javascript.sveltekit", "node", core.SourceServer},
		{"sentry.javascript.sveltekit", "javascript", core.SourceBrowser},
		{"sentry.javascript.nuxt", "node", core.SourceServer},
		{"sentry.javascript.astro", "node", core.SourceServer},
		{"sentry.javascript.solidstart", "node", core.SourceServer},
		{"sentry.javascript.solid", "javascript", core.SourceBrowser},
		{"sentry.javascript.tanstackstart-react", "node", core.SourceServer},
		{"sentry.javascript.gatsby", "node", core.SourceServer},
		{"sentry.javascript.gatsby", "javascript", core.SourceBrowser},
		{"sentry-cli", "other", core.SourceServer},
		{"sentry-cli", "", core.SourceServer},
		{"sentry-client", "", core.SourceUnknown},
		{"sentry.javascript.react-native", "javascript", core.SourceMobile},
		{"sentry.javascript.capacitor", "javascript", core.SourceMobile},
		{"sentry.javascript.electron", "node", core.SourceUnknown},
		{"sentry.java.android.timber", "java", core.SourceMobile},
		{"sentry.java.spring-boot.jakarta", "java", core.SourceServer},
		{"sentry.dart.flutter", "other", core.SourceMobile},
		{"sentry.dotnet.maui", "csharp", core.SourceMobile},
		{"sentry.dotnet.unity", "csharp", core.SourceMobile},
		{"sentry.dotnet.aspnetcore", "csharp", core.SourceServer},
		{"sentry.cocoa", "cocoa", core.SourceMobile},
		{"sentry.native", "native", core.SourceUnknown},
		{"Sentry.Python.django", "", core.SourceServer},
		{"sentry.go", "", core.SourceServer},
		{"sentry.gopher", "", core.SourceUnknown},
		{"raven-js", "javascript", core.SourceBrowser},
		{"", "ruby", core.SourceServer},
		{"", "javascript", core.SourceBrowser},
		{"", "java.android", core.SourceMobile},
		{"my-client", "php", core.SourceServer},
		{"", "", core.SourceUnknown},
		{"", "other", core.SourceUnknown},
	} {
		t.Run(tt.sdk, func(t *testing.T) {
			require.Equal(t, tt.want, envelope.SourceOf(tt.sdk, tt.platform), "%s %s", tt.sdk, tt.platform)
		})
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("{}\n{\"type\":\"event\",\"length\":2}\n{}\n{\"type\":\"session\"}\n123\n")
	f.Add("{\"dsn\":\"x\"}\n[]\n{\"length\":-1}\nx\n{\"type\":\"event\",\"length\":99}\n")
	f.Fuzz(func(t *testing.T, body string) {
		env, err := envelope.SplitEnvelope([]byte(body))
		if err != nil {
			return
		}
		for _, item := range env.Items {
			require.NotEmpty(t, item.Type)
			require.True(t, len(item.Payload) == 0 || strings.Contains(body, string(item.Payload)))
		}
		// In any envelope, the items do not break a well-formed item in front of them.
		header, rest, _ := strings.Cut(body, "\n")
		more, err := envelope.SplitEnvelope([]byte(header + "\n{\"type\":\"event\",\"length\":4}\n{  }\n" + rest))
		require.NoError(t, err)
		require.Equal(t, "{  }", string(more.Items[0].Payload))
		if len(env.Items)+len(env.Problems) < 50 {
			require.Len(t, more.Items, len(env.Items)+1)
		}
	})
}
