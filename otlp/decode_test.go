package otlp_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"errand/core"
	"errand/envelope"
	"errand/otlp"
)

func TestBothEncodingsMakeTheSameEvents(t *testing.T) {
	t.Parallel()
	boom := exceptionEvent("ValueError", "boom",
		newAttribute("n", math.MaxInt), newAttribute("ok", true), newAttribute("share", 0.25), newAttribute("nothing", math.Inf(1)),
		newAttribute("raw", []byte("\xff\x00")),
		newAttribute("list", []*commonpb.AnyValue{newAttribute("", "a").Value, newAttribute("", 2).Value}),
		newAttribute("map", newAttributes("a", "b")))
	failing := newSpan("outside1", "", boom)
	failing.Kind, failing.Attributes = tracepb.Span_SPAN_KIND_SERVER, newAttributes("http.request.method", "GET", "url.path", "/cart")
	for _, request := range []proto.Message{
		tracesOf("python", failing, newSpan("healthy1", "outside1")),
		logsOf(&logspb.LogRecord{
			TimeUnixNano: exceptionTime, SeverityNumber: logspb.SeverityNumber_SEVERITY_NUMBER_WARN2, TraceId: traceID,
			SpanId: []byte("12345678"),
			Body:   newAttribute("", "it went wrong").Value, Attributes: boom.Attributes,
		}),
	} {
		want := readEvents(t, marshalWire(t, request), otlp.Protobuf, signalOf(request))

		require.Len(t, want, 1)
		require.Equal(t, want, readEvents(t, jsonOf(t, request), otlp.JSON, signalOf(request)))
		require.JSONEq(t, `{"n":9223372036854775807,"ok":true,"share":0.25,"nothing":"+Inf","raw":"/wA=","list":["a",2],"map":{"a":"b"}}`,
			string(want[0].Extra.AppendJSON(nil)))
	}
}

// stacks are values of exception.stacktrace from SDKs of each language.
var stacks = map[string]struct {
	typ, stack       string
	platform, reads  string // the event's platform, and its exception's type
	module           string
	frames, causes   int
	outermost, cause string // functions
}{
	"java": {
		typ: "com.shop.CartException", platform: "java", reads: "CartException", module: "com.shop", frames: 2, causes: 1,
		outermost: "load",
		stack: "com.shop.CartException: no cart\n\tat com.shop.Cart.load(Cart.java:12)\n\tat com.shop.Main.main(Main.java:3)\n" +
			"Caused by: java.io.IOException: refused\n\tat com.shop.Net.open(Net.java:9)\n\t... 2 more\n", cause: "open",
	},
	"nodejs": {
		typ: "TypeError", platform: "node", reads: "TypeError", frames: 2, outermost: "load",
		stack: "TypeError: no cart\n    at load (/app/cart.js:12:7)\n    at Object.<anonymous> (/app/main.js:3:1)",
	},
	"webjs": {
		typ: "TypeError", platform: "javascript", reads: "TypeError", frames: 1, outermost: "load",
		stack: "load@https://shop.example/app.js:12:7",
	},
	"go": {
		typ: "*fs.PathError", platform: "go", reads: "*fs.PathError", frames: 2, outermost: "load",
		stack: "goroutine 1 [running]:\nmain.load(0x1)\n\t/app/cart.go:12 +0x1d\nmain.main()\n\t/app/main.go:3 +0x2c\n",
	},
	"ruby": {
		typ: "Shop::CartError", platform: "ruby", reads: "Shop::CartError", frames: 2, outermost: "load",
		stack: "/app/cart.rb:12:in 'load': no cart (Shop::CartError)\n\tfrom /app/main.rb:3:in '<main>'\n",
	},
	"php": {
		typ: `Shop\CartException`, platform: "php", reads: `Shop\CartException`, frames: 2,
		stack: "Shop\\CartException: no cart in /app/cart.php:12\nStack trace:\n#0 /app/main.php(3): load()\n#1 {main}",
	},
	"dotnet": {
		typ: "Shop.CartException", platform: "csharp", reads: "Shop.CartException", frames: 2, outermost: "Load",
		stack: "Shop.CartException: no cart\n   at Shop.Cart.Load() in /app/Cart.cs:line 12\n   at Shop.Main.Run() in /app/Main.cs:line 3",
	},
	"rust": {
		typ: "CartError", platform: "rust", reads: "CartError", frames: 2,
		stack: "   0: shop::load\n             at /app/src/cart.rs:12:5\n   1: shop::main\n             at /app/src/main.rs:3:5\n",
	},
	"": { // the stack says which language it is
		typ: "CartError", platform: "python", reads: "CartError", frames: 1, outermost: "load",
		stack: "Traceback (most recent call last):\n  File \"/app/cart.py\", line 12, in load\n    raise CartError()\nCartError: no cart\n",
	},
	"erlang": {typ: "ArithmeticError", stack: "who knows", platform: "elixir", reads: "ArithmeticError"},
}

