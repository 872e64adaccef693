package jsregexp

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFindAll(t *testing.T) {
	t.Parallel()
	tests := []struct{ pattern, text, want string }{
		{`\d{3}`, "a123b4567", "123|456"},
		{`EMP-\d+`, "EMP-1 EMP-x EMP-22", "EMP-1|EMP-22"},
		{`(?<=id=)\w+`, "id=ab, ida=c id=d", "ab|d"},
		{`(?<!\d)\d{2}(?!\d)`, "1 22 333 44", "22|44"},
		{`(["'])x\1`, `"x" 'x' "x'`, `"x"|'x'`},
		{`^a`, "aa", "a"},
		{`a$`, "aa\na", "a"},
		{`.+`, "ab\ncd\u2028ef", "ab|cd|ef"},
		{`a*`, "aab", "aa"},
		{`(?:|a)+`, "aaa", "aaa"},
		{`\bкот`, "кот", ""},
		{`[😀]`, "x😀", "😀"},
		{`^.$`, "😀", "😀"},
		{`(?<year>\d{4})-\k<year>`, "2024-2024", "2024-2024"},
		{`(?i:emp)-(?-i:X)`, "emp-X EMP-X eMp-x", "emp-X|EMP-X"},
		{`a(?i:b(?-i:c)d)e`, "aBcDe aBCDe", "aBcDe"},
		{`(?i:(a.)\1)`, "ab AB abAB", "abAB"},
		{`(?m:^\w)`, "ab\ncd", "a|c"},
		{`(?s:a.b)`, "a\nb", "a\nb"},
		{`(z)((a+)?(b+)?(c))*\3`, "zaacbbbcac", "zaacbbbc"},
	}
	const enough = 10000
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			t.Parallel()
			re, err := Compile(tt.pattern)
			require.NoError(t, err)
			steps := enough

			found, ok := re.FindAll(nil, tt.text, &steps)

			require.True(t, ok)
			var got []string
			for _, match := range found {
				got = append(got, tt.text[match.Start:match.End])
			}
			require.Equal(t, tt.want, strings.Join(got, "|"), tt.text)
			require.Less(t, steps, enough)
		})
	}
}

func TestCompileErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"(":                          "a ( has no ) after it",
		")":                          "a ) has no ( before it",
		"[a":                         "a [ has no ] after it",
		"*a":                         "nothing to repeat",
		"a**":                        "nothing to repeat",
		"{2}":                        "nothing to repeat",
		"(?<=a)*":                    "nothing to repeat",
		"a{2,1}":                     "out of order",
		"[b-a]":                      "out of order",
		`a\`:                         `ends with a \`,
		"(?i)a":                      "no known kind",
		"(?ii:a)":                    "no known kind",
		"(?i-i:a)":                   "no known kind",
		"(?-:a)":                     "no known kind",
		"(?x:a)":                     "no known kind",
		"(?<1>a)":                    "identifier",
		"(?<a>.)(?<a>.)":             "two groups are named a",
		`(?<a>.)\k<b>`:               "names no group",
		`(?<a>.)\k`:                  "must be followed by",
		"a{6000}":                    "repeats too much",
		"((a{100}){100}){100}":       "repeats too much",
		"(?:){2147483647}":           "repeats too much",
		strings.Repeat("(", 300):     "nested too deep",
		"\xff":                       "not valid UTF-8",
		strings.Repeat("(?:", 250):   "nested too deep",
		"(?:(?:){4000}){4000}x":      "repeats too much",
		"(?:a|(?=b{3000}c{3000}))":   "repeats too much",
		"(?:[ab]{99,}(?:c){99}){99}": "repeats too much",
	}
	for pattern, want := range tests {
		t.Run(pattern[:min(len(pattern), 30)], func(t *testing.T) {
			t.Parallel()
			_, err := Compile(pattern)
			require.ErrorContains(t, err, want, pattern)
		})
	}
}

func TestRequiredOfMatches(t *testing.T) {
	t.Parallel()
	var digits [256]bool
	for b := '0'; b <= '9'; b++ {
		digits[b] = true
	}
	tests := []struct {
		pattern  string
		literals []string
		length   int
		digits   int
	}{
		{`EMP-\d{6}`, []string{"EMP-"}, 10, 6},
		{`\bacct_[a-z]+`, []string{"acct_"}, 6, 0},
		{`(?<=customer=)\w+`, []string{"customer="}, 1, 0},
		{`(?:foo|quux)\d?`, []string{"foo", "quux"}, 3, 0},
		{`\d{3}-\d{2}-\d{4}`, []string{"-"}, 11, 9},
		{`[a-z]+`, nil, 1, 0},
		{`a?b*`, nil, 0, 0},
		{`(?!secret)\w`, nil, 1, 0},
		{`(?:x1|\d{2})`, nil, 2, 1},
	}
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			t.Parallel()
			re, err := Compile(tt.pattern)
			require.NoError(t, err)
			require.Equal(t, tt.literals, re.RequiredLiterals())
			require.Equal(t, tt.length, re.MinLen())
			require.Equal(t, tt.digits, re.MinCount(&digits))
		})
	}
}

func TestMatchesEmpty(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"": true, "a*": true, "^$": true, "(a|)": true, "(?!a)": true,
		"a": false, `\b`: false, "(?=a)": false,
	}
	for pattern, want := range tests {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			re, err := Compile(pattern)
			require.NoError(t, err)
			require.Equal(t, want, re.MatchesEmpty())
		})
	}
}

func TestCheckSpeed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		isLinear bool // in this engine
		patterns []string
		want     error
	}{
		{name: "at most quadratic elsewhere", isLinear: true, patterns: []string{
			`(?=.*a)(?=.*b).*c`, `(?<=\w+)x`, `\s+$`, `\w+@\w+`, `(?:a?){3}b`,
		}},
		{name: "fast with captures", patterns: []string{
			`(a)\1`, `(["']).*?\1`, `(["'])[^"']{1,40}\1`, `(\d)\1{3,}`,
		}},
		{name: "slow", want: ErrSlow, patterns: []string{
			`(a*)*b`, `(a?)+b`, `(?:a|b?)*c`, `(\w+)\s\1`, `(.*)\1x`, `(a+)+\1!`, `(\d)\1{3,}x`, `(?:\s*\w*)*:`, `^(.)(a|\1)*$`,
			`(a)(?:[a-z]{1,30}){1,30}\1`, `(x)?(?:\w+_?)+\1-`,
		}},
		{name: "slow elsewhere", isLinear: true, want: ErrSlow, patterns: []string{
			`(a+)+b`, `(a|aa)*b`, `.*.*.*x`, `(?:a+)+$`, `(\w+\s?)+:`,
		}},
	}
	for _, tt := range tests {
		for _, pattern := range tt.patterns {
			t.Run(tt.name+" "+pattern, func(t *testing.T) {
				t.Parallel()
				re, err := Compile(pattern)
				require.NoError(t, err)
				require.Equal(t, tt.isLinear, re.isLinear)
				require.ErrorIs(t, re.CheckSpeed(t.Context()), tt.want)
			})
		}
	}
}

func TestCheckSpeedIsStopped(t *testing.T) {
	t.Parallel()
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	re, err := Compile(`(a)\1`)
	require.NoError(t, err)
	require.ErrorIs(t, re.CheckSpeed(stopped), context.Canceled)
}

// TestLinearSteps bounds the work of linear patterns, on texts that overwhelm a backtracking
// engine.
func TestLinearSteps(t *testing.T) {
	t.Parallel()
	patterns := []string{
		`(a+)+b`, `(a|aa)*b`, `.*.*.*x`, `(?=.*a)(?=.*b).*c`, `a(?=.*b)`, `a(?!.*b)`, `(?<=a.*)b`, `(?<!b.*)a`, `a(?:.*c)?`,
		`(?:a|ab)(?:c|bcd)(?:d*)!`, `(?:(?:a+)+)+!`, `(?=(?=.*a).*b)a`, `\w+@\w+`, `a.*?b.*?c`, `(?<=(?=.*!)a.*)a`,
	}
	for _, pattern := range patterns {
		re, err := Compile(pattern)
		require.NoError(t, err)
		require.True(t, re.isLinear, pattern)
		for _, unit := range []string{"a", "ab", "b", "aab ", "a\n", "abc"} {
			text := strings.Repeat(unit, 10000/len(unit)) + "b"
			steps := 6 * len(re.prog) * len(text)
			_, ok := re.FindAll(nil, text, &steps)
			require.True(t, ok, "%s on %q...", pattern, unit)
		}
	}
}

func TestStepsRunOut(t *testing.T) {
	t.Parallel()
	re, err := Compile(`(a*)*b`)
	require.NoError(t, err)
	steps := 1000
	_, ok := re.FindAll(nil, strings.Repeat("a", 50), &steps)
	require.False(t, ok)
	re, err = Compile(`x`)
	require.NoError(t, err)
	_, ok = re.FindAll(nil, strings.Repeat("a", 100000), &steps)
	require.False(t, ok, "passing over a text costs steps as well")
	re, err = Compile(`(?:a|b)*x`)
	require.NoError(t, err)
	steps = 1 << 30
	_, ok = re.FindAll(nil, strings.Repeat("a", maxMemo), &steps)
	require.False(t, ok, "the memory is bounded")
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{`(?<a>\d+)\k<a>`, `[^\w-a\]]{2,3}?`, `(?<=a|b)(?!c)$`, `\u{1}\cA\c1[\c_]`} {
		f.Add(seed, "aab1")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := Compile(pattern)
		if err != nil {
			return
		}
		text = strings.ToValidUTF8(text, "\ufffd")
		steps := 1 << 16
		found, _ := re.FindAll(nil, text, &steps)
		last := 0
		for _, m := range found {
			require.True(t, last <= m.Start && m.Start < m.End && m.End <= len(text))
			last = m.End
		}
	})
}

func BenchmarkFindAll(b *testing.B) {
	text := strings.Repeat("user logged in from 10.1.2.3 with order 4711-A; ", 20)
	for _, pattern := range []string{`\b\d{1,3}(?:\.\d{1,3}){3}\b`, `[\w.+-]+@[\w-]+\.[\w.]+`, `order \d+-[A-Z]`, `(?<=order )\S+`} {
		re, err := Compile(pattern)
		require.NoError(b, err)
		b.Run(pattern, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var found []Span
			for b.Loop() {
				steps := 1 << 20
				found, _ = re.FindAll(found[:0], text, &steps)
			}
		})
	}
}
