package envelope_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/envelope"
)

func decodeNotice(t *testing.T, body string) *core.Event {
	t.Helper()
	event, err := new(envelope.Decoder).DecodeNotice([]byte(body), envelope.Hints{ReceivedAt: receivedAt, PeerIP: "198.51.100.4"})
	require.NoError(t, err, body)
	return event
}

// describeFrame writes a frame in a line: file, line, function, module, and whether it is the
// application's.
func describeFrame(f core.Frame) string {
	text := string(f.Filename) + "|" + string(f.Function) + "|" + string(f.Module)
	if f.InApp {
		text += "|app"
	}
	return text
}

func TestNoticeBacktraces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		notifier, backtrace string
		want                []string
	}{
		"Ruby": {`"language":"ruby"`, `["[PROJECT_ROOT]/app/cart.rb:12:in 'Shop::Cart#add'",
			"/usr/lib/ruby/gems/3.3.0/gems/rack-3/lib/rack.rb:3:in ` + "`call'" + `"]`,
			[]string{"app/cart.rb|Shop::Cart#add|Shop::Cart|app", "/usr/lib/ruby/gems/3.3.0/gems/rack-3/lib/rack.rb|call|"}},
		"Go": {`"language":"go"`, `["/app/cart.go:7 in example.com/shop/cart.(*Cart).Add",
			"/usr/local/go/src/net/http/server.go:2220 in net/http.HandlerFunc.ServeHTTP"]`,
			[]string{"/app/cart.go|(*Cart).Add|example.com/shop/cart|app",
				"/usr/local/go/src/net/http/server.go|HandlerFunc.ServeHTTP|net/http"}},
		"Python sends the oldest call first": {`"language":"python"`, `["/app/main.py:3 in <module>",
			"/venv/lib/python3.11/site-packages/flask/app.py:9 in run"]`,
			[]string{"flask/app.py|run|", "/app/main.py|<module>||app"}},
		"Node": {`"name":"@checkend/node","language":"javascript"`, `["at Cart.add ([PROJECT_ROOT]/src/cart.js:4:11)",
			"at file://[PROJECT_ROOT]/main.mjs:2:1",
			"at node:internal/process:9:1"]`,
			[]string{"src/cart.js|Cart.add||app", "./main.mjs|||app", "node:internal/process||"}},
		"a browser": {`"language":"javascript"`, `["add@https://shop.example/app.js:1:20","https://shop.example/app.js:0:0",
			"https://shop.example/other.js:2:7"]`,
			[]string{"/app.js|add||app", "/app.js:0:0|||app", "/other.js|||app"}},
		"Java": {`"language":"java"`, `[{"file":"Cart.java","line":5,"method":"com.shop.Cart.add"},
			{"file":"Unknown","line":-2,"method":"java.lang.Thread.run"}]`,
			[]string{"Cart.java|add|com.shop.Cart|app", "Unknown|run|java.lang.Thread"}},
		"PHP": {`"language":"php"`, `["[PROJECT_ROOT]/src/Cart.php:9",
			"/app/vendor/lib/run.php:0 in Shop\\Cart->add","[PROJECT_ROOT]/index.php:3 in run"]`,
			[]string{`src/Cart.php|add|Shop\Cart|app`, "/app/vendor/lib/run.php|run|", "./index.php|||app"}},
		"Elixir": {`"language":"elixir"`, `["lib/cart.ex:4 in Elixir.Shop.Cart.add/2"]`, []string{"lib/cart.ex|Elixir.Shop.Cart.add/2||app"}},
		".NET": {`"language":"csharp"`, `[{"file":"/src/Cart.cs","line":5,"method":"Shop.Cart.Add"}]`,
			[]string{"/src/Cart.cs|Add|Shop.Cart|app"}},
		"objects": {`"language":"ruby"`, `[{"file":"a.rb","line":"3","function":"go","code":{}},null,{},{"path":"b.rb","name":"run"}]`,
			[]string{"a.rb|go||app", "b.rb|run||app"}},
		"what nobody can read": {`"language":"perl"`, `["main::add called somewhere",5]`,
			[]string{"main::add called somewhere|||app", "5|||app"}},
		"one text": {`"language":"ruby"`, `"a.rb:1:in 'x'\nb.rb:2:in 'y'\n"`, []string{"a.rb|x||app", "b.rb|y||app"}},
		"none":     {`"language":"ruby"`, `null`, nil},
		"no list":  {`"language":"ruby"`, `5`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event := decodeNotice(t, `{"error":{"class":"E","backtrace":`+c.backtrace+`},"notifier":{`+c.notifier+`}}`)
			var lines []string
			for _, f := range event.Exceptions[0].Frames {
				lines = append(lines, describeFrame(f))
			}
			require.Equal(t, c.want, lines)
		})
	}
}

