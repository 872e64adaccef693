package grouping_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/envelope"
	"errand/grouping"
)

// newEvent is an event of one exception, with its frames nearest the crash first.
func newEvent(platform, kind, value string, frames ...core.Frame) *core.Event {
	return &core.Event{Platform: platform, Exceptions: []core.Exception{newException(kind, value, frames...)}}
}

func newException(kind, value string, frames ...core.Frame) core.Exception {
	return core.Exception{Type: core.Untrusted(kind), Value: core.Untrusted(value), Frames: frames}
}

// ownFrame is a frame of the application in a module; libraryFrame is one of a library.
func ownFrame(function, module string) core.Frame {
	return core.Frame{Function: core.Untrusted(function), Module: core.Untrusted(module), InApp: true}
}

func libraryFrame(function, module string) core.Frame {
	f := ownFrame(function, module)
	f.InApp = false
	return f
}

// fileFrame is a frame of the application in a file.
func fileFrame(function, file string, line int) core.Frame {
	return core.Frame{Function: core.Untrusted(function), Filename: core.Untrusted(file), AbsPath: core.Untrusted(file),
		Lineno: core.OptInt(line), InApp: true}
}

func withContextLine(f core.Frame, context string) core.Frame {
	f.ContextLine = core.Untrusted(context)
	return f
}

func mappedFrame(f core.Frame, path, name, context string) core.Frame {
	f.Source = &core.SourcePosition{Path: core.Untrusted(path), Name: core.Untrusted(name), Line: 3}
	return withContextLine(f, context)
}

func repeatFrames(n int, frames ...core.Frame) []core.Frame {
	var list []core.Frame
	for range n {
		list = append(list, frames...)
	}
	return list
}

// numberedFrames returns distinct frames.
func numberedFrames(n int) []core.Frame {
	list := make([]core.Frame, n)
	for i := range list {
		list[i] = ownFrame(string(rune('a'+i/26))+string(rune('a'+i%26)), "m")
	}
	return list
}

func newMessage(text string) *core.Event { return &core.Event{Message: core.Untrusted(text)} }

// deepRecursion is an error at the given depth of a recursion of two functions.
func deepRecursion(depth int) *core.Event {
	return newEvent("python", "ValueError", "x",
		append(append([]core.Frame{ownFrame("check", "shop")},
			repeatFrames(depth, ownFrame("walk", "tree"), ownFrame("visit", "tree"))...), ownFrame("main", "shop"))...)
}

