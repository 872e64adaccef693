package scrub

import (
	"context"
	"strings"
	"testing"
	"time"

	"errand/core"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPatterns(t *testing.T) {
	t.Parallel()
	tests := []struct{ pattern, in, out string }{
		{`EMP-\d{6}`, "EMP-123456 and EMP-12345, EMP-999999", "* and EMP-12345, *"},
		{`(?<=customer=)\w+`, "customer=jane x", "customer=* x"},
		{`[\w.+-]+@[\w-]+\.[\w.]+`, "mail jane@example.com now", "mail * now"},
		{`\d`, "a12b3", "a*b*"},
		{`(?i:project) x`, "PROJECT x", "*"},
		{`名\S+`, "x 名前 y", "x * y"},
		{`Filtered`, "password=hunter2 Filtered", "password=* *"},
		{`\[.*`, "password=hunter2 x [y", "password=*"},
		{`t.*x`, "password=hunter2 is x, t x", "password=*"},
		{`d=\S+ i`, "password=hunter2 is", "passwor*s"},
		{`is.*`, "is password=hunter2", "*"},
		{`eyJ\w+`, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc", "*"},
		{`\b`, "nothing to mask", "nothing to mask"},
		{`x*`, "axxb", "a*b"},
	}
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			t.Parallel()
			r, err := NewRules(nil, []string{tt.pattern})
			require.NoError(t, err)

			got := r.ScrubText(tt.in)

			require.Equal(t, maskStars(tt.out), got)
			require.Equal(t, got, r.ScrubText(got), "scrubbing twice is scrubbing once")
		})
	}
}

func TestPatternsReachEveryText(t *testing.T) {
	t.Parallel()
	r, err := NewRules(nil, []string{`EMP-\d+`})
	require.NoError(t, err)
	e := &core.Event{Message: "EMP-1", Release: "EMP-2", Extra: objectOf("EMP-3", "x EMP-4"),
		Exceptions: []core.Exception{{Frames: []core.Frame{{ContextLine: "f('EMP-5')"}}}}}
	r.ScrubEvent(e)
	require.NotContains(t, string(e.AppendJSON(nil)), "EMP")
}

// TestPrefilter compares the result with running every pattern on every text.
func TestPrefilter(t *testing.T) {
	t.Parallel()
	var patterns []pattern
	for _, source := range append([]string{`[A-Z]{3}`, `(?:ab|cd)\d?`, `a\d\d|b`, `(?=.*1)z`}, typicalPatterns...) {
		p, err := newPattern(source)
		require.NoError(t, err)
		patterns = append(patterns, p)
	}
	piece := rapid.SampledFrom([]string{"EMP-", "123456", "acct_", "ABCdef12", "customer=", "10.0.0.1", "a@b.cd", "+49 1234567",
		"order no. ", "corp.example.com", "z", " ", "1", "DE44 5001", "é"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
		for _, p := range patterns {
			steps := eventSteps
			masked, ok := p.maskMatches(s, &steps)
			require.True(t, ok)
			if !p.mayMatch(s, surveyText(s)) {
				require.Equal(t, s, masked)
			}
		}
	})
}

func TestPatternOutOfBudgetFiltersTheField(t *testing.T) {
	t.Parallel()
	r, err := NewRules(nil, []string{`(a*)*b`}) // CheckPattern refuses it; a stored one may be older than the check
	require.NoError(t, err)
	e := &core.Event{Message: core.Untrusted(strings.Repeat("a", 60) + "b" + strings.Repeat("a", 60)), ServerName: "ab", Logger: "none"}
	r.ScrubEvent(e)
	require.Equal(t, core.Untrusted(Mask), e.Message)
	require.Equal(t, core.Untrusted("none"), e.Logger, "what no pattern can match stays")
	long, err := NewRules(nil, []string{`\w+!`})
	require.NoError(t, err)
	require.Equal(t, Mask, long.ScrubText(strings.Repeat("a", 9<<20)+"!"), "one text can use up the budget")
}

func TestBudgetIsForTheWholeEvent(t *testing.T) {
	t.Parallel()
	r, err := NewRules(nil, []string{`[a-z]+!`})
	require.NoError(t, err)
	text := strings.Repeat("a ", 32<<10) + "!"
	e := &core.Event{Extra: core.Value{Kind: core.Array}}
	for range 100 {
		e.Extra.Kids = append(e.Extra.Kids, core.Member{Value: core.StringValue(text)})
	}
	r.ScrubEvent(e)
	require.Equal(t, text, e.Extra.Kids[0].Value.Text)
	require.Equal(t, Mask, e.Extra.Kids[99].Value.Text)
}

func TestCheckPattern(t *testing.T) {
	t.Parallel()
	accepted := []string{`a`, strings.Repeat("é", 200), `(["'])[^"']{1,40}\1`, `(?<=id=)\d+`, `a{3`,
		`[\w.+-]+@[\w-]+\.[\w.]+`}
	for _, pattern := range append(accepted, typicalPatterns...) {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, CheckPattern(t.Context(), pattern))
		})
	}
}

func TestCheckPatternRefuses(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"(":                      "has no )",
		"[z-a]":                  "out of order",
		"":                       "empty text",
		"a*":                     "empty text",
		"(?:x|)":                 "empty text",
		`(a+)+$`:                 "grows faster",
		`^(\w+\s?)+$`:            "grows faster",
		`(a|a)*b`:                "grows faster",
		`(.*a){12}b`:             "grows faster",
		`(\w+)\s+\1x`:            "grows faster",
		`(?:a?b?)+c`:             "grows faster",
		strings.Repeat("a", 201): "at most 200",
		`(?:a{1000}){1000}`:      "repeats too much",
		"\xff":                   "UTF-8",
		`(?<n>a)\k<m>`:           "names no group",
		`(?<!a)+b`:               "nothing to repeat",
		strings.Repeat("(", 150): "has no )",
		`(?i)a`:                  "no known kind",
		`(?:[a-z]{1,99}){1,99}@`: "repeats too much",
	} {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, CheckPattern(t.Context(), pattern), want)
		})
	}
}

func TestCheckPatternIsStopped(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	require.ErrorIs(t, CheckPattern(ended, `(a)\1`), context.DeadlineExceeded)
}
