package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFindFunction(t *testing.T) {
	t.Parallel()
	mapped := func(function, name Untrusted) Frame {
		return Frame{Function: function, Source: &SourcePosition{Path: "src/cart.ts", Name: name}}
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
		"called by nobody":                 {[]Frame{mapped("t", "price")}, "t"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, FindFunction(test.stack, 0))
		})
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
