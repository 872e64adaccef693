package web

import (
	"html/template"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

func TestWhatShowsNothingIsSpelledOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[core.Untrusted]string{
		"Zahlung für 3 €":       "Zahlung für 3 €",
		"pay\u202egnp.exe":      "pay[U+202E]gnp.exe",
		"a\u200bb\u2066c\ufeff": "a[U+200B]b[U+2066]c[U+FEFF]",
		"two\nlines\x00":        "two[U+000A]lines[U+0000]",
		"wide\u3000space\u00a0": "wide[U+3000]space[U+00A0]",
	} {
		require.Equal(t, want, plainText(text))
		marked := strings.NewReplacer("[", `<span class="marked">`, "]", "</span>").Replace(want)
		require.Equal(t, template.HTML(marked), showText(text))
	}
}

func TestTextOfOthersMakesNoMarkup(t *testing.T) {
	t.Parallel()
	for text, want := range map[any]template.HTML{
		nil:                              "",
		`<span class="marked">`:          "&lt;span class=&#34;marked&#34;&gt;",
		core.Text("a\xffb\xff"):          `a<span class="marked">U+FFFD</span>b<span class="marked">U+FFFD</span>`,
		"\ufffd<":                        `<span class="marked">U+FFFD</span>&lt;`,
		core.Untrusted("\u202e<script>"): `<span class="marked">U+202E</span>&lt;script&gt;`,
	} {
		require.Equal(t, want, showText(text))
	}
}

func TestNumbersAreForPeople(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 users", 1: "1 user", 2: "2 users", 999: "999 users", 1000: "1,000 users", 1204567: "1,204,567 users", -1000: "-1,000 users",
	} {
		require.Equal(t, want, writePlural(n, "user", "users"))
	}
	for minutes, want := range map[int64]string{0: "0 min", 59: "59 min", 60: "1 h", 80: "1 h 20 min", 1439: "23 h", 2880: "2 days"} {
		require.Equal(t, want, writeMinutes(minutes))
	}
}
