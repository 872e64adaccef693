package similar

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
)

func eventOf(kind, value, culprit string, functions ...string) *core.Event {
	e := &core.Event{
		Title: core.Untrusted(kind + ": " + value), Culprit: core.Untrusted(culprit),
		Exceptions: core.List[core.Exception]{{Type: core.Untrusted(kind), Value: core.Untrusted(value)}},
	}
	for _, f := range functions {
		module, function, _ := strings.Cut(f, ".")
		e.Exceptions[0].Frames = append(e.Exceptions[0].Frames,
			core.Frame{Module: core.Untrusted(module), Function: core.Untrusted(function), InApp: true})
	}
	return e
}

func scoreEvents(a, b *core.Event) float64 {
	return CompareIssues(FeaturesOfEvent(a), FeaturesOfEvent(b), Frequencies{}.ComputeWeights()).Score
}

func TestSameErrorElsewhere(t *testing.T) {
	t.Parallel()
	pay := eventOf("ConnectTimeout", "no answer of redis-3 in 30 s", "cart in load", "cart.load", "shop.pay", "web.handle")
	require.InDelta(t, 1, scoreEvents(pay, pay), 0)
	again := eventOf("ConnectTimeout", "no answer of redis-7 in 12 s", "cart in load", "cart.load", "shop.pay", "web.handle")
	require.InDelta(t, 1, scoreEvents(pay, again), 0, "numbers and ids do not count")
	caller := eventOf("ConnectTimeout", "no answer of redis-7 in 12 s", "cart in load", "cart.load", "shop.ship", "job.run")
	wording := eventOf("ConnectTimeout", "no answer of redis-7 in 12 s", "user in find", "user.find", "login.check", "job.run")
	other := eventOf("KeyError", "total", "report in sum", "report.sum", "report.print")
	require.Greater(t, scoreEvents(pay, again), scoreEvents(pay, caller))
	require.Greater(t, scoreEvents(pay, caller), scoreEvents(pay, wording))
	require.Greater(t, scoreEvents(pay, wording), scoreEvents(pay, other))
	require.InDelta(t, 0, scoreEvents(pay, other), 0)
}

func TestRareFeaturesSayMore(t *testing.T) {
	t.Parallel()
	pay := FeaturesOfEvent(eventOf("Error", "the ledger is locked", "", "ledger.write"))
	ledger := FeaturesOfEvent(eventOf("Fault", "cannot go on", "", "ledger.write"))
	errors := FeaturesOfEvent(eventOf("Error", "the page is missing", "", "page.show"))
	f := Frequencies{Issues: 100_000, Of: map[int32]float64{
		hashFeature(kindException, "error"): 60_000, hashFeature(kindWord, "error"): 60_000, hashFeature(kindFrame, "ledger write"): 2,
	}}
	require.Greater(t, CompareIssues(pay, ledger, f.ComputeWeights()).Score, CompareIssues(pay, errors, f.ComputeWeights()).Score)
}

func TestReasons(t *testing.T) {
	t.Parallel()
	a := FeaturesOfEvent(eventOf("TypeError", "x is not a function", "cart in load", "cart.load", "shop.pay", "web.handle"))
	b := FeaturesOfEvent(eventOf("TypeError", "y is not a number", "cart in load", "cart.load", "shop.pay", "job.run"))
	require.Equal(t, []string{
		"The type of the exception is the same.",
		"2 functions in the stack traces are the same.",
		"1 call between functions is the same.",
		"It happens at the same place.",
		"3 words of the titles are the same.",
	}, CompareIssues(a, b, Frequencies{}.ComputeWeights()).ListReasons())
	require.Empty(t, CompareIssues(a, nil, Frequencies{}.ComputeWeights()).ListReasons())
}

func TestText(t *testing.T) {
	t.Parallel()
	issue := FeaturesOfEvent(eventOf("java.net.SocketTimeoutException", "Redis did not answer at 10.0.0.7", "cart in load", "cart.load"))
	other := FeaturesOfEvent(eventOf("KeyError", "total of the cart", "", "cart.load"))
	for _, text := range []string{"redis timeout", "SocketTimeoutException",
		"java.net.SocketTimeoutException: Redis did not answer at 10.1.1.1", "why does Redis not answer?"} {
		m := CompareText(FeaturesOfText(text), issue, Frequencies{}.ComputeWeights())
		require.Greater(t, m.Score, 0.3, text)
		require.LessOrEqual(t, m.Score, 1.0)
		require.Greater(t, m.Score, CompareText(FeaturesOfText(text), other, Frequencies{}.ComputeWeights()).Score, text)
	}
	require.Contains(t, CompareText(FeaturesOfText("a SocketTimeoutException in production"), issue,
		Frequencies{}.ComputeWeights()).ListReasons(), "The type of the exception is the same.")
	require.Empty(t, FeaturesOfText("1234 :: -- 0xff a"))
}

func TestFrames(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		frame core.Frame
		want  string
	}{
		"module": {core.Frame{Module: "shop.cart", Function: "load", Filename: "/app/shop/cart.py", Lineno: 7}, "shop.cart load"},
		"file":   {core.Frame{Filename: "src/pay.js", Function: "pay"}, "pay.js pay"},
		"path":   {core.Frame{AbsPath: `C:\app\Pay.cs`, Function: "Pay"}, "pay.cs pay"},
		"build":  {core.Frame{Filename: "app.1234.js?v=5", Function: "load2"}, "app..js load"},
		"mapped": {core.Frame{AbsPath: "https://shop.example/a.js", Function: "loadCart",
			Source: &core.SourcePosition{Path: "webpack://shop/src/cart.ts", Name: "total"}}, "cart.ts loadcart"},
		"mapped, but for its name": {core.Frame{AbsPath: "https://shop.example/a.js", Function: "e",
			Source: &core.SourcePosition{Path: "webpack://shop/src/cart.ts", Name: "total"}}, ""},
		"minified":       {core.Frame{AbsPath: "https://shop.example/a.js", Function: "e"}, ""},
		"no function":    {core.Frame{Module: "shop.cart"}, ""},
		"anonymous":      {core.Frame{Module: "shop.cart", Function: "<anonymous>"}, ""},
		"no module":      {core.Frame{Function: "main"}, " main"},
		"unknown":        {core.Frame{Module: "a", Function: "?"}, ""},
		"nothing":        {core.Frame{}, ""},
		"lambda numbers": {core.Frame{Module: "com.shop.Cart", Function: "lambda$load$12"}, "com.shop.cart lambda$load$"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, frameName([]core.Frame{test.frame}, 0))
		})
	}
}

