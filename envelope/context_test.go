package envelope_test

import (
	"testing"

	"errand/core"
	"errand/envelope"

	"github.com/stretchr/testify/require"
)

func TestDecodeUser(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, payload, want, identity string }{
		{"all", `{"user":{"id":"7","email":"a@b.c","username":"u","ip_address":"10.0.0.1","geo":{"city":"X"}}}`,
			`{"id":"7","email":"a@b.c","username":"u","ip_address":"10.0.0.1","geo":{"city":"X"}}`, "7"},
		{"number for an id", `{"user":{"id":7}}`, `{"id":7}`, "7"},
		{"email", `{"user":{"id":"  ","email":" a@b.c "}}`, `{"id":"  ","email":" a@b.c "}`, "a@b.c"},
		{"username", `{"user":{"id":null,"username":"u"}}`, `{"id":null,"username":"u"}`, "u"},
		{"address", `{"user":{"ip_address":"10.0.0.1"}}`, `{"ip_address":"10.0.0.1"}`, "10.0.0.1"},
		{"address of the peer", `{"user":{"ip_address":"{{auto}}","segment":"x"}}`, `{"ip_address":"198.51.100.4","segment":"x"}`,
			"198.51.100.4"},
		{"address of the peer by a setting", `{"sdk":{"name":"s","settings":{"infer_ip":"auto"}}}`, `{"ip_address":"198.51.100.4"}`,
			"198.51.100.4"},
		{"the address that was sent wins", `{"user":{"ip_address":"10.0.0.1"},"sdk":{"settings":{"infer_ip":"auto"}}}`,
			`{"ip_address":"10.0.0.1"}`, "10.0.0.1"},
		{"address not wanted", `{"user":{"ip_address":"{{auto}}"},"sdk":{"settings":{"infer_ip":"never"}}}`, `{}`, ""},
		{"browser without a word about it", `{"platform":"javascript"}`, `null`, ""},
		{"text", `{"user":"ada"}`, `{"id":"ada"}`, "ada"},
		{"null", `{"user":null}`, `null`, ""},
		{"empty", `{"user":{}}`, `null`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := decodeEvent(t, tt.payload)

			require.Empty(t, e.Problems)
			require.JSONEq(t, tt.want, string(e.User.AppendJSON(nil)))
			require.Equal(t, tt.identity, e.Identity)
		})
	}
	e, err := new(envelope.Decoder).Decode([]byte(`{"user":{"ip_address":"{{auto}}"}}`), envelope.Hints{ReceivedAt: receivedAt})
	require.NoError(t, err)

	require.Empty(t, e.Identity, "the peer is not known")
}

func TestDecodeTags(t *testing.T) {
	t.Parallel()
	runShapes(t, []payloadShape{
		{"object", `{"tags":{"a":"x","b":1.50,"c":true,"d":null}}`, `{"tags":{"a":"x","b":"1.50","c":"true"}}`},
		{"pairs", `{"tags":[["a","x"],["b",2],[3,"z"],null]}`, `{"tags":{"a":"x","b":"2","3":"z"}}`},
		{"keys and values", `{"tags":[{"key":"a","value":"x"},{"key":"b","value":2}]}`, `{"tags":{"a":"x","b":"2"}}`},
		{"the last of two", `{"tags":[["a","x"],["b","y"],["a","z"]]}`, `{"tags":{"b":"y","a":"z"}}`},
		{"containers", `{"tags":{"a":{},"b":"x"}}`,
			`{"tags":{"b":"x"},"problems":[{"path":"tags","reason":"has a member that is neither a text nor a number nor a boolean"}]}`},
		{"no pairs", `{"tags":[["a"],"b",["c","d"]]}`,
			`{"tags":{"c":"d"},"problems":[{"path":"tags","reason":"has an element that is not a pair"},
			{"path":"tags","reason":"has an element that is not a pair"}]}`},
		{"text", `{"tags":"a=b"}`,
			`{"tags":null,"problems":[{"path":"tags","reason":"a text where an object or a list of pairs is needed"}]}`},
		{"number", `{"tags":1}`, `{"tags":null,"problems":[{"path":"tags","reason":"neither an object nor a list of pairs"}]}`},
		{"null", `{"tags":null}`, `{"tags":null}`},
	})
}