var sameErrorCases = map[string][]*core.Event{
	"line numbers": {newEvent("python", "E", "", fileFrame("f", "a.py", 10)),
		newEvent("python", "E", "", fileFrame("f", "a.py", 99))},
	"install paths": {newEvent("php", "E", "", fileFrame("f", "/home/a/app/b.php", 1)),
		newEvent("php", "E", "", fileFrame("f", "/srv/releases/20240101/app/b.php", 1)),
		newEvent("php", "E", "", fileFrame("f", `C:\app\b.php`, 1))},
	"bundle hashes": {newEvent("javascript", "E", "", fileFrame("total", "https://a.example/app.3f2a1b.js", 1)),
		newEvent("javascript", "E", "", fileFrame("total", "https://b.example/s/app.99c8d7.js?v=2", 7))},
	"bundle of an app": {newEvent("javascript", "E", "", fileFrame("total", "app:///main.3f2a1b.js", 1)),
		newEvent("javascript", "E", "", fileFrame("total", "app:///main.99c8d7.js", 7))},
	"node_modules hash": {newEvent("node", "E", "", ownFrame("f", "chunks/app.3f2a1b9c")),
		newEvent("node", "E", "", ownFrame("f", "chunks/app.77aa22bb"))},
	"values with a stack": {newEvent("go", "*app.Err", "user bob is gone", ownFrame("run", "main")),
		newEvent("go", "*app.Err", "user eve is gone", ownFrame("run", "main"))},
	"values without": {newEvent("java", "E", "user 1 of a@b.example at 10.0.0.1"),
		newEvent("java", "E", "user 22 of c@d.example at 10.0.0.2")},
	"libraries": {newEvent("python", "E", "", libraryFrame("get", "requests"), ownFrame("f", "a")),
		newEvent("python", "E", "", libraryFrame("send", "httpx"), libraryFrame("get", "httpx"), ownFrame("f", "a"))},
	"only libraries": {newEvent("python", "E", "", libraryFrame("get", "requests")),
		newEvent("python", "E", "", ownFrame("get", "requests"))},
	"decorators": {newEvent("python", "E", "", ownFrame("f", "a"), ownFrame("main", "a")),
		newEvent("python", "E", "", ownFrame("f", "a"), ownFrame("wrapper", "b"), ownFrame("timed.<locals>.wrapper", "c"),
			ownFrame("decorated_view", "d"), ownFrame("main", "a"))},
	"recursion": {deepRecursion(1), deepRecursion(2), deepRecursion(7), deepRecursion(40)},
	"java lambdas": {newEvent("java", "E", "", ownFrame("lambda$go$1", "a.B"),
		ownFrame("go", "a.B$$EnhancerBySpringCGLIB$$1a")),
		newEvent("java", "E", "", ownFrame("lambda$go$9", "a.B"), ownFrame("go", "a.B$$SpringCGLIB$$0"))},
	"java lambdas of a process": {newEvent("java", "E", "", ownFrame("run", "a.B$$Lambda$1/1324119927"), ownFrame("main", "a.B")),
		newEvent("java", "E", "", ownFrame("run", "a.B$$Lambda$3/2003749087"), ownFrame("main", "a.B")),
		newEvent("java", "E", "", ownFrame("run", "a.B$$Lambda$14/0x000000080006c840"), ownFrame("main", "a.B"))},
	"go closures": {newEvent("go", "E", "", ownFrame("run.func1", "main")),
		newEvent("go", "E", "", ownFrame("3", "main.run.func2")), newEvent("go", "E", "", ownFrame("run[...].func4.1", "main"))},
	"php classes": {newEvent("php", "E", "", fileFrame("class@anonymous/srv/a.php:3$0::f", "a.php", 1)),
		newEvent("php", "E", "", fileFrame("class@anonymous/home/x/a.php:9$1f::f", "a.php", 1))},
	"ruby blocks": {newEvent("ruby", "E", "", fileFrame("block in show", "a.rb", 1)),
		newEvent("ruby", "E", "", fileFrame("Orders#show", "a.rb", 2)), newEvent("ruby", "E", "", fileFrame("show", "a.rb", 3))},
	"ruby releases": {newEvent("ruby", "E", "", fileFrame("show", "releases/20240101120000/app/a.rb", 1)),
		newEvent("ruby", "E", "", fileFrame("show", "releases/0a1b2c3/app/a.rb", 1))},
	"async state machines": {newEvent("csharp", "E", "", ownFrame("MoveNext", "A.B+<Get>d__4")),
		newEvent("csharp", "E", "", ownFrame("MoveNext", "A.B+<Get>d__9")),
		newEvent("csharp", "E", "", ownFrame("async Task Get(int x)", "A.B"))},
	"rust hashes": {newEvent("native", "E", "", fileFrame("a::b::h0123456789abcdef", "/x/b.rs", 1)),
		newEvent("native", "E", "", fileFrame("a::b::hffffffffffffffff", "/y/b.rs", 2))},
	"async frames": {newEvent("node", "E", "", ownFrame("async load", "a"), ownFrame("async Promise.all (index 0)", "b")),
		newEvent("node", "E", "", ownFrame("load", "a"), ownFrame("Promise.all (index 7)", "b"))},
	"engines": {newEvent("javascript", "TypeError", "Cannot read properties of undefined (reading 'id')"),
		newEvent("javascript", "TypeError", `can't access property "id", user is undefined`),
		newEvent("javascript", "TypeError", "undefined is not an object (evaluating 'user.id')")},
	"overflows of engines": {newEvent("javascript", "RangeError", "Maximum call stack size exceeded",
		repeatFrames(9, fileFrame("walk", "https://a.example/a.js", 1))...),
		newEvent("javascript", "RangeError", "Maximum call stack size exceeded.",
			append(repeatFrames(1, fileFrame("max", "https://a.example/a.js", 1)),
				repeatFrames(30, fileFrame("walk", "https://a.example/b.js", 1))...)...)},
	"overflows by type": {newEvent("javascript", "RangeError", "Maximum call stack size exceeded",
		repeatFrames(9, fileFrame("walk", "https://a.example/a.js", 1))...),
		newEvent("javascript", "InternalError", "too much recursion",
			repeatFrames(12, fileFrame("walk", "https://a.example/a.js", 1))...)},
	"overflows once": {newEvent("ruby", "SystemStackError", "", ownFrame("f", "a"), ownFrame("g", "a")),
		newEvent("ruby", "SystemStackError", "x", ownFrame("f", "a"), ownFrame("g", "a"))},
	"where a stack overflows": {newEvent("java", "StackOverflowError", "",
		repeatFrames(9, ownFrame("a", "x.Y"), ownFrame("b", "x.Y"))...),
		newEvent("java", "StackOverflowError", "",
			append(repeatFrames(1, ownFrame("size", "x.List")), repeatFrames(8, ownFrame("b", "x.Y"), ownFrame("a", "x.Y"))...)...)},
	"source maps": {newEvent("javascript", "E", "", mappedFrame(fileFrame("t", "https://a.example/1.aa11bb.js", 1),
		"webpack://app/./src/cart.ts", "total", "  sum(lines);")),
		newEvent("javascript", "E", "", mappedFrame(fileFrame("nx", "https://a.example/2.cc33dd.js", 9), "../../src/cart.ts?77aa",
			"sum", "sum(lines);  "))},
	"minified names": {newEvent("javascript", "E", "bad 1", fileFrame("t", "https://a.example/1.js", 1)),
		newEvent("javascript", "E", "bad 2", fileFrame("n", "https://a.example/2.js", 1))},
	"minified in an app": {newEvent("javascript", "E", "bad 1", fileFrame("t", "app:///main.jsbundle", 1),
		fileFrame("e", "app:///main.jsbundle", 1)), newEvent("javascript", "E", "bad 2", fileFrame("n", "app:///main.jsbundle", 1))},
	"page": {newEvent("javascript", "E", "bad", withContextLine(fileFrame("", "https://a.example/x", 1),
		"<!DOCTYPE html>")), newEvent("javascript", "E", "bad", fileFrame("?", "https://a.example/y", 4))},
	"scripts": {newEvent("python", "E", "", core.Frame{Function: "f", Module: "__main__", Filename: "/a/run.py",
		InApp: true}), newEvent("python", "E", "", core.Frame{Function: "f", Filename: "/b/run.py", InApp: true})},
	"templates":       {{Message: "hello bob", Template: "hello %s"}, {Message: "hello eve", Template: "hello %s"}},
	"messages":        {newMessage("took 5 ms"), newMessage("took 777 ms"), newMessage("\n  took 3 ms\nmore")},
	"synthetic types": {syntheticEvent("SIGSEGV", ownFrame("f", "a")), syntheticEvent("EXC_BAD_ACCESS", ownFrame("f", "a"))},
	"functions of nothing": {newEvent("csharp", "E", "x", fileFrame("<>c", "a.cs", 1)),
		newEvent("csharp", "E", "x", fileFrame("", "a.cs", 2)), newEvent("csharp", "E", "x", fileFrame("?", "b/A.cs", 2))},
	"native code between": {newEvent("javascript", "E", "x", fileFrame("", "https://a.example/a.js", 1),
		fileFrame("new Promise", "<anonymous>", 0), fileFrame("?", "https://a.example/a.js", 1)),
		newEvent("javascript", "E", "x", fileFrame("", "https://a.example/a.js", 1))},
	"far callers": {newEvent("ruby", "E", "", append(numberedFrames(50), ownFrame("a", "x"))...),
		newEvent("ruby", "E", "", append(numberedFrames(50), ownFrame("b", "x"))...)},
	"asynchronous gaps": {newEvent("dart", "E", "", ownFrame("f", "a"), fileFrame("", "<asynchronous suspension>", 0),
		ownFrame("g", "a")), newEvent("dart", "E", "", ownFrame("f", "a"), ownFrame("g", "a"))},
	"empty policies": {{Report: &core.Report{Kind: core.ReportCSP, Subject: "img-src", Detail: "data"}},
		{Report: &core.Report{Kind: core.ReportCSP, Subject: "IMG-SRC", Detail: "data:image/png"}},
		{Report: &core.Report{Kind: core.ReportCSP, Subject: "img-src", Detail: "data://"}}},
	"evaluated code": evaluatedCode(),
	"wrapped errors": {newEvent("go", "*fmt.wrapError", "order 1: refused", ownFrame("report", "main")),
		newEvent("go", "*fmt.wrapError", "order 22: refused", ownFrame("report", "main"))},
	"hosts": {newReport(core.ReportHPKP, "a.example", ""), newReport(core.ReportHPKP, "A.example", "")},
	"nothing": {{}, {Platform: "python", Level: "error"},
		newEvent("javascript", "", "", fileFrame("", "blob:https://a.example/7f7aaadf", 1))},
}

