package grouping_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/envelope"
	"errand/grouping"
)

// event is an event of one exception, whose frames come nearest the crash first.
func event(platform, kind, value string, frames ...core.Frame) *core.Event {
	return &core.Event{Platform: platform, Exceptions: []core.Exception{exception(kind, value, frames...)}}
}

func exception(kind, value string, frames ...core.Frame) core.Exception {
	return core.Exception{Type: core.Untrusted(kind), Value: core.Untrusted(value), Frames: frames}
}

// own is a frame of the application in a module; lib is one of a library.
func own(function, module string) core.Frame {
	return core.Frame{Function: core.Untrusted(function), Module: core.Untrusted(module), InApp: true}
}

func lib(function, module string) core.Frame {
	f := own(function, module)
	f.InApp = false
	return f
}

// at is a frame of the application in a file.
func at(function, file string, line int) core.Frame {
	return core.Frame{Function: core.Untrusted(function), Filename: core.Untrusted(file), AbsPath: core.Untrusted(file), Lineno: core.OptInt(line), InApp: true}
}

func line(f core.Frame, context string) core.Frame {
	f.ContextLine = core.Untrusted(context)
	return f
}

func mapped(f core.Frame, path, name, context string) core.Frame {
	f.Source = &core.SourcePosition{Path: core.Untrusted(path), Name: core.Untrusted(name), Line: 3}
	return line(f, context)
}

func repeat(n int, frames ...core.Frame) []core.Frame {
	var list []core.Frame
	for range n {
		list = append(list, frames...)
	}
	return list
}

// numbered gives distinct frames.
func numbered(n int) []core.Frame {
	list := make([]core.Frame, n)
	for i := range list {
		list[i] = own(string(rune('a'+i/26))+string(rune('a'+i%26)), "m")
	}
	return list
}

func message(text string) *core.Event { return &core.Event{Message: core.Untrusted(text)} }