func TestDecodeContextsAndExtra(t *testing.T) {
	t.Parallel()
	runShapes(t, []payloadShape{
		{"types", `{"contexts":{"os":{"type":"os","name":"Linux"},"server-os":{"type":"os"},"trace":null}}`,
			`{"contexts":{"os":{"name":"Linux"},"server-os":{"type":"os"}}}`},
		{"no object inside", `{"contexts":{"a":"x","b":{"c":1}}}`,
			`{"contexts":{"b":{"c":1}},"problems":[{"path":"contexts","reason":"has a member that is not an object"}]}`},
		{"no object", `{"contexts":[1],"extra":"x"}`, `{"contexts":null,"extra":null,"problems":[
			{"path":"contexts","reason":"not an object"},{"path":"extra","reason":"not an object"}]}`},
		{"anything", `{"extra":{"a":[1,-2.5e3,"x",null,true,{"b":[]}],"":{}}}`, `{"extra":{"a":[1,-2.5e3,"x",null,true,{"b":[]}],"":{}}}`},
	})
}

func TestDecodeBreadcrumbs(t *testing.T) {
	t.Parallel()
	runShapes(t, []payloadShape{
		{"values", `{"breadcrumbs":{"values":[{"timestamp":1767464570.5,"type":"http","category":"c","level":"info","message":"m",` +
			`"data":{"a":1},"x":1}]}}`,
			`{"breadcrumbs":[{"timestamp":"2026-01-03T18:22:50.500Z","type":"http","category":"c","level":"info","message":"m",` +
				`"data":{"a":1}}]}`},
		{"list", `{"breadcrumbs":[{"message":"a"},null,{"message":{"b":1}}]}`, `{"breadcrumbs":[{"message":"a"},{"message":"{\"b\":1}"}]}`},
		{"empty", `{"breadcrumbs":{"values":[]}}`, `{"breadcrumbs":null}`},
		{"old ones keep their time", `{"breadcrumbs":[{"timestamp":"2001-01-01T00:00:00Z"}]}`,
			`{"breadcrumbs":[{"timestamp":"2001-01-01T00:00:00.000Z"}]}`},
		{"a list with gaps, as PHP writes it", `{"breadcrumbs":{"values":{"0":{"message":"a"},"2":{"message":"b"}}}}`,
			`{"breadcrumbs":[{"message":"a"},{"message":"b"}]}`},
		{"an element instead of a list", `{"breadcrumbs":{"values":{"message":"a"}}}`, `{"breadcrumbs":[{"message":"a"}]}`},
		{"wrong", `{"breadcrumbs":[5,{"timestamp":"x","message":"a"}]}`, `{"breadcrumbs":[{"message":"a"}],"problems":[
			{"path":"breadcrumbs.0","reason":"not an object"},
			{"path":"breadcrumbs.1.timestamp","reason":"not a time: neither seconds since 1970 nor RFC 3339"}]}`},
	})
}