func TestSameError(t *testing.T) {
	t.Parallel()
	for name, events := range sameErrorCases {
		t.Run(name, func(t *testing.T) {
			for _, e := range events[1:] {
				require.Equal(t, grouping.ComputeKey(events[0]), grouping.ComputeKey(e))
			}
		})
	}
}

func newReport(kind core.ReportKind, subject, detail string) *core.Event {
	return &core.Event{Report: &core.Report{Kind: kind, Subject: subject, Detail: detail}}
}

// evaluatedCode is one program in several browsers: Chrome and Firefox show its evaluated code at the call of eval; Safari and
// old Edge name no file or hide it.
func evaluatedCode() []*core.Event {
	const script = "https://a.example/a.js"
	place := func(function string, column int) core.Frame {
		f := fileFrame(function, script, 26)
		f.Colno = core.OptInt(column)
		return f
	}
	main := fileFrame("main", script, 90)
	run := func(frames ...core.Frame) *core.Event {
		return newEvent("javascript", "Error", "in text", append(frames, fileFrame("run", script, 26), main)...)
	}
	return []*core.Event{
		run(place("inner", 9), place("eval", 9)),
		run(place("inner", 0), place("eval", 0)),
		run(ownFrame("inner", ""), ownFrame("eval code", ""), fileFrame("eval", "[native code]", 0)),
		run(fileFrame("inner", "eval code", 1), fileFrame("eval code", "eval code", 1)),
		run(fileFrame("eval", "[native code]", 0)),
		run(fileFrame("eval", "<anonymous>", 0), place("eval", 9)),
		run(),
	}
}

