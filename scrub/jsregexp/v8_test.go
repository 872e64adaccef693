package jsregexp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// question asks V8 for the matches of a pattern in texts.
type question struct {
	Pattern string   `json:"p"`
	Flags   string   `json:"f"`
	Texts   []string `json:"t"`

	modifiers string
}

// ourPattern is the pattern with the flags inside.
func (q question) ourPattern() string {
	if q.modifiers == "" {
		return q.Pattern
	}
	return "(?" + q.modifiers + ":" + q.Pattern + ")"
}

// v8Script answers each question with null for a syntax error, or else the byte ranges of the matches that are not empty.
const v8Script = `
const chunks = [];
process.stdin.on('data', c => chunks.push(c)).on('end', () => {
  const bytes = (s, i) => Buffer.byteLength(s.slice(0, i));
  const answer = q => {
    let re;
    try { re = new RegExp(q.p, q.f); } catch (e) { return null; }
    return q.t.map(t => [...t.matchAll(re)].filter(m => m[0] !== '')
      .map(m => ({Start: bytes(t, m.index), End: bytes(t, m.index + m[0].length)})));
  };
  process.stdout.write(JSON.stringify(JSON.parse(Buffer.concat(chunks)).map(answer)));
});`

func askV8(t *testing.T, questions []question) [][][]Span {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on this machine: V8 is the oracle of this test")
	}
	in, err := json.Marshal(questions)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), node, "-e", v8Script)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	require.NoError(t, err)
	var answers [][][]Span
	require.NoError(t, json.Unmarshal(out, &answers))
	require.Len(t, answers, len(questions))
	return answers
}

// TestAgainstV8 compares with V8 which random patterns compile, and what they match in random texts.
func TestAgainstV8(t *testing.T) {
	t.Parallel()
	g := generator{rand.New(rand.NewPCG(7, 11))}
	var questions []question
	for i := range 10000 {
		q := question{Flags: "g"}
		switch i % 5 {
		case 0, 1:
			q.Pattern = g.makePattern(3)
		case 2:
			q.Pattern = g.mutatePattern(g.makePattern(3))
		case 3: // characters outside the basic plane: as under the u flag
			q.Flags = "gu"
			q.Pattern = g.makeStrictPattern(2)
		case 4: // a group's flags, which this V8 may not know yet: as the same flags for the whole
			q.modifiers = g.pickOne("i", "m", "s", "im", "ims")
			q.Flags += q.modifiers
			q.Pattern = g.makePattern(3)
		}
		for range 6 {
			q.Texts = append(q.Texts, g.makeText(q.Flags == "gu"))
		}
		questions = append(questions, q)
	}
	refused := 0
	for i, want := range askV8(t, questions) {
		q := questions[i]
		re, err := Compile(q.ourPattern())
		if want == nil {
			refused++
			require.Error(t, err, "V8 refuses %s", q.Pattern)
			continue
		}
		require.NoError(t, err, "V8 takes %s", q.Pattern)
		for j, text := range q.Texts {
			steps := 1 << 22
			got, ok := re.FindAll([]Span{}, text, &steps)
			if !ok && !re.isLinear {
				continue // exponential in V8 too
			}
			require.True(t, ok, "%s on %q", q.Pattern, text)
			require.Equal(t, want[j], got, "%s on %q", q.Pattern, text)
			requirePrefilters(t, re, text, got)
		}
	}
	require.Greater(t, refused, 300, "the mutations must reach the errors of the syntax")
}

// requirePrefilters checks the assumptions of the prefilters against actual matches.
func requirePrefilters(t *testing.T, re *Regexp, text string, found []Span) {
	t.Helper()
	var digits [256]bool
	for b := '0'; b <= '9'; b++ {
		digits[b] = true
	}
	for _, m := range found {
		match := text[m.Start:m.End]
		require.GreaterOrEqual(t, utf8.RuneCountInString(match), re.MinLen())
		count := strings.IndexFunc(match, func(r rune) bool { return r >= '0' && r <= '9' })
		require.True(t, count >= 0 || re.MinCount(&digits) == 0)
	}
	if literals := re.RequiredLiterals(); len(found) > 0 && literals != nil {
		contained := false
		for _, l := range literals {
			contained = contained || strings.Contains(text, l)
		}
		require.True(t, contained, "one of %q in %q", literals, text)
	}
}

// generator makes random patterns and texts over a small alphabet, so that they meet.
type generator struct{ *rand.Rand }

func (g generator) pickOne(list ...string) string { return list[g.IntN(len(list))] }