func TestDecodeRequest(t *testing.T) {
	t.Parallel()
	in := func(request string) string { return `{"request":` + request + `}` }
	runShapes(t, []payloadShape{
		{"query of the URL", in(`{"method":"get","url":"http://x/p?a=1&b=%20z&b=y+y&c"}`),
			in(`{"method":"GET","url":"http://x/p","query":{"a":"1","b":[" z","y y"],"c":""}}`)},
		{"query as text", in(`{"url":"http://x/p?lost=1","query_string":"?a=1&a=2&a=3"}`),
			in(`{"url":"http://x/p","query":{"a":["1","2","3"]}}`)},
		{"query as object", in(`{"query_string":{"a":"1","b":["x","y"],"n":2}}`), in(`{"query":{"a":"1","b":["x","y"],"n":2}}`)},
		{"query as pairs", in(`{"query_string":[["a","1"],["b",null]]}`), in(`{"query":{"a":"1","b":null}}`)},
		{"repeated pairs of a query", in(`{"query_string":[["a","1"],["a","2"]]}`), in(`{"query":{"a":["1","2"]}}`)},
		{"empty query", in(`{"url":"http://x?a=1","query_string":""}`), in(`{"url":"http://x","query":{"a":"1"}}`)},
		{"bad escapes", in(`{"query_string":"a=%zz&b=%00x%ff"}`), in(`{"query":{"a":"%zz","b":"x\ufffd"}}`)},
		{"fragment", in(`{"url":"http://x/p#/users"}`), in(`{"url":"http://x/p#/users"}`)},
		{"fragment with credentials", in(`{"url":"http://x/p?a=1#access_token=t"}`), in(`{"url":"http://x/p","query":{"a":"1"}}`)},
		{"headers as object", in(`{"headers":{"Host":"h","Accept":["a","b"],"Age":5,"X":null}}`),
			in(`{"headers":{"Host":"h","Accept":"a, b","Age":"5","X":""}}`)},
		{"headers as pairs", in(`{"headers":[["Host","h"],["Accept",["a"]]]}`), in(`{"headers":{"Host":"h","Accept":"a"}}`)},
		{"repeated headers", in(`{"headers":[["X-A","1"],["X-A","2"]]}`), in(`{"headers":{"X-A":"1, 2"}}`)},
		{"headers as text", in(`{"headers":"Host: h\r\nX-Y: a:b\r\n\r\n"}`), in(`{"headers":{"Host":"h","X-Y":"a:b"}}`)},
		{"cookies as text", in(`{"cookies":"a=b; c=d=e;; f"}`), in(`{"cookies":{"a":"b","c":"d=e","f":""}}`)},
		{"cookies as object", in(`{"cookies":{"a":"b"}}`), in(`{"cookies":{"a":"b"}}`)},
		{"cookies as pairs", in(`{"cookies":[["a","b"]]}`), in(`{"cookies":{"a":"b"}}`)},
		{"data as JSON", in(`{"data":{"a":[1]}}`), in(`{"data":{"a":[1]}}`)},
		{"data as JSON in a text", in(`{"data":" {\"a\":[1,\"x\"]} "}`), in(`{"data":{"a":[1,"x"]}}`)},
		{"broken JSON stays text", in(`{"data":"{\"a\":"}`), in(`{"data":"{\"a\":"}`)},
		{"form", in(`{"data":"a=1&b=x+y","headers":{"content-type":"application/x-www-form-urlencoded; charset=utf-8"}}`),
			in(`{"data":{"a":"1","b":"x y"},"headers":{"content-type":"application/x-www-form-urlencoded; charset=utf-8"}}`)},
		{"form without a type", in(`{"data":"a=1&b=2"}`), in(`{"data":{"a":"1","b":"2"}}`)},
		{"text with a sign", in(`{"data":"a = b & c"}`), in(`{"data":"a = b & c"}`)},
		{"text of another type", in(`{"data":"a=1","headers":{"Content-Type":"text/plain"}}`),
			in(`{"data":"a=1","headers":{"Content-Type":"text/plain"}}`)},
		{"number", in(`{"data":5}`), in(`{"data":5}`)},
		{"null", in(`null`), in(`null`)},
		{"wrong", in(`"GET /"`), `{"request":null,"problems":[{"path":"request","reason":"not an object"}]}`},
		{"wrong parts", in(`{"headers":5,"cookies":true,"url":7}`), `{"request":{"url":"7"},"problems":[
			{"path":"request.headers","reason":"neither an object nor a list of pairs"},
			{"path":"request.cookies","reason":"neither an object nor a list of pairs"}]}`},
	})
}

func TestDecodeCSP(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ report, directive, blocked, message string }{
		{`{"effective_directive":"img-src","blocked_uri":"http://google.com/foo"}`, "img-src", "http://google.com/foo",
			"Blocked 'image' from 'google.com'"},
		{`{"effective-directive":"style-src-elem","blocked-uri":"https://f.org?x"}`, "style-src-elem", "https://f.org?x",
			"Blocked 'style' from 'f.org'"},
		{`{"violated_directive":"script-src 'self'","blocked_uri":"data"}`, "script-src", "data", "Blocked 'script' from 'data:'"},
		{`{"effective_directive":"script-src","blocked_uri":"data:text/plain,x"}`, "script-src", "data:text/plain,x",
			"Blocked 'script' from 'data:'"},
		{`{"effective_directive":"script-src","violated_directive":"script-src 'unsafe-inline'","blocked_uri":""}`, "script-src", "",
			"Blocked unsafe inline 'script'"},
		{`{"effective_directive":"script-src","violated_directive":"script-src 'unsafe-eval'","blocked_uri":"self"}`, "script-src",
			"self", "Blocked unsafe eval() 'script'"},
		{`{"effective_directive":"script-src","blocked_uri":""}`, "script-src", "", "Blocked unsafe (eval() or inline) 'script'"},
		{`{"effective_directive":"style-src","blocked_uri":"inline"}`, "style-src", "inline", "Blocked inline 'style'"},
		{`{"csp-report":{"effective-directive":"form-action","blocked-uri":"https://a.b/c"}}`, "form-action", "https://a.b/c",
			"Blocked 'form action' from 'a.b'"},
	} {
		t.Run(tt.message, func(t *testing.T) {
			t.Parallel()
			e := decodeEvent(t, `{"csp":`+tt.report+`}`)

			require.Equal(t, &core.Report{Kind: core.ReportCSP, Subject: tt.directive, Detail: tt.blocked}, e.Report)
			require.Equal(t, tt.message, string(e.Message))
			require.Equal(t, "csp", string(e.Logger))
			require.Equal(t, core.Object, e.Contexts.Get("csp").Kind)
		})
	}
	e := decodeEvent(t, `{"csp":{"document_uri":"http://x/p?a=1"},"logentry":"given","contexts":{"os":{"name":"L"}}}`)

	require.Equal(t, "given", string(e.Message))
	require.Equal(t, "http://x/p", string(e.Request.URL))
	require.Equal(t, "L", e.Contexts.Get("os").Get("name").Text)
	require.Nil(t, decodeEvent(t, `{"csp":null}`).Report)
}