func syntheticEvent(kind string, frames ...core.Frame) *core.Event {
	e := newEvent("native", kind, "", frames...)
	e.Exceptions[0].Mechanism = &core.Mechanism{Synthetic: true}
	return e
}

var differentErrorsCases = map[string][]*core.Event{
	"functions": {newEvent("python", "E", "", ownFrame("f", "a")), newEvent("python", "E", "", ownFrame("g", "a")),
		newEvent("python", "E", "", ownFrame("f", "b"))},
	"files": {newEvent("php", "E", "", fileFrame("f", "/srv/a.php", 1)),
		newEvent("php", "E", "", fileFrame("f", "/srv/b.php", 1))},
	"files of one name in ruby": {newEvent("ruby", "E", "", fileFrame("index", "app/controllers/users_controller.rb", 1)),
		newEvent("ruby", "E", "", fileFrame("index", "app/controllers/admin/users_controller.rb", 1)),
		newEvent("ruby", "E", "", fileFrame("index", "/srv/app/users_controller.rb", 1))},
	"files of one name in godot": {newEvent("other", "E", "", fileFrame("_ready", "res://x/a.gd", 1)),
		newEvent("other", "E", "", fileFrame("_ready", "res://y/a.gd", 1))},
	"local functions of .net": {newEvent("csharp", "E", "", ownFrame("string A.B.Run(int x)+LoadA(int y)", "")),
		newEvent("csharp", "E", "", ownFrame("string A.B.Run(int x)+LoadB(int y)", "")),
		newEvent("csharp", "E", "", ownFrame("string A.B.Run(int x)", "")), newEvent("csharp", "E", "", ownFrame("<Main>g__LoadA|0_0", "A.B")),
		newEvent("csharp", "E", "", ownFrame("<<Main>$>g__LoadA|0_0", "Program")),
		newEvent("csharp", "E", "", ownFrame("<<Main>$>g__LoadB|0_1", "Program")),
		newEvent("csharp", "E", "", ownFrame("MoveNext", "Program+<<<Main>$>g__LoadC|0_0>d"))},
	"callers": {newEvent("go", "E", "", ownFrame("f", "a"), ownFrame("g", "a")),
		newEvent("go", "E", "", ownFrame("f", "a"), ownFrame("h", "a"))},
	"types": {newEvent("java", "A", "x", ownFrame("f", "a")), newEvent("java", "B", "x", ownFrame("f", "a")),
		newEvent("java", "A", "x"), newEvent("java", "B", "x")},
	"messages": {newMessage("Failed to load user"), newMessage("Failed to load order"),
		newMessage("Failed to load user 5")},
	"values": {newEvent("java", "E", "Failed to load user"), newEvent("java", "E", "Failed to load order"),
		newEvent("java", "E", ""), newMessage("Failed to load user")},
	"keys": {newEvent("python", "KeyError", "'user_id'"), newEvent("python", "KeyError", "'order_id'")},
	"templates": {{Message: "hello bob", Template: "hello %s"}, {Message: "hello bob", Template: "hello %(name)s"},
		{Message: "hello bob"}},
	"causes": {newChain(newException("A", "", ownFrame("f", "a"))), newChain(newException("A", "", ownFrame("f", "a")),
		newException("B", "", ownFrame("g", "a"))), newChain(newException("A", "", ownFrame("f", "a")), newException("C", ""))},
	"order of causes": {newChain(newException("A", "", ownFrame("f", "a")), newException("B", "", ownFrame("f", "a"))),
		newChain(newException("B", "", ownFrame("f", "a")), newException("A", "", ownFrame("f", "a")))},
	"parts": {newEvent("python", "E", "", ownFrame("ab", "c")), newEvent("python", "E", "", ownFrame("b", "ca")),
		newEvent("python", "E", "", ownFrame("a", "c"), ownFrame("b", ""))},
	"properties": {newEvent("javascript", "TypeError", "Cannot read properties of undefined (reading 'id')"),
		newEvent("javascript", "TypeError", "Cannot read properties of undefined (reading 'name')")},
	"anonymous code": {newEvent("javascript", "E", "no cart", fileFrame("", "https://a.example/a.js", 1),
		fileFrame("dispatch", "https://a.example/a.js", 1)),
		newEvent("javascript", "E", "no user", fileFrame("", "https://a.example/a.js", 1),
			fileFrame("dispatch", "https://a.example/a.js", 1))},
	"functions of maps": {newEvent("javascript", "E", "", mappedFrame(fileFrame("first", "https://a.example/1.js", 1), "src/a.ts",
		"", "")), newEvent("javascript", "E", "", mappedFrame(fileFrame("second", "https://a.example/1.js", 1), "src/a.ts", "", ""))},
	"native code alone": {newEvent("javascript", "E", "x", fileFrame("forEach", "[native code]", 0)),
		newEvent("javascript", "E", "x", fileFrame("map", "[native code]", 0)), newEvent("javascript", "E", "x")},
	"near callers": {newEvent("ruby", "E", "", append(numberedFrames(49), ownFrame("a", "x"))...),
		newEvent("ruby", "E", "", append(numberedFrames(49), ownFrame("b", "x"))...)},
	"parts of a recursion": {newEvent("java", "StackOverflowError", "", repeatFrames(9, ownFrame("a", "x.Y"), ownFrame("b", "x.Y"),
		ownFrame("", ""))...), newEvent("java", "StackOverflowError", "", repeatFrames(9, ownFrame("a", "x.Y"))...)},
	"lines of maps": {newEvent("javascript", "E", "", mappedFrame(fileFrame("t", "https://a.example/1.js", 1), "src/a.ts", "",
		"sum(lines)")),
		newEvent("javascript", "E", "", mappedFrame(fileFrame("t", "https://a.example/1.js", 1), "src/a.ts", "", "add(lines)")),
		newEvent("javascript", "E", "", mappedFrame(fileFrame("t", "https://a.example/1.js", 1), "src/b.ts", "", "sum(lines)"))},
	"nested functions of clojure": {newEvent("java", "E", "", ownFrame("invoke", "a.core$_main$fn__15")),
		newEvent("java", "E", "", ownFrame("invoke", "a.core$_main$fn__15$fn__16"))},
	"numbered files": {newEvent("python", "E", "", fileFrame("f", "m/0001_initial.py", 1)),
		newEvent("python", "E", "", fileFrame("f", "m/0002_initial.py", 1))},
	"policies": {{Report: &core.Report{Kind: core.ReportCSP, Subject: "img-src", Detail: "https://a.example/x"}},
		{Report: &core.Report{Kind: core.ReportCSP, Subject: "img-src", Detail: "https://b.example/x"}},
		{Report: &core.Report{Kind: core.ReportCSP, Subject: "script-src", Detail: "https://a.example/x"}},
		{Report: &core.Report{Kind: core.ReportCSP, Subject: "script-src"}},
		{Report: &core.Report{Kind: core.ReportCSP, Subject: "script-src", Detail: "inline"}}},
	"reports": {newReport(core.ReportExpectCT, "a.example", ""), newReport(core.ReportExpectCT, "b.example", ""),
		newReport(core.ReportHPKP, "a.example", ""), newReport(core.ReportExpectStaple, "a.example", "")},
	"templates of pages": {newReport(core.ReportTemplate, "a.html", "{% if x"), newReport(core.ReportTemplate, "b.html", "{% if x"),
		newReport(core.ReportTemplate, "a.html", "{% for x"), newReport(core.ReportTemplate, "a.html", "12"),
		newReport(core.ReportTemplate, "a.html", "13")},
	"plain errors of go": {newEvent("go", "*errors.errorString", "disk is full", ownFrame("report", "main")),
		newEvent("go", "*errors.errorString", "payment declined", ownFrame("report", "main")),
		newEvent("go", "*fmt.wrapError", "payment declined", ownFrame("report", "main")),
		newEvent("go", "*errors.withStack", "disk is full", ownFrame("report", "main")),
		newEvent("go", "*xerrors.wrapError", "disk is full", ownFrame("report", "main"))},
	"evaluated in modules": {newEvent("javascript", "E", "x", fileFrame("eval", "webpack-internal:///./src/a.js", 7)),
		newEvent("javascript", "E", "x", fileFrame("eval", "webpack-internal:///./src/b.js", 7))},
	"methods named eval": {newEvent("javascript", "E", "x", ownFrame("Parser.eval", "parser"), ownFrame("main", "a")),
		newEvent("javascript", "E", "x", ownFrame("main", "a"))},
	"threads": {{}, threadEvent(core.Thread{Frames: []core.Frame{ownFrame("f", "a")}}),
		threadEvent(core.Thread{Frames: []core.Frame{ownFrame("g", "a")}}), newEvent("", "", "", ownFrame("f", "a"))},
	"recursion and none": {newEvent("python", "E", "", ownFrame("f", "a"), ownFrame("g", "a")),
		newEvent("python", "E", "", ownFrame("f", "a"), ownFrame("g", "a"), ownFrame("h", "a"), ownFrame("g", "a"))},
}