func (g generator) makeText(astral bool) string {
	var b strings.Builder
	for range g.IntN(12) {
		c := g.pickOne("a", "b", "c", "a", "b", "1", "2", "-", "_", " ", "\n", "A", "é", "\u2028", "k",
			"\b", "}", "\\", "\u00a0", "]", "ſ", "B", "É", "K", "µ", "μ", "ß")
		if astral && g.IntN(3) == 0 {
			c = g.pickOne("😀", "😁", "𝒜")
		}
		b.WriteString(c)
	}
	return b.String()
}

// makePattern makes a pattern that may use the legacy syntax.
func (g generator) makePattern(depth int) string {
	var b strings.Builder
	for i := range 1 + g.IntN(4) {
		if i > 0 && g.IntN(5) == 0 {
			b.WriteByte('|')
		}
		b.WriteString(g.makeAtom(depth))
		if g.IntN(3) == 0 {
			b.WriteString(g.pickOne("*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}", "*?", "+?", "??", "{0}", "{1,3}?"))
		}
	}
	return b.String()
}

func (g generator) makeAtom(depth int) string {
	if depth > 0 && g.IntN(3) == 0 {
		inner := g.makePattern(depth - 1)
		switch g.IntN(10) {
		case 0, 1, 2:
			return "(" + inner + ")"
		case 3, 4:
			return "(?:" + inner + ")"
		case 5:
			return "(?=" + inner + ")"
		case 6:
			return "(?!" + inner + ")"
		case 7:
			return "(?:(?<=" + inner + "))"
		case 8:
			return "(?:(?<!" + inner + "))"
		}
		return fmt.Sprintf("(?<n%d>%s)", g.IntN(1e6), inner)
	}
	switch g.IntN(9) {
	case 0:
		return g.makeClass()
	case 1:
		return g.pickOne(`\d`, `\w`, `\s`, `\D`, `\W`, `\S`, `.`)
	case 2:
		return g.pickOne(`\1`, `\2`, `(a)\1`, `(b|a)\1`, `\k`, `\8`, `\12`, `\0`, `\61`, `\141`)
	case 3:
		return g.pickOne(`\x61`, `\u0061`, `\u00e9`, `\cJ`, `\c`, `\x6`, `\u006`, `\-`, `\a`, `\p{L}`, `\z`, `\/`, `\\`, `]`, `}`, `\}`)
	case 4:
		return "(?:" + g.pickOne(`\b`, `\B`, `^`, `$`) + ")"
	}
	return g.pickOne("a", "b", "c", "1", "-", "k", "é", "B", "μ")
}

func (g generator) makeClass() string {
	var b strings.Builder
	b.WriteString(g.pickOne("[", "[", "[^"))
	for range g.IntN(4) {
		b.WriteString(g.pickOne("a", "b", "a-c", "1-2", `\d`, `\w`, `\s`, `\S`, `\W`, "-", `\b`, `\]`, `\cJ`, `\c`, `\x61`, `\u00e9`, `\1`, `\12`,
			`\8`, `\d-a`, `a-\w`, "^", ".", "(", `\u2028`, `\B`, `\-`, `\c1`, `\c_`, "é", "À-ÿ"))
	}
	return b.String() + "]"
}

func (g generator) mutatePattern(s string) string {
	runes := []rune(s)
	for range 1 + g.IntN(3) {
		at := g.IntN(len(runes) + 1)
		switch g.IntN(3) {
		case 0:
			if at < len(runes) {
				runes = append(runes[:at:at], runes[at+1:]...)
			}
		default:
			noise := []rune(g.pickOne("(", ")", "[", "]", "{", "}", "?", "*", "+", `\`, "^", "$", "{1,2}", "{2,1}",
				"(?<", ">", "(?", "|", "-", "<=", "<!", "k<n>", "<a>", ",", `\k<a>`))
			runes = append(runes[:at:at], append(noise, runes[at:]...)...)
		}
	}
	return string(runes)
}

// makeStrictPattern makes a pattern that means the same with and without the u flag, except for astral characters.
func (g generator) makeStrictPattern(depth int) string {
	var b strings.Builder
	for range 1 + g.IntN(4) {
		switch g.IntN(7) {
		case 0:
			b.WriteString(g.pickOne("[^a]", "[😀-😁]", "[^😀]", "[a😀]", `[\ud83d\ude00]`, `[\w😀]`))
		case 1:
			b.WriteString(g.pickOne(".", `\W`, `\S`, `\D`))
		case 2:
			b.WriteString(g.pickOne("😀", `\ud83d\ude00`, "𝒜", `\ud83d`, `\ude00`))
		case 3:
			if depth > 0 {
				b.WriteString(g.pickOne("(", "(?:", "(?<=", "(?!", "(?=") + g.makeStrictPattern(depth-1) + ")")
				continue
			}
			b.WriteString("a")
		default:
			b.WriteString(g.pickOne("a", "b", "1"))
		}
		b.WriteString(g.pickOne("", "", "+", "*", "?", "{2}", "+?"))
	}
	return b.String()
}