func TestSameError(t *testing.T) {
	t.Parallel()
	deep := func(n int) *core.Event {
		return event("python", "ValueError", "x", append(append([]core.Frame{own("check", "shop")}, repeat(n, own("walk", "tree"), own("visit", "tree"))...), own("main", "shop"))...)
	}
	tests := map[string][]*core.Event{
		"line numbers":         {event("python", "E", "", at("f", "a.py", 10)), event("python", "E", "", at("f", "a.py", 99))},
		"install paths":        {event("php", "E", "", at("f", "/home/a/app/b.php", 1)), event("php", "E", "", at("f", "/srv/releases/20240101/app/b.php", 1)), event("php", "E", "", at("f", `C:\app\b.php`, 1))},
		"bundle hashes":        {event("javascript", "E", "", at("total", "https://a.example/app.3f2a1b.js", 1)), event("javascript", "E", "", at("total", "https://b.example/s/app.99c8d7.js?v=2", 7))},
		"bundle of an app":     {event("javascript", "E", "", at("total", "app:///main.3f2a1b.js", 1)), event("javascript", "E", "", at("total", "app:///main.99c8d7.js", 7))},
		"node_modules hash":    {event("node", "E", "", own("f", "chunks/app.3f2a1b9c")), event("node", "E", "", own("f", "chunks/app.77aa22bb"))},
		"values with a stack":  {event("go", "*app.Err", "user bob is gone", own("run", "main")), event("go", "*app.Err", "user eve is gone", own("run", "main"))},
		"values without":       {event("java", "E", "user 1 of a@b.example at 10.0.0.1"), event("java", "E", "user 22 of c@d.example at 10.0.0.2")},
		"libraries":            {event("python", "E", "", lib("get", "requests"), own("f", "a")), event("python", "E", "", lib("send", "httpx"), lib("get", "httpx"), own("f", "a"))},
		"only libraries":       {event("python", "E", "", lib("get", "requests")), event("python", "E", "", own("get", "requests"))},
		"decorators":           {event("python", "E", "", own("f", "a"), own("main", "a")), event("python", "E", "", own("f", "a"), own("wrapper", "b"), own("timed.<locals>.wrapper", "c"), own("decorated_view", "d"), own("main", "a"))},
		"recursion":            {deep(1), deep(2), deep(7), deep(40)},
		"java lambdas":         {event("java", "E", "", own("lambda$go$1", "a.B"), own("go", "a.B$$EnhancerBySpringCGLIB$$1a")), event("java", "E", "", own("lambda$go$9", "a.B"), own("go", "a.B$$SpringCGLIB$$0"))},
		"go closures":          {event("go", "E", "", own("run.func1", "main")), event("go", "E", "", own("3", "main.run.func2")), event("go", "E", "", own("run[...].func4.1", "main"))},
		"php classes":          {event("php", "E", "", at("class@anonymous/srv/a.php:3$0::f", "a.php", 1)), event("php", "E", "", at("class@anonymous/home/x/a.php:9$1f::f", "a.php", 1))},
		"ruby blocks":          {event("ruby", "E", "", at("block in show", "a.rb", 1)), event("ruby", "E", "", at("Orders#show", "a.rb", 2)), event("ruby", "E", "", at("show", "a.rb", 3))},
		"async state machines": {event("csharp", "E", "", own("MoveNext", "A.B+<Get>d__4")), event("csharp", "E", "", own("MoveNext", "A.B+<Get>d__9")), event("csharp", "E", "", own("async Task Get(int x)", "A.B"))},
		"rust hashes":          {event("native", "E", "", at("a::b::h0123456789abcdef", "/x/b.rs", 1)), event("native", "E", "", at("a::b::hffffffffffffffff", "/y/b.rs", 2))},
		"async frames":         {event("node", "E", "", own("async load", "a"), own("async Promise.all (index 0)", "b")), event("node", "E", "", own("load", "a"), own("Promise.all (index 7)", "b"))},
		"engines": {event("javascript", "TypeError", "Cannot read properties of undefined (reading 'id')"), event("javascript", "TypeError", `can't access property "id", user is undefined`),
			event("javascript", "TypeError", "undefined is not an object (evaluating 'user.id')")},
		"overflows of engines": {event("javascript", "RangeError", "Maximum call stack size exceeded", repeat(9, at("walk", "https://a.example/a.js", 1))...),
			event("javascript", "RangeError", "Maximum call stack size exceeded.", append(repeat(1, at("max", "https://a.example/a.js", 1)), repeat(30, at("walk", "https://a.example/b.js", 1))...)...)},
		"overflows by type": {event("javascript", "RangeError", "Maximum call stack size exceeded", repeat(9, at("walk", "https://a.example/a.js", 1))...),
			event("javascript", "InternalError", "too much recursion", repeat(12, at("walk", "https://a.example/a.js", 1))...)},
		"overflows once":          {event("ruby", "SystemStackError", "", own("f", "a"), own("g", "a")), event("ruby", "SystemStackError", "x", own("f", "a"), own("g", "a"))},
		"where a stack overflows": {event("java", "StackOverflowError", "", repeat(9, own("a", "x.Y"), own("b", "x.Y"))...), event("java", "StackOverflowError", "", append(repeat(1, own("size", "x.List")), repeat(8, own("b", "x.Y"), own("a", "x.Y"))...)...)},
		"source maps": {event("javascript", "E", "", mapped(at("t", "https://a.example/1.aa11bb.js", 1), "webpack://app/./src/cart.ts", "total", "  sum(lines);")),
			event("javascript", "E", "", mapped(at("nx", "https://a.example/2.cc33dd.js", 9), "../../src/cart.ts?77aa", "sum", "sum(lines);  "))},
		"minified names":       {event("javascript", "E", "bad 1", at("t", "https://a.example/1.js", 1)), event("javascript", "E", "bad 2", at("n", "https://a.example/2.js", 1))},
		"minified in an app":   {event("javascript", "E", "bad 1", at("t", "app:///main.jsbundle", 1), at("e", "app:///main.jsbundle", 1)), event("javascript", "E", "bad 2", at("n", "app:///main.jsbundle", 1))},
		"page":                 {event("javascript", "E", "bad", line(at("", "https://a.example/x", 1), "<!DOCTYPE html>")), event("javascript", "E", "bad", at("?", "https://a.example/y", 4))},
		"scripts":              {event("python", "E", "", core.Frame{Function: "f", Module: "__main__", Filename: "/a/run.py", InApp: true}), event("python", "E", "", core.Frame{Function: "f", Filename: "/b/run.py", InApp: true})},
		"templates":            {{Message: "hello bob", Template: "hello %s"}, {Message: "hello eve", Template: "hello %s"}},
		"messages":             {message("took 5 ms"), message("took 777 ms"), message("\n  took 3 ms\nmore")},
		"synthetic types":      {synthetic("SIGSEGV", own("f", "a")), synthetic("EXC_BAD_ACCESS", own("f", "a"))},
		"functions of nothing": {event("csharp", "E", "x", at("<>c", "a.cs", 1)), event("csharp", "E", "x", at("", "a.cs", 2)), event("csharp", "E", "x", at("?", "b/A.cs", 2))},
		"native code between":  {event("javascript", "E", "x", at("", "https://a.example/a.js", 1), at("new Promise", "<anonymous>", 0), at("?", "https://a.example/a.js", 1)), event("javascript", "E", "x", at("", "https://a.example/a.js", 1))},
		"far callers":          {event("ruby", "E", "", append(numbered(50), own("a", "x"))...), event("ruby", "E", "", append(numbered(50), own("b", "x"))...)},
		"asynchronous gaps":    {event("dart", "E", "", own("f", "a"), at("", "<asynchronous suspension>", 0), own("g", "a")), event("dart", "E", "", own("f", "a"), own("g", "a"))},
		"empty policies":       {{Report: &core.Report{Kind: core.ReportCSP, Subject: "img-src", Detail: "data"}}, {Report: &core.Report{Kind: core.ReportCSP, Subject: "IMG-SRC", Detail: "data:image/png"}}, {Report: &core.Report{Kind: core.ReportCSP, Subject: "img-src", Detail: "data://"}}},
		"evaluated code":       evaluatedCode(),
		"wrapped errors":       {event("go", "*fmt.wrapError", "order 1: refused", own("report", "main")), event("go", "*fmt.wrapError", "order 22: refused", own("report", "main"))},
		"hosts":                {report(core.ReportHPKP, "a.example", ""), report(core.ReportHPKP, "A.example", "")},
		"nothing":              {{}, {Platform: "python", Level: "error"}, event("javascript", "", "", at("", "blob:https://a.example/7f7aaadf", 1))},
	}
	for name, events := range tests {
		for _, e := range events[1:] {
			require.Equal(t, grouping.Of(events[0]), grouping.Of(e), name)
		}
	}
}