func TestNoticeKeepsAllThatItSays(t *testing.T) {
	t.Parallel()
	event := decodeNotice(t, `{"unknown":[1],"error":{"class":" CartError ","message":"no such cart","fingerprint":"cart",
		"occurred_at":"2026-01-03T18:22:40Z","tags":["billing","slow"]},"context":{"environment":"staging","revision":"abc123","cart":{"id":7}},
		"request":{"url":"https://shop.example/cart?id=7","method":"post","headers":{"Accept":"*/*"},"params":{"id":7},
		"remoteIp":"203.0.113.9"},"user":{"id":5,"email":"ann@example.com"},"notifier":{"name":"checkend-ruby","version":"1.0","language":"ruby",
		"language_version":"3.3.0"},"server":{"hostname":"web-1"}}`)
	require.EqualValues(t, "CartError", event.Exceptions[0].Type)
	require.EqualValues(t, "no such cart", event.Exceptions[0].Value)
	require.Equal(t, core.List[core.Untrusted]{"cart"}, event.Fingerprint)
	require.Equal(t, "2026-01-03T18:22:40Z", event.Timestamp.UTC().Format("2006-01-02T15:04:05Z"))
	require.EqualValues(t, "staging", event.Environment)
	require.EqualValues(t, "abc123", event.Release)
	require.EqualValues(t, "web-1", event.ServerName)
	require.Equal(t, "5", event.Identity)
	require.EqualValues(t, "POST", event.Request.Method)
	require.EqualValues(t, "https://shop.example/cart", event.Request.URL)
	for path, want := range map[string]core.Value{
		`{"cart":{"id":7},"revision":"abc123"}`: event.Extra,
		`{"billing":"true","slow":"true"}`:      event.Tags,
		`{"id":"7"}`:                            event.Request.Query,
		`{"params":{"id":7},"remoteIp":"203.0.113.9","url":"https://shop.example/cart?id=7"}`: event.Contexts.Get("request"),
		`{"name":"ruby","version":"3.3.0"}`:                                                   event.Contexts.Get("runtime"),
	} {
		text, err := core.MarshalPlain(want)
		require.NoError(t, err)
		require.JSONEq(t, path, string(text))
	}
}

func TestNoticesThatAreRefused(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		``: "the event is not a JSON object", `[]`: "the event is not a JSON object", `{"error":{"class":"E"}`: "not valid JSON: ",
		`{}`: "error.class is required", `{"error":"E"}`: "error.class is required", `{"error":{"class":"  "}}`: "error.class is required",
		`{"error":{"class":null,"message":"m"}}`: "error.class is required",
	} {
		_, err := new(envelope.Decoder).DecodeNotice([]byte(body), envelope.Hints{ReceivedAt: receivedAt})
		require.True(t, core.HasCode(err, core.InvalidRequest), body)
		require.Contains(t, core.AsError(err).Details[0].Message, want, body)
	}
}

// FuzzDecodeNotice: every notice is refused or has a class, and the kept part is bounded.
func FuzzDecodeNotice(f *testing.F) {
	f.Add(`{"error":{"class":"E","message":"m","backtrace":["a.rb:1:in 'x'",{"file":"a","line":1}],"tags":["a"],"fingerprint":"f"}}`)
	f.Add(`{"error":{"class":"E","backtrace":"at f (a.js:1:2)\n"},"context":{"environment":5},"request":{"query":"a=b","x":1},"user":7}`)
	f.Add(`{"error":{"class":"E","backtrace":{"values":["a:1 in b"]}},"notifier":{"language":"PYTHON","language_version":3},"server":[]}`)
	f.Fuzz(func(t *testing.T, body string) {
		decoder := new(envelope.Decoder)
		for range 2 { // the second time in used memory
			event, err := decoder.DecodeNotice([]byte(body), envelope.Hints{ReceivedAt: receivedAt})
			if err != nil {
				require.True(t, core.HasCode(err, core.InvalidRequest))
				return
			}
			require.NotEmpty(t, event.Exceptions[0].Type)
			envelope.LimitEvent(event)
			require.LessOrEqual(t, len(event.Exceptions[0].Frames), 250)
		}
	})
}