func TestOnlyFramesOfTheAppWhereThereAreSome(t *testing.T) {
	t.Parallel()
	e := eventOf("E", "", "", "cart.load")
	with := FeaturesOfEvent(e)
	e.Exceptions[0].Frames = append(e.Exceptions[0].Frames, core.Frame{Module: "django", Function: "dispatch"})
	require.Equal(t, with, FeaturesOfEvent(e))
	e.Exceptions[0].Frames[0].InApp = false
	require.Len(t, FeaturesOfEvent(e), len(with)+2, "two frames and a call")
	thread := &core.Event{Title: "E: ",
		Threads: core.List[core.Thread]{{Current: true, Frames: core.List[core.Frame]{{Module: "cart", Function: "load", InApp: true}}}}}
	require.Contains(t, FeaturesOfEvent(thread), hashFeature(kindFrame, "cart load"))
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"ConnectTimeout of HTTPServer": {"connect", "timeout", "http", "server"},
		"cart_total is 5":              {"cart", "total"},
		"user 7f3a99c1 not found":      {"user", "not", "found"},
		"utf8 oauth2 x509 http2":       {"utf8", "oauth2", "http2"},
		"Ошибка: größe 数据":             {"ошибка", "größe", "数据"},
		"the same the same":            {"same"},
		strings.Repeat("x", 41):        nil,
		"":                             nil,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			var features []int32
			for _, w := range want {
				features = append(features, hashFeature(kindWord, w))
			}
			require.Equal(t, features, appendWords(nil, text))
		})
	}
	require.Len(t, appendWords(nil,
		strings.Repeat("Aa Bb Cc Dd Ee Ff Gg Hh Ii Jj Kk Ll Mm Nn Oo Pp Qq Rr Ss Tt Uu Vv Ww Xx Yy Zz ", 20)), maxWords)
}

func TestFeaturesKeepTheirHashes(t *testing.T) {
	t.Parallel()
	require.Equal(t, []int32{-2015973059, 102274798, 223002474, 374724898, 705561947, 1256805273},
		FeaturesOfEvent(eventOf("KeyError", "total", "cart in load", "cart.load")), "another hash would not find the issues that are stored")
}

// TestAnyEvent holds that features are bounded, sorted, distinct and the same each time, and that comparing is symmetric.
func TestAnyEvent(t *testing.T) {
	t.Parallel()
	draw := func(t *rapid.T) *core.Event {
		text := func(name string) core.Untrusted { return core.Untrusted(rapid.String().Draw(t, name)) }
		e := &core.Event{Title: text("title"), Culprit: text("culprit")}
		for range rapid.IntRange(0, 8).Draw(t, "exceptions") {
			x := core.Exception{Type: text("type")}
			for range rapid.IntRange(0, 30).Draw(t, "frames") {
				x.Frames = append(x.Frames,
					core.Frame{Function: text("function"), Module: text("module"), AbsPath: text("path"), InApp: rapid.Bool().Draw(t, "in app")})
			}
			e.Exceptions = append(e.Exceptions, x)
		}
		return e
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t), draw(t)
		features := FeaturesOfEvent(a)
		require.Equal(t, features, FeaturesOfEvent(a))
		require.LessOrEqual(t, len(features), maxWords+maxExceptions+1+2*maxFrames)
		require.True(t, slices.IsSorted(features))
		require.Len(t, slices.Compact(slices.Clone(features)), len(features))
		there, back := CompareIssues(features, FeaturesOfEvent(b), Frequencies{}.ComputeWeights()),
			CompareIssues(FeaturesOfEvent(b), features, Frequencies{}.ComputeWeights())
		require.Equal(t, there, back)
		require.GreaterOrEqual(t, there.Score, 0.0)
		require.LessOrEqual(t, there.Score, 1.0)
		text := CompareText(FeaturesOfText(string(a.Title)), FeaturesOfEvent(b), Frequencies{}.ComputeWeights())
		require.LessOrEqual(t, text.Score, 1.0)
	})
}

func BenchmarkOfEvent(b *testing.B) {
	e := eventOf("ConnectTimeout", "no answer of redis-3 in 30 s", "cart in load", "cart.load", "shop.pay", "web.handle", "app.serve",
		"app.run", "app.main")
	b.ReportAllocs()
	for b.Loop() {
		FeaturesOfEvent(e)
	}
}

func BenchmarkCompare(b *testing.B) {
	one := FeaturesOfEvent(eventOf("ConnectTimeout", "no answer of redis-3 in 30 s", "cart in load", "cart.load", "shop.pay",
		"web.handle", "app.serve"))
	other := FeaturesOfEvent(eventOf("ReadTimeout", "no answer of redis-3 in 30 s", "cart in load", "cart.load", "shop.pay",
		"web.handle", "app.run"))
	weights := Frequencies{}.ComputeWeights()
	for b.Loop() {
		CompareIssues(one, other, weights)
	}
}
