package grouping_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/grouping"
)

func FuzzParameterize(f *testing.F) {
	for _, seed := range []string{"", "order 42 of 'bob' at 2024-01-31T22:31:45Z", "https://a:b@c.example:1/2?3#4",
		"::1 1.2.3.4:5 0x0f aa:bb:cc:dd:ee:ff", `C:\a b\c "x`, "Wed Jan 31 1h2m3s 1,2,3", "a@b.cc '", `\://`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := grouping.ParameterizeText(text)
		require.Equal(t, got, grouping.ParameterizeText(text))
		require.LessOrEqual(t, len(got), 5*len(text))
		if utf8.ValidString(text) {
			require.True(t, utf8.ValidString(got))
		}
	})
}

func FuzzOf(f *testing.F) {
	f.Add(uint8(0), "E", "bad row 1", "Cart.add [as x]", "shop", "https://a.example/a.js", "x = 1", "webpack://a/b.ts", "a {{ default }}")
	f.Add(uint8(3), "A$1", "", "lambda$a$1", "a.B$$Lambda$1/0x1", "B.java", "", "", "")
	f.Add(uint8(4), "*a.B[int]", "", "run[...].func1.2", "main", "", "", "", "")
	f.Add(uint8(5), "class@anonymous/a:1$0", "", "{closure:{closure:a}:1}", "", "a.php(1) : eval()'d code", "", "", "")
	f.Add(uint8(7), "A`1", "", "<<Main>b__0>d.MoveNext()", "A.B+<>c, C", "", "", "", "")
	f.Add(uint8(8), "", "", "(anonymous namespace)::a<b<c> >::operator<<(int) const", "", "../a.cpp", "", "", "")
	f.Add(uint8(8), "", "", "closure #1 (A) -> () in generic specialization <B> of A.(b in _C)(_:)", "", "a.swift", "", "", "")
	f.Fuzz(func(t *testing.T, platform uint8, kind, value, function, module, file, context, source, part string) {
		frame := core.Frame{Function: core.Untrusted(function), Module: core.Untrusted(module), Filename: core.Untrusted(file),
			ContextLine: core.Untrusted(context), InApp: true}
		other := frame
		other.Function += "x"
		if source != "" {
			other.Source = &core.SourcePosition{Path: core.Untrusted(source), Name: core.Untrusted(function)}
		}
		e := newEvent(platforms[int(platform)%len(platforms)], kind, value, frame, other, frame, other)
		e.Message = core.Untrusted(value)
		e.Fingerprint = []core.Untrusted{core.Untrusted(part)}
		require.Equal(t, grouping.ComputeKey(e), grouping.ComputeKey(e))
		title, culprit := grouping.MakeTitle(e), grouping.FindCulprit(e)
		require.NotEmpty(t, title)
		require.LessOrEqual(t, utf8.RuneCountInString(title), 200)
		require.LessOrEqual(t, utf8.RuneCountInString(culprit), 200)
	})
}
