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
		"type and value":   {newEvent("python", "ValueError", "bad row"), "ValueError: bad row"},
		"first line":       {newEvent("python", "ValueError", "\n  bad row \nand more"), "ValueError: bad row"},
		"no value":         {newEvent("python", "ValueError", ""), "ValueError"},
		"no type":          {newEvent("python", "", "bad row"), "bad row"},
		"outermost":        {newChain(newException("A", "a"), newException("B", "b")), "A: a"},
		"over a message":   {&core.Event{Message: "hello", Exceptions: []core.Exception{newException("A", "a")}}, "A: a"},
		"message":          {newMessage("\r\nhello bob\nmore"), "hello bob"},
		"only a stack":     {newEvent("python", "", "", libraryFrame("get", "x"), ownFrame("f", "a")), "f"},
		"only a thread":    {threadEvent(core.Thread{Frames: []core.Frame{ownFrame("f", "a")}}), "f"},
		"only spaces":      {newEvent("python", " ", "\n", ownFrame(" ", "a")), "<unlabeled event>"},
		"nothing":          {&core.Event{}, "<unlabeled event>"},
		"synthetic":        {syntheticEvent("SIGSEGV", libraryFrame("abort", "c"), ownFrame("f", "a")), "f"},
		"synthetic, empty": {syntheticEvent("SIGSEGV"), "SIGSEGV"},
		"thrown text":      {thrownEvent("node", "bad cart", ownFrame("report", "log")), "Error: bad cart"},
		"policy": {&core.Event{Report: &core.Report{Kind: core.ReportCSP, Subject: "img-src", Detail: "https://a.example/x"}},
			"Blocked 'img-src' from 'a.example'"},
		"policy told": {&core.Event{Message: "Blocked 'image'", Report: &core.Report{Kind: core.ReportCSP, Subject: "img-src"}},
			"Blocked 'image'"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, grouping.MakeTitle(tt.e))
		})
	}
}