func TestDifferentErrors(t *testing.T) {
	t.Parallel()
	for name, events := range differentErrorsCases {
		t.Run(name, func(t *testing.T) {
			for i, a := range events {
				for j, b := range events[i+1:] {
					require.NotEqual(t, grouping.ComputeKey(a), grouping.ComputeKey(b), "%s: %d and %d", name, i, i+1+j)
				}
			}
		})
	}
}

func newChain(list ...core.Exception) *core.Event {
	return &core.Event{Platform: "java", Exceptions: list}
}

func threadEvent(list ...core.Thread) *core.Event { return &core.Event{Platform: "go", Threads: list} }

func TestThreads(t *testing.T) {
	t.Parallel()
	main := core.Thread{ID: "1", Frames: []core.Frame{ownFrame("f", "a")}}
	other := core.Thread{ID: "2", Frames: []core.Frame{ownFrame("g", "a")}}
	idle := core.Thread{ID: "3", Crashed: true}
	want := grouping.ComputeKey(threadEvent(main))

	require.Equal(t, want, grouping.ComputeKey(threadEvent(main, idle)), "the only one with a stack")

	crashed := main
	crashed.Crashed = true
	current := main
	current.Current = true

	require.Equal(t, want, grouping.ComputeKey(threadEvent(other, crashed)))
	require.Equal(t, want, grouping.ComputeKey(threadEvent(current, other)))
	require.Equal(t, grouping.ComputeKey(&core.Event{}), grouping.ComputeKey(threadEvent(main, other)), "nobody knows which")
	require.Equal(t, grouping.ComputeKey(&core.Event{}), grouping.ComputeKey(threadEvent(current, current)))

	e := threadEvent(main)
	e.Message = "a message says more"

	require.Equal(t, grouping.ComputeKey(newMessage("a message says more")), grouping.ComputeKey(e))
}