func report(kind core.ReportKind, subject, detail string) *core.Event {
	return &core.Event{Report: &core.Report{Kind: kind, Subject: subject, Detail: detail}}
}

// evaluatedCode is one program in several browsers: Chrome and Firefox show its evaluated code at the call of eval, Safari
// names no file or hides it, as old Edge does.
func evaluatedCode() []*core.Event {
	const script = "https://a.example/a.js"
	place := func(function string, column int) core.Frame {
		f := at(function, script, 26)
		f.Colno = core.OptInt(column)
		return f
	}
	main := at("main", script, 90)
	run := func(frames ...core.Frame) *core.Event {
		return event("javascript", "Error", "in text", append(frames, at("run", script, 26), main)...)
	}
	return []*core.Event{
		run(place("inner", 9), place("eval", 9)),
		run(place("inner", 0), place("eval", 0)),
		run(own("inner", ""), own("eval code", ""), at("eval", "[native code]", 0)),
		run(at("inner", "eval code", 1), at("eval code", "eval code", 1)),
		run(at("eval", "[native code]", 0)),
		run(at("eval", "<anonymous>", 0), place("eval", 9)),
		run(),
	}
}

func synthetic(kind string, frames ...core.Frame) *core.Event {
	e := event("native", kind, "", frames...)
	e.Exceptions[0].Mechanism = &core.Mechanism{Synthetic: true}
	return e
}