func TestDecodeInApp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		platform, frame string
		inApp           bool
	}{
		{"node", `{"filename":"/srv/app/index.js"}`, true},
		{"node", `{"filename":"/srv/app/node_modules/pg/lib/query.js"}`, false},
		{"node", `{"filename":"node:internal/timers"}`, false},
		{"node", `{"filename":"events.js"}`, false},
		{"javascript", `{"filename":"https://x.org/app.js"}`, true},
		{"javascript", `{"filename":"[native code]","function":"map"}`, false},
		{"javascript", `{"filename":"chrome-extension://abc/x.js"}`, false},
		{"javascript", `{"function":"f"}`, false},
		{"python", `{"filename":"app/views.py","abs_path":"/srv/app/views.py"}`, true},
		{"python", `{"filename":"x.py","abs_path":"/v/lib/python3.12/site-packages/x.py"}`, false},
		{"python", `{"filename":"<frozen importlib._bootstrap>"}`, false},
		{"java", `{"module":"org.example.A","filename":"A.java"}`, true},
		{"java", `{"module":"org.springframework.web.X","filename":"X.java"}`, false},
		{"java", `{"module":"java.lang.Thread"}`, false},
		{"go", `{"module":"main","abs_path":"/src/main.go"}`, true},
		{"go", `{"module":"github.com/a/b","abs_path":"/root/go/pkg/mod/github.com/a/b@v1/x.go"}`, false},
		{"go", `{"module":"net/http","abs_path":"/usr/local/go/src/net/http/server.go"}`, false},
		{"ruby", `{"abs_path":"/app/models/x.rb"}`, true},
		{"ruby", `{"abs_path":"/usr/lib/ruby/gems/3.3/x.rb"}`, false},
		{"php", `{"abs_path":"/var/www/vendor/laravel/x.php"}`, false},
		{"php", `{"abs_path":"/var/www/app/x.php"}`, true},
		{"csharp", `{"module":"Shop.Cart","function":"Add"}`, true},
		{"csharp", `{"module":"Microsoft.AspNetCore.Mvc.X","function":"Invoke"}`, false},
		{"rust", `{"module":"core::panicking","function":"panic"}`, false},
		{"rust", `{"module":"app","function":"run","abs_path":"./src/main.rs"}`, true},
		{"cocoa", `{"function":"main","package":"/usr/lib/system/libdyld.dylib"}`, false},
		{"cocoa", `{"function":"main","package":"/var/containers/Bundle/Application/X/App.app/App"}`, true},
		{"java", `{"platform":"javascript","filename":"node_modules/x.js"}`, false},
		{"other", `{"filename":"/vendor/x"}`, true},
	} {
		t.Run(tt.platform+" "+tt.frame, func(t *testing.T) {
			t.Parallel()
			e := decodeEvent(t, `{"exception":[{"type":"A","stacktrace":{"frames":[`+tt.frame+`]}}],"platform":"`+tt.platform+`"}`)
			require.Equal(t, tt.inApp, e.Exceptions[0].Frames[0].InApp)
		})
	}
}

// TestDecodeInAppOfMarkedFrames: an SDK that knows the application's frames marks only these.
func TestDecodeInAppOfMarkedFrames(t *testing.T) {
	t.Parallel()
	frames := decodeEvent(t, `{"platform":"java","exception":[{"type":"A","stacktrace":{"frames":[
		{"module":"org.example.A"},{"module":"com.shop.B","in_app":true},{"module":"com.shop.C","in_app":null}]}}]}`).Exceptions[0].Frames

	require.False(t, frames[0].InApp)
	require.True(t, frames[1].InApp)
	require.False(t, frames[2].InApp)
}