func TestCulprit(t *testing.T) {
	t.Parallel()
	withRequest := newMessage("hello")
	withRequest.Request = &core.Request{URL: "https://a.example/x"}
	withTransaction := newEvent("python", "E", "", ownFrame("f", "a"))
	withTransaction.Transaction = "/orders"
	tests := map[string]struct {
		e    *core.Event
		want string
	}{
		"transaction":       {withTransaction, "/orders"},
		"nearest own":       {newEvent("python", "E", "", libraryFrame("get", "x"), ownFrame("f", "a"), ownFrame("main", "a")), "a in f"},
		"nearest of all":    {newEvent("python", "E", "", libraryFrame("get", "x"), libraryFrame("main", "a")), "x in get"},
		"file":              {newEvent("php", "E", "", fileFrame("f", "/srv/a.php", 1)), "/srv/a.php in f"},
		"no function":       {newEvent("php", "E", "", fileFrame("", "/srv/a.php", 1)), "/srv/a.php in ?"},
		"no place":          {newEvent("python", "E", "", ownFrame("f", "")), "f"},
		"javascript":        {newEvent("javascript", "E", "", fileFrame("f", "https://a.example/s/a.js", 1)), "f(/s/a.js)"},
		"javascript, none":  {newEvent("javascript", "E", "", fileFrame("", "https://a.example", 1)), "?(a.example)"},
		"node":              {newEvent("node", "E", "", ownFrame("f", "lib:a")), "lib:a in f"},
		"node, no function": {newEvent("node", "E", "", ownFrame("", "lib:a")), "?(lib:a)"},
		"neither":           {newEvent("python", "E", "", ownFrame("?", "")), ""},
		"evaluated": {newEvent("javascript", "E", "", fileFrame("eval", "https://a.example/s/a.js", 7),
			fileFrame("f", "https://a.example/s/a.js", 7)), "f(/s/a.js)"},
		"template": {&core.Event{Report: &core.Report{Kind: core.ReportTemplate, Subject: "cart.html"}}, "cart.html"},
		"native":   {newEvent("native", "E", "", fileFrame("a::f(int)", "/x/a.cpp", 1)), "a in a::f(int)"},
		"rust": {newEvent("native", "E", "", fileFrame("shop::run::h0123456789abcdef", `C:\app\src\main.rs`, 1)),
			"main in shop::run"},
		"rust, no file":  {newEvent("native", "E", "", ownFrame("shop::run", "")), "shop::run"},
		"native, module": {newEvent("native", "E", "", ownFrame("run()", "libshop.so")), "libshop.so in run()"},
		"mapped": {newEvent("javascript", "E", "", mappedFrame(fileFrame("total", "https://a.example/a.js", 1),
			"webpack://shop/./src/cart.ts?aa", "x", "")), "src/cart in total"},
		"mapped, renamed": {newEvent("javascript", "E", "", mappedFrame(fileFrame("t", "https://a.example/a.js", 1), "../src/cart.ts",
			"x", ""), mappedFrame(fileFrame("n", "https://a.example/a.js", 1), "../src/main.ts", "total", "")), "src/cart in total"},
		"mapped, renamed constructor": {newEvent("javascript", "E", "", mappedFrame(fileFrame("new Eo", "https://a.example/a.js", 1),
			"../src/cart.ts", "x", ""), mappedFrame(fileFrame("n", "https://a.example/a.js", 1), "../src/main.ts", "Cart", "")), "src/cart in Cart"},
		"mapped, renamed class": {newEvent("javascript", "E", "", mappedFrame(fileFrame("Eo.findPrice [as price]", "https://a.example/a.js", 1),
			"../src/cart.ts", "x", "")), "src/cart in findPrice"},
		"mapped, class": {newEvent("javascript", "E", "", mappedFrame(fileFrame("Cart.findPrice", "https://a.example/a.js", 1),
			"../src/cart.ts", "x", "")), "src/cart in Cart.findPrice"},
		"mapped, unknown": {newEvent("javascript", "E", "", mappedFrame(fileFrame("", "https://a.example/a.js", 1), "/src/.hidden", "x",
			"")), "?(src/.hidden)"},
		"a cause's stack": {newChain(newException("A", ""), newException("B", "", ownFrame("f", "a"))), "a in f"},
		"thread":          {threadEvent(core.Thread{Frames: []core.Frame{ownFrame("f", "a")}}), "a in f"},
		"request":         {withRequest, "https://a.example/x"},
		"nothing":         {newMessage("hello"), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, grouping.FindCulprit(tt.e))
		})
	}
}

func TestLongTitlesAreCut(t *testing.T) {
	t.Parallel()
	require.Equal(t, strings.Repeat("ü", 200), grouping.MakeTitle(newMessage(strings.Repeat("ü", 200))))

	long := grouping.MakeTitle(newMessage(strings.Repeat("ü", 201)))

	require.Equal(t, strings.Repeat("ü", 197)+"...", long)
	require.Equal(t, 200, utf8.RuneCountInString(long))

	e := newMessage("x")
	e.Transaction = core.Untrusted(strings.Repeat("/a", 300))

	require.Len(t, grouping.FindCulprit(e), 200)
}

func thrownEvent(platform, text string, frames ...core.Frame) *core.Event {
	e := newEvent(platform, "Error", text, frames...)
	e.Exceptions[0].Mechanism = &core.Mechanism{Synthetic: true}
	return e
}

func TestTypeIsThatOfTheTitle(t *testing.T) {
	t.Parallel()
	for want, event := range map[string]*core.Event{
		"":               {Message: "hello"},
		"KeyError":       newChain(newException("KeyError", "x"), newException("B", "y")),
		"ValueError":     newGroup(groupPart(whole, 0, noParent, true), groupPart(parse, 1, 0, false), groupPart(parse2, 2, 0, false)),
		"ExceptionGroup": newGroup(groupPart(whole, 0, noParent, true), groupPart(parse, 1, 0, false), groupPart(save, 2, 0, false)),
	} {
		require.Equal(t, want, string(grouping.FindType(event)))
		require.True(t, strings.HasPrefix(grouping.MakeTitle(event), want), grouping.MakeTitle(event))
	}
}