func TestKeyIsOfTheOnlyVersion(t *testing.T) {
	t.Parallel()

	key := grouping.ComputeKey(newMessage("hello"))

	require.Equal(t, grouping.Version, key.Version)
	require.Equal(t, 1, grouping.Version)
	require.NotZero(t, key.Hash)
}

// A process of JDK 8 has its own number for each lambda; in a text it stands where a module of Java would end.
func TestLambdasInStackTexts(t *testing.T) {
	t.Parallel()
	key := func(lambda string) grouping.Key {
		value, _ := json.Marshal("IllegalStateException: x\n\tat a.Main.lambda$main$0(Main.java:5)\n\tat " + lambda +
			".run(Unknown Source)\n\tat a.Main.main(Main.java:9)")
		return grouping.ComputeKey(decodeEvent(t, `{"platform":"java","exception":{"type":"E","value":"x","stack":`+string(value)+`}}`))
	}

	require.Equal(t, key("a.Main$$Lambda$1/1324119927"), key("a.Main$$Lambda$2/2003749087"))
	require.Equal(t, key("a.Main$$Lambda$1/1324119927"), key("app//a.Main$$Lambda/0x0000000800066840"))
	require.NotEqual(t, key("a.Main$$Lambda$1/1324119927"), key("a.Other$$Lambda$1/1324119927"))
}

// The text of a template's line names it: its number changes with every line that is added above.
func TestReportsOfTemplatesWithoutTheLine(t *testing.T) {
	t.Parallel()
	key := func(template string) grouping.Key {
		e, err := new(envelope.Decoder).Decode([]byte(`{"message":"syntax","template":`+template+`}`), envelope.Hints{})
		require.NoError(t, err)
		return grouping.ComputeKey(e)
	}

	require.Equal(t, key(`{"filename":"cart.html","lineno":7}`), key(`{"filename":"cart.html","lineno":8}`))
	require.NotEqual(t, key(`{"filename":"cart.html","lineno":7}`), key(`{"filename":"till.html","lineno":7}`))
	require.NotEqual(t, key(`{"filename":"cart.html","context_line":"{% a"}`), key(`{"filename":"cart.html","context_line":"{% b"}`))
}