func TestDifferentErrors(t *testing.T) {
	t.Parallel()
	tests := map[string][]*core.Event{
		"functions":            {event("python", "E", "", own("f", "a")), event("python", "E", "", own("g", "a")), event("python", "E", "", own("f", "b"))},
		"files":                {event("php", "E", "", at("f", "/srv/a.php", 1)), event("php", "E", "", at("f", "/srv/b.php", 1))},
		"callers":              {event("go", "E", "", own("f", "a"), own("g", "a")), event("go", "E", "", own("f", "a"), own("h", "a"))},
		"types":                {event("java", "A", "x", own("f", "a")), event("java", "B", "x", own("f", "a")), event("java", "A", "x"), event("java", "B", "x")},
		"messages":             {message("Failed to load user"), message("Failed to load order"), message("Failed to load user 5")},
		"values":               {event("java", "E", "Failed to load user"), event("java", "E", "Failed to load order"), event("java", "E", ""), message("Failed to load user")},
		"keys":                 {event("python", "KeyError", "'user_id'"), event("python", "KeyError", "'order_id'")},
		"templates":            {{Message: "hello bob", Template: "hello %s"}, {Message: "hello bob", Template: "hello %(name)s"}, {Message: "hello bob"}},
		"causes":               {chain(exception("A", "", own("f", "a"))), chain(exception("A", "", own("f", "a")), exception("B", "", own("g", "a"))), chain(exception("A", "", own("f", "a")), exception("C", ""))},
		"order of causes":      {chain(exception("A", "", own("f", "a")), exception("B", "", own("f", "a"))), chain(exception("B", "", own("f", "a")), exception("A", "", own("f", "a")))},
		"parts":                {event("python", "E", "", own("ab", "c")), event("python", "E", "", own("b", "ca")), event("python", "E", "", own("a", "c"), own("b", ""))},
		"properties":           {event("javascript", "TypeError", "Cannot read properties of undefined (reading 'id')"), event("javascript", "TypeError", "Cannot read properties of undefined (reading 'name')")},
		"anonymous code":       {event("javascript", "E", "no cart", at("", "https://a.example/a.js", 1), at("dispatch", "https://a.example/a.js", 1)), event("javascript", "E", "no user", at("", "https://a.example/a.js", 1), at("dispatch", "https://a.example/a.js", 1))},
		"functions of maps":    {event("javascript", "E", "", mapped(at("first", "https://a.example/1.js", 1), "src/a.ts", "", "")), event("javascript", "E", "", mapped(at("second", "https://a.example/1.js", 1), "src/a.ts", "", ""))},
		"native code alone":    {event("javascript", "E", "x", at("forEach", "[native code]", 0)), event("javascript", "E", "x", at("map", "[native code]", 0)), event("javascript", "E", "x")},
		"near callers":         {event("ruby", "E", "", append(numbered(49), own("a", "x"))...), event("ruby", "E", "", append(numbered(49), own("b", "x"))...)},
		"parts of a recursion": {event("java", "StackOverflowError", "", repeat(9, own("a", "x.Y"), own("b", "x.Y"), own("", ""))...), event("java", "StackOverflowError", "", repeat(9, own("a", "x.Y"))...)},
		"lines of maps": {event("javascript", "E", "", mapped(at("t", "https://a.example/1.js", 1), "src/a.ts", "", "sum(lines)")), event("javascript", "E", "", mapped(at("t", "https://a.example/1.js", 1), "src/a.ts", "", "add(lines)")),
			event("javascript", "E", "", mapped(at("t", "https://a.example/1.js", 1), "src/b.ts", "", "sum(lines)"))},
		"nested functions of clojure": {event("java", "E", "", own("invoke", "a.core$_main$fn__15")), event("java", "E", "", own("invoke", "a.core$_main$fn__15$fn__16"))},
		"numbered files":              {event("python", "E", "", at("f", "m/0001_initial.py", 1)), event("python", "E", "", at("f", "m/0002_initial.py", 1))},
		"policies": {{Report: &core.Report{Kind: core.ReportCSP, Subject: "img-src", Detail: "https://a.example/x"}}, {Report: &core.Report{Kind: core.ReportCSP, Subject: "img-src", Detail: "https://b.example/x"}},
			{Report: &core.Report{Kind: core.ReportCSP, Subject: "script-src", Detail: "https://a.example/x"}}, {Report: &core.Report{Kind: core.ReportCSP, Subject: "script-src"}}, {Report: &core.Report{Kind: core.ReportCSP, Subject: "script-src", Detail: "inline"}}},
		"reports":            {report(core.ReportExpectCT, "a.example", ""), report(core.ReportExpectCT, "b.example", ""), report(core.ReportHPKP, "a.example", ""), report(core.ReportExpectStaple, "a.example", "")},
		"templates of pages": {report(core.ReportTemplate, "a.html", "{% if x"), report(core.ReportTemplate, "b.html", "{% if x"), report(core.ReportTemplate, "a.html", "{% for x"), report(core.ReportTemplate, "a.html", "12"), report(core.ReportTemplate, "a.html", "13")},
		"plain errors of go": {event("go", "*errors.errorString", "disk is full", own("report", "main")), event("go", "*errors.errorString", "payment declined", own("report", "main")),
			event("go", "*fmt.wrapError", "payment declined", own("report", "main")), event("go", "*errors.withStack", "disk is full", own("report", "main")), event("go", "*xerrors.wrapError", "disk is full", own("report", "main"))},
		"evaluated in modules": {event("javascript", "E", "x", at("eval", "webpack-internal:///./src/a.js", 7)), event("javascript", "E", "x", at("eval", "webpack-internal:///./src/b.js", 7))},
		"methods named eval":   {event("javascript", "E", "x", own("Parser.eval", "parser"), own("main", "a")), event("javascript", "E", "x", own("main", "a"))},
		"threads":              {{}, thread(core.Thread{Frames: []core.Frame{own("f", "a")}}), thread(core.Thread{Frames: []core.Frame{own("g", "a")}}), event("", "", "", own("f", "a"))},
		"recursion and none":   {event("python", "E", "", own("f", "a"), own("g", "a")), event("python", "E", "", own("f", "a"), own("g", "a"), own("h", "a"), own("g", "a"))},
	}
	for name, events := range tests {
		for i, a := range events {
			for j, b := range events[i+1:] {
				require.NotEqual(t, grouping.Of(a), grouping.Of(b), "%s: %d and %d", name, i, i+1+j)
			}
		}
	}
}