func TestStacksOfLanguages(t *testing.T) {
	t.Parallel()
	for language, tt := range stacks {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			m := tracesOf(language,
				newSpan("12345678", "", exceptionEvent(tt.typ, "no cart", newAttribute("exception.stacktrace", tt.stack))))
			event := readEvents(t, marshalWire(t, m), otlp.Protobuf, otlp.Traces)[0]

			require.Equal(t, tt.platform, event.Platform)
			require.Len(t, event.Exceptions, 1+tt.causes)

			exception := event.Exceptions[0]
			want := []core.Untrusted{core.Untrusted(tt.reads), "no cart", core.Untrusted(tt.module)}

			require.Equal(t, want, []core.Untrusted{exception.Type, exception.Value, exception.Module})
			require.Len(t, exception.Frames, tt.frames)

			if tt.outermost != "" {
				require.EqualValues(t, tt.outermost, exception.Frames[0].Function)
			}
			if tt.causes > 0 {
				require.EqualValues(t, tt.cause, event.Exceptions[1].Frames[0].Function)
			}
			if tt.frames == 0 {
				require.Equal(t, tt.stack, event.Extra.Get("exception.stacktrace").Text, "people may read it")
			} else {
				require.True(t, exception.Frames[0].InApp)
			}
			source := core.SourceServer
			if language == "webjs" {
				source = core.SourceBrowser
			}

			require.Equal(t, source, envelope.SourceOf(string(event.SDK.Name), event.Platform))
		})
	}
}

func TestSeverityIsTheLevel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		number logspb.SeverityNumber
		text   string
		want   string
	}{
		{1, "", "debug"}, {5, "", "debug"}, {9, "", "info"}, {13, "", "warning"}, {16, "ERROR", "warning"}, {17, "", "error"},
		{24, "", "fatal"},
		{0, "WARN", "warning"}, {0, "critical", "fatal"}, {0, "", "error"}, {99, "", "fatal"}, {-5, "", "error"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			m := logsOf(&logspb.LogRecord{SeverityNumber: tt.number, SeverityText: tt.text,
				Attributes: newAttributes("exception.message", "boom")})
			require.Equal(t, tt.want, readEvents(t, marshalWire(t, m), otlp.Protobuf, otlp.Logs)[0].Level, tt)
		})
	}
}

func TestEscapedMeansUnhandled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		escaped any
		handled *bool
	}{
		{"True", new(false)}, {true, new(false)}, {"False", new(true)}, {false, new(true)}, {"who knows", nil}, {nil, nil},
	} {
		m := tracesOf("python",
			newSpan("12345678", "", exceptionEvent("ValueError", "boom", newAttribute("exception.escaped", tt.escaped))))
		require.Equal(t, tt.handled, readEvents(t, marshalWire(t, m), otlp.Protobuf, otlp.Traces)[0].Exceptions[0].Mechanism.Handled,
			tt.escaped)
	}
}

func TestOnlyExceptionsAreEvents(t *testing.T) {
	t.Parallel()
	failed := newSpan("12345678", "", &tracepb.Span_Event{Name: "retry", Attributes: newAttributes("exception.type", "ValueError")})
	failed.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: "exception"}
	batch := readBatch(t, tracesOf("go", failed, newSpan("23456789", "12345678")))

	require.Equal(t, 2, batch.Items)
	require.Zero(t, batch.Len()+batch.Rejected)

	batch = readBatch(t, logsOf(
		&logspb.LogRecord{SeverityNumber: logspb.SeverityNumber_SEVERITY_NUMBER_FATAL,
			Body: newAttribute("", "exception.type: none").Value},
		&logspb.LogRecord{Attributes: newAttributes("exception.id", "7")}, new(logspb.LogRecord)))

	require.Equal(t, 3, batch.Items)
	require.Zero(t, batch.Len()+batch.Rejected)
}

// TestRequestIsThatWhichWasServed: an exception deeper inside has the request of the span around it, never an outgoing request.
func TestRequestIsThatWhichWasServed(t *testing.T) {
	t.Parallel()
	serving := newSpan("serving1", "", exceptionEvent("TimeoutError", "no answer"))
	serving.Kind = tracepb.Span_SPAN_KIND_SERVER
	serving.Attributes = append(newAttributes(
		"http.method", "post", "http.scheme", "http", "http.host", "shop.example:8080", "http.target", "/pay?step=2",
		"enduser.id", "u-17", "http.user_agent", "curl/8"),
		newAttribute("http.request.header.x-tenant", []*commonpb.AnyValue{newAttribute("", "a").Value, newAttribute("", "b").Value}))
	calling := newSpan("calling1", "serving1", exceptionEvent("TimeoutError", "no answer"))
	calling.Kind, calling.Attributes = tracepb.Span_SPAN_KIND_CLIENT,
		newAttributes("url.full", "https://bank.example/", "http.request.method", "GET")
	list := readEvents(t, marshalWire(t, tracesOf("ruby", calling, serving)), otlp.Protobuf, otlp.Traces)

	require.Len(t, list, 1)

	event := list[0]

	require.EqualValues(t, "span calling1", event.Transaction)
	require.EqualValues(t, "POST", event.Request.Method)
	require.EqualValues(t, "http://shop.example:8080/pay", event.Request.URL)
	require.Equal(t, "2", event.Request.Query.Get("step").Text)
	require.Equal(t, "a, b", event.Request.Headers.Get("x-tenant").Text)
	require.Equal(t, "curl/8", event.Request.Headers.Get("user-agent").Text)
	require.Equal(t, "u-17", event.User.Get("id").Text)
	require.Equal(t, "u-17", event.Identity)
	require.Equal(t, "https://bank.example/", event.Contexts.Get("otel").Get("attributes").Get("url.full").Text)

	list = readEvents(t, marshalWire(t, tracesOf("ruby", calling)), otlp.Protobuf, otlp.Traces)

	require.Nil(t, list[0].Request)
}
