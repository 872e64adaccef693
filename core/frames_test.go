package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFunctionOfAFrame(t *testing.T) {
	t.Parallel()
	mapped := func(function, name Untrusted) Frame {
		return Frame{Function: function, Source: &SourcePosition{Path: "src/cart.ts", Name: name}}
	}
	inSource := func(function, name Untrusted) Frame {
		return Frame{Function: function, Source: &SourcePosition{Path: "src/cart.ts", Function: name}}
	}
	for name, test := range map[string]struct {
		stack []Frame
		want  Untrusted
	}{
		"not mapped":                       {[]Frame{{Function: "t"}, mapped("n", "total")}, "t"},
		"renamed":                          {[]Frame{mapped("t", "price"), mapped("n", "total")}, "total"},
		"renamed method of a module":       {[]Frame{mapped("Object.t [as total]", ""), mapped("n", "total")}, "total"},
		"renamed class":                    {[]Frame{mapped("new t", ""), mapped("n", "Cart")}, "Cart"},
		"unknown":                          {[]Frame{mapped("?", "price"), mapped("n", "total")}, "total"},
		"not renamed":                      {[]Frame{mapped("addLine", "price"), mapped("n", "total")}, "addLine"},
		"method of a renamed class":        {[]Frame{mapped("t.addLine", ""), mapped("n", "total")}, "addLine"},
		"method of a class":                {[]Frame{mapped("Cart.addLine", ""), mapped("n", "total")}, "Cart.addLine"},
		"called from outside of maps":      {[]Frame{mapped("t", "price"), {Function: "Array.map"}}, "t"},
		"called at a place without a name": {[]Frame{mapped("t", "price"), mapped("n", "")}, "t"},
		"named by its source":              {[]Frame{inSource("Dae", "price"), mapped("n", "total")}, "price"},
		"anonymous in its source":          {[]Frame{inSource("t", "<anonymous>"), mapped("n", "total")}, "<anonymous>"},
		"called by nobody":                 {[]Frame{mapped("t", "price")}, "t"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, ViewFrame(test.stack, 0).Function)
		})
	}
}

func TestViewFrame(t *testing.T) {
	t.Parallel()
	const url = "https://shop.example/assets/app.js?v=1"
	for name, test := range map[string]struct {
		frame Frame
		want  FrameView
	}{
		"a script of a page": {
			Frame{Function: "t", Filename: "/assets/app.js", AbsPath: url, Lineno: 1, Colno: 2},
			FrameView{Function: "t", File: "/assets/app.js", Line: 1, Column: 2, Sent: FramePlace{"t", url, 1, 2}},
		},
		"a mapped script": {
			Frame{
				Function: "t", Filename: "/assets/app.js", AbsPath: url, Lineno: 1, Colno: 2,
				Source: &SourcePosition{Function: "total", Path: "src/cart.ts", Line: 3, Column: 4},
			},
			FrameView{
				Function: "total", File: "src/cart.ts", Line: 3, Column: 4, IsMapped: true, Sent: FramePlace{"t", url, 1, 2},
			},
		},
		"a bare name of a file": {
			Frame{Filename: "views.py", AbsPath: "/srv/views.py", Lineno: 7},
			FrameView{File: "/srv/views.py", Line: 7, Sent: FramePlace{"", "/srv/views.py", 7, 0}},
		},
		"a path below the root": {
			Frame{Filename: "shop/views.py", AbsPath: "/srv/shop/views.py"},
			FrameView{File: "shop/views.py", Sent: FramePlace{File: "/srv/shop/views.py"}},
		},
		"a module alone": {
			Frame{Function: "run", Module: "shop.Cart"},
			FrameView{Function: "run", File: "shop.Cart", Sent: FramePlace{Function: "run"}},
		},
		"nothing": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, ViewFrame([]Frame{test.frame}, 0))
		})
	}
}

// An event with NameMapped has the function names that ViewFrame returns.
func TestNameMapped(t *testing.T) {
	t.Parallel()
	e := Event{Exceptions: List[Exception]{{Frames: List[Frame]{
		{Function: "t", Source: &SourcePosition{}}, {Function: "n", Source: &SourcePosition{Name: "total"}}, {Function: "o"},
	}}}}

	e.NameMapped()

	frames := e.Exceptions[0].Frames
	require.Equal(t, Untrusted("total"), frames[0].Source.Function)
	require.Equal(t, Untrusted("n"), frames[1].Source.Function)
	require.Nil(t, frames[2].Source)
}

func TestNameFromSource(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sent        Untrusted
		name, class string
		want        Untrusted
	}{
		{"t", "price", "", "price"},
		{"Dae", "price", "", "price"},
		{"price", "price", "", "price"},
		{"Cart.price", "price", "Cart", "Cart.price"},
		{"Basket.price", "price", "Cart", "Basket.price"}, // a subclass
		{"Eo.price", "price", "Cart", "price"},
		{"Dae.price", "price", "Cart", "price"},
		{"async Dae.price [as run]", "price", "Cart", "price"},
		{"async Cart.price [as run]", "price", "Cart", "async Cart.price"},
		{"Object.t [as price]", "price", "", "price"},
		{"Object.price", "price", "", "Object.price"},
		{"Cart.get price [as price]", "price", "Cart", "Cart.get price"},
		{"Dae.get price [as price]", "price", "Cart", "price"},
		{"new Dae", "Cart", "Cart", "Cart"},
		{"new Cart", "Cart", "Cart", "new Cart"},
		{"Cart.#price", "#price", "Cart", "Cart.#price"},
		{"module.exports", "exports", "", "module.exports"},
		{"checkout/price", "price", "", "checkout/price"},
		{"n/price", "price", "", "price"},
		{"", "price", "", "price"},
		{"", "", "", "<anonymous>"},
		{"?", "", "", "<anonymous>"},
		{"t", "", "", "<anonymous>"},
		{"Dae", "", "", "<anonymous>"},
		{"n/<", "", "", "<anonymous>"},
		{"checkout/<", "", "", "checkout/<"},
		{"Object.<anonymous>", "", "", "Object.<anonymous>"},
		{"n.<anonymous>", "", "", "<anonymous>"},
		{"Object../src/cart.js", "", "", "Object../src/cart.js"},
		{"handleRequest", "", "", "handleRequest"}, // named at run time
	} {
		require.Equal(t, test.want, NameFromSource(test.sent, test.name, test.class), "%s, in its source %s", test.sent, test.name)
	}
}

func TestFindMapProblem(t *testing.T) {
	t.Parallel()
	e := Event{Problems: List[Problem]{
		{Path: "exceptions.0.frames.1", Reason: "cut from 9000 bytes to 8192"},
		{Path: "exceptions.0.frames.1", Reason: NotMapped + "upload it"},
	}}

	require.Equal(t, "upload it", e.FindMapProblem("exceptions", 0, 1))
	require.Empty(t, e.FindMapProblem("exceptions", 0, 11))
	require.Empty(t, e.FindMapProblem("threads", 0, 1))
}
