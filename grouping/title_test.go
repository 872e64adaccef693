package grouping_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/grouping"
)

func TestTitle(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		e    *core.Event
		want string
	}{
		"type and value":   {event("python", "ValueError", "bad row"), "ValueError: bad row"},
		"first line":       {event("python", "ValueError", "\n  bad row \nand more"), "ValueError: bad row"},
		"no value":         {event("python", "ValueError", ""), "ValueError"},
		"no type":          {event("python", "", "bad row"), "bad row"},
		"outermost":        {chain(exception("A", "a"), exception("B", "b")), "A: a"},
		"over a message":   {&core.Event{Message: "hello", Exceptions: []core.Exception{exception("A", "a")}}, "A: a"},
		"message":          {message("\r\nhello bob\nmore"), "hello bob"},
		"only a stack":     {event("python", "", "", lib("get", "x"), own("f", "a")), "f"},
		"only a thread":    {thread(core.Thread{Frames: []core.Frame{own("f", "a")}}), "f"},
		"only spaces":      {event("python", " ", "\n", own(" ", "a")), "<unlabeled event>"},
		"nothing":          {&core.Event{}, "<unlabeled event>"},
		"synthetic":        {synthetic("SIGSEGV", lib("abort", "c"), own("f", "a")), "f"},
		"synthetic, empty": {synthetic("SIGSEGV"), "SIGSEGV"},
		"thrown text":      {thrown("node", "bad cart", own("report", "log")), "Error: bad cart"},
		"policy":           {&core.Event{Report: &core.Report{Kind: core.ReportCSP, Subject: "img-src", Detail: "https://a.example/x"}}, "Blocked 'img-src' from 'a.example'"},
		"policy told":      {&core.Event{Message: "Blocked 'image'", Report: &core.Report{Kind: core.ReportCSP, Subject: "img-src"}}, "Blocked 'image'"},
	}
	for name, tt := range tests {
		require.Equal(t, tt.want, grouping.Title(tt.e), name)
	}
}

func TestCulprit(t *testing.T) {
	t.Parallel()
	withRequest := message("hello")
	withRequest.Request = &core.Request{URL: "https://a.example/x"}
	withTransaction := event("python", "E", "", own("f", "a"))
	withTransaction.Transaction = "/orders"
	tests := map[string]struct {
		e    *core.Event
		want string
	}{
		"transaction":       {withTransaction, "/orders"},
		"nearest own":       {event("python", "E", "", lib("get", "x"), own("f", "a"), own("main", "a")), "a in f"},
		"nearest of all":    {event("python", "E", "", lib("get", "x"), lib("main", "a")), "x in get"},
		"file":              {event("php", "E", "", at("f", "/srv/a.php", 1)), "/srv/a.php in f"},
		"no function":       {event("php", "E", "", at("", "/srv/a.php", 1)), "/srv/a.php in ?"},
		"no place":          {event("python", "E", "", own("f", "")), "f"},
		"javascript":        {event("javascript", "E", "", at("f", "https://a.example/s/a.js", 1)), "f(/s/a.js)"},
		"javascript, none":  {event("javascript", "E", "", at("", "https://a.example", 1)), "?(a.example)"},
		"node":              {event("node", "E", "", own("f", "lib:a")), "lib:a in f"},
		"node, no function": {event("node", "E", "", own("", "lib:a")), "?(lib:a)"},
		"neither":           {event("python", "E", "", own("?", "")), ""},
		"evaluated":         {event("javascript", "E", "", at("eval", "https://a.example/s/a.js", 7), at("f", "https://a.example/s/a.js", 7)), "f(/s/a.js)"},
		"template":          {&core.Event{Report: &core.Report{Kind: core.ReportTemplate, Subject: "cart.html"}}, "cart.html"},
		"native":            {event("native", "E", "", at("a::f(int)", "/x/a.cpp", 1)), "a in a::f(int)"},
		"rust":              {event("native", "E", "", at("shop::run::h0123456789abcdef", `C:\app\src\main.rs`, 1)), "main in shop::run"},
		"rust, no file":     {event("native", "E", "", own("shop::run", "")), "shop::run"},
		"native, module":    {event("native", "E", "", own("run()", "libshop.so")), "libshop.so in run()"},
		"mapped":            {event("javascript", "E", "", mapped(at("total", "https://a.example/a.js", 1), "webpack://shop/./src/cart.ts?aa", "x", "")), "src/cart in total"},
		"mapped, renamed":   {event("javascript", "E", "", mapped(at("t", "https://a.example/a.js", 1), "../src/cart.ts", "x", ""), mapped(at("n", "https://a.example/a.js", 1), "../src/main.ts", "total", "")), "src/cart in total"},
		"mapped, unknown":   {event("javascript", "E", "", mapped(at("", "https://a.example/a.js", 1), "/src/.hidden", "x", "")), "?(src/.hidden)"},
		"a cause's stack":   {chain(exception("A", ""), exception("B", "", own("f", "a"))), "a in f"},
		"thread":            {thread(core.Thread{Frames: []core.Frame{own("f", "a")}}), "a in f"},
		"request":           {withRequest, "https://a.example/x"},
		"nothing":           {message("hello"), ""},
	}
	for name, tt := range tests {
		require.Equal(t, tt.want, grouping.Culprit(tt.e), name)
	}
}

func TestLongTitlesAreCut(t *testing.T) {
	t.Parallel()
	require.Equal(t, strings.Repeat("ü", 200), grouping.Title(message(strings.Repeat("ü", 200))))
	long := grouping.Title(message(strings.Repeat("ü", 201)))
	require.Equal(t, strings.Repeat("ü", 197)+"...", long)
	require.Equal(t, 200, utf8.RuneCountInString(long))

	e := message("x")
	e.Transaction = core.Untrusted(strings.Repeat("/a", 300))
	require.Len(t, grouping.Culprit(e), 200)
}

func thrown(platform, text string, frames ...core.Frame) *core.Event {
	e := event(platform, "Error", text, frames...)
	e.Exceptions[0].Mechanism = &core.Mechanism{Synthetic: true}
	return e
}

func TestTypeIsThatOfTheTitle(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*core.Event{
		"":               {Message: "hello"},
		"KeyError":       chain(exception("KeyError", "x"), exception("B", "y")),
		"ValueError":     group(part(whole, 0, none, true), part(parse, 1, 0, false), part(parse2, 2, 0, false)),
		"ExceptionGroup": group(part(whole, 0, none, true), part(parse, 1, 0, false), part(save, 2, 0, false)),
	} {
		require.Equal(t, want, string(grouping.Type(e)))
		require.True(t, strings.HasPrefix(grouping.Title(e), want), grouping.Title(e))
	}
}