func chain(list ...core.Exception) *core.Event {
	return &core.Event{Platform: "java", Exceptions: list}
}

func thread(list ...core.Thread) *core.Event { return &core.Event{Platform: "go", Threads: list} }

func TestThreads(t *testing.T) {
	t.Parallel()
	main := core.Thread{ID: "1", Frames: []core.Frame{own("f", "a")}}
	other := core.Thread{ID: "2", Frames: []core.Frame{own("g", "a")}}
	idle := core.Thread{ID: "3", Crashed: true}
	want := grouping.Of(thread(main))

	require.Equal(t, want, grouping.Of(thread(main, idle)), "the only one with a stack")
	crashed := main
	crashed.Crashed = true
	current := main
	current.Current = true
	require.Equal(t, want, grouping.Of(thread(other, crashed)))
	require.Equal(t, want, grouping.Of(thread(current, other)))
	require.Equal(t, grouping.Of(&core.Event{}), grouping.Of(thread(main, other)), "nobody knows which")
	require.Equal(t, grouping.Of(&core.Event{}), grouping.Of(thread(current, current)))

	e := thread(main)
	e.Message = "a message says more"
	require.Equal(t, grouping.Of(message("a message says more")), grouping.Of(e))
}

func TestKeys(t *testing.T) {
	t.Parallel()
	e := message("hello")
	key := grouping.Of(e)
	require.Equal(t, []grouping.Key{key}, grouping.Keys(e))
	require.Equal(t, grouping.Version, key.Version)
	require.Equal(t, 1, grouping.Version)
	require.Regexp(t, "^[0-9a-f]{64}$", key.String())
}

// A line of a template is named by what stands in it: its number changes with every line that is added above.
func TestReportsOfTemplatesWithoutTheLine(t *testing.T) {
	t.Parallel()
	key := func(template string) grouping.Key {
		e, err := new(envelope.Decoder).Decode([]byte(`{"message":"syntax","template":`+template+`}`), envelope.Hints{})
		require.NoError(t, err)
		return grouping.Of(e)
	}
	require.Equal(t, key(`{"filename":"cart.html","lineno":7}`), key(`{"filename":"cart.html","lineno":8}`))
	require.NotEqual(t, key(`{"filename":"cart.html","lineno":7}`), key(`{"filename":"till.html","lineno":7}`))
	require.NotEqual(t, key(`{"filename":"cart.html","context_line":"{% a"}`), key(`{"filename":"cart.html","context_line":"{% b"}`))
}
