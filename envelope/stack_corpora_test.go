package envelope_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"errand/core"
	"errand/envelope/stack"
	"errand/testkit/corpora"

	"github.com/stretchr/testify/require"
)

// The corpora are the test files of JavaScript libraries. A tokenizer of a few lines finds the stacks in them and the frames that
// the libraries expect.

// frame has the fields that the libraries compare.
type frame struct {
	function, file string
	line, column   int
}

// stackSample is a stack with the expected frames by their index, the most recent one first.
type stackSample struct {
	name, stack string
	want        map[int]frame
}

// isComparable reports whether the test of a stack is about parsing. It excludes Opera before its move to V8, which no SDK
// supports, and frames that React asks the SDK to drop.
func (s stackSample) isComparable() bool {
	return s.stack != "" && !strings.HasPrefix(s.name, "OPERA_1") && !strings.Contains(s.name, "Opera 1") &&
		!strings.Contains(s.name, "framesToPop")
}

// scoreStacks counts the frames that match the expected ones at the same index, and logs the others.
func scoreStacks(t *testing.T, samples []stackSample) (right, all int) {
	t.Helper()
	for _, sample := range samples {
		if !sample.isComparable() {
			continue
		}
		all += len(sample.want)
		var got []core.Frame
		if traces, _ := stack.ParseStack(sample.stack, "javascript"); len(traces) > 0 {
			got = traces[0].Frames
		}
		for i, w := range sample.want {
			var gotFrame frame
			if i < len(got) {
				gotFrame = frame{string(got[i].Function), string(got[i].Filename), int(got[i].Lineno), int(got[i].Colno)}
			}
			if w.function == "?" || w.function == "undefined" {
				w.function = ""
			}
			if gotFrame == w {
				right++
			} else {
				t.Logf("%s, frame %d:\n want %v\n got  %v", sample.name, i, w, gotFrame)
			}
		}
	}
	t.Logf("%d of %d frames", right, all)
	return right, all
}

func TestCorporaSentryJavaScriptStacks(t *testing.T) {
	t.Parallel()
	dir := corpora.FindCorpus(t, "sentry-javascript-stacks")
	files, err := filepath.Glob(filepath.Join(dir, "packages/browser/test/tracekit/*.test.ts"))
	require.NoError(t, err)

	require.NotEmpty(t, files)

	var samples []stackSample
	for _, file := range files {
		samples = append(samples, sentrySamples(readTokens(t, file))...)
	}
	require.Greater(t, len(samples), 40)

	right, all := scoreStacks(t, samples)

	require.GreaterOrEqual(t, right*100, all*95)
}

// token matches a comment, a text in quotes, a name, a number or any other character of JavaScript.
var token = regexp.MustCompile("(?s)/\\*.*?\\*/|//[^\n]*|" +
	"'(?:[^'\\\\\n]|\\\\.)*'|\"(?:[^\"\\\\\n]|\\\\.)*\"|`(?:[^`\\\\]|\\\\.)*`|" +
	"[A-Za-z_$][\\w$]*|-?\\d+|\\S")

func readTokens(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var list []string
	for _, tok := range token.FindAllString(string(text), -1) {
		if !strings.HasPrefix(tok, "//") && !strings.HasPrefix(tok, "/*") {
			list = append(list, tok)
		}
	}
	return list
}

// joinLiteral reads a string, or strings joined by +, and returns the remaining tokens.
func joinLiteral(toks []string) (string, []string) {
	var text strings.Builder
	for len(toks) > 0 && strings.ContainsRune("'\"`", rune(toks[0][0])) {
		body := toks[0][1 : len(toks[0])-1]
		body = strings.NewReplacer(`\n`, "\n", `\\`, `\`, `\'`, "'", `\"`, `"`).Replace(body)
		text.WriteString(body)
		if toks = toks[1:]; len(toks) > 1 && toks[0] == "+" {
			toks = toks[1:]
		}
	}
	return text.String(), toks
}

// sentrySamples finds `stack: '..'` and the `frames: [{..}]` that follows it, oldest first.
func sentrySamples(toks []string) []stackSample {
	var samples []stackSample
	name, text := "", ""
	for i := 0; i+2 < len(toks); i++ {
		switch {
		case toks[i] == "it" && toks[i+1] == "(":
			name, _ = joinLiteral(toks[i+2:])
		case toks[i] == "stack" && toks[i+1] == ":":
			text, _ = joinLiteral(toks[i+2:])
		case toks[i] == "frames" && toks[i+1] == ":" && text != "" && !strings.Contains(text, "${"):
			samples = append(samples, stackSample{name, text, sentryFrames(toks[i+3:])})
			text = ""
		}
	}
	return samples
}

func sentryFrames(toks []string) map[int]frame {
	var list []frame
	for len(toks) > 1 && toks[0] != "]" {
		switch {
		case toks[0] == "{":
			list = append([]frame{{}}, list...)
		case toks[1] == ":":
			f := &list[0]
			value, _ := joinLiteral(toks[2:])
			number, _ := strconv.Atoi(toks[2])
			switch toks[0] {
			case "filename":
				f.file = value
			case "function":
				f.function = value
			case "lineno":
				f.line = number
			case "colno":
				f.column = number
			}
		}
		toks = toks[1:]
	}
	want := map[int]frame{}
	for i, f := range list {
		want[i] = f
	}
	return want
}

// readFixtures reads captured-errors.js: the stack of each exception by its name.
func readFixtures(t *testing.T, file string) map[string]string {
	t.Helper()
	stacks := map[string]string{}
	name := ""
	toks := readTokens(t, file)
	for i := 0; i+3 < len(toks); i++ {
		switch {
		case toks[i] == "CapturedExceptions" && toks[i+1] == ".":
			name = toks[i+2]
		case toks[i] == "stack" && toks[i+1] == ":":
			stacks[name], _ = joinLiteral(toks[i+2:])
		}
	}
	return stacks
}

// specSamples finds the calls with a captured or a literal stack, and the expected frames of each, such as
// expect(stackFrames[2]).toMatchStackFrame(..). The function read parses them.
func specSamples(t *testing.T, dir, spec, matcher string, read func(toks []string) frame) []stackSample {
	t.Helper()
	stacks := readFixtures(t, filepath.Join(dir, "spec/fixtures/captured-errors.js"))
	var samples []stackSample
	toks := readTokens(t, filepath.Join(dir, "spec", spec))
	for i := 0; i+4 < len(toks); i++ {
		switch {
		case toks[i] == "CapturedExceptions" && toks[i+1] == ".":
			samples = append(samples, stackSample{toks[i+2], stacks[toks[i+2]], map[int]frame{}})
		case toks[i] == "stack" && toks[i+1] == ":":
			text, _ := joinLiteral(toks[i+2:])
			samples = append(samples, stackSample{text, text, map[int]frame{}})
		case toks[i] == matcher && toks[i-3] == "]" && len(samples) > 0:
			at, err := strconv.Atoi(toks[i-4])
			require.NoError(t, err)
			samples[len(samples)-1].want[at] = read(toks[i+3:])
		}
	}
	return samples
}

func TestCorporaErrorStackParser(t *testing.T) {
	t.Parallel()
	dir := corpora.FindCorpus(t, "error-stack-parser")
	right, all := scoreStacks(t, specSamples(t, dir, "error-stack-parser-spec.js", "toMatchStackFrame", readListed))

	require.GreaterOrEqual(t, right*100, all*80)
}

// readListed reads [function, arguments, file, line, column].
func readListed(toks []string) frame {
	var values []string
	for len(toks) > 0 && toks[0] != ")" {
		if toks[0] == "," || toks[0] == "]" {
			toks = toks[1:]
			continue
		}
		value := toks[0]
		if text, rest := joinLiteral(toks); len(rest) < len(toks) {
			value, toks = text, rest
		} else {
			toks = toks[1:]
		}
		values = append(values, value)
	}
	for len(values) < 5 {
		values = append(values, "")
	}
	f := frame{function: values[0], file: strings.Trim(values[2], "()")}
	f.line, _ = strconv.Atoi(values[3])
	f.column, _ = strconv.Atoi(values[4])
	return f
}

func TestCorporaTraceKit(t *testing.T) {
	t.Parallel()
	dir := corpora.FindCorpus(t, "tracekit")
	right, all := scoreStacks(t, specSamples(t, dir, "tracekit-parser-spec.js", "toEqual", readNamed))

	require.GreaterOrEqual(t, right*100, all*95)
}

// readNamed reads {url: .., func: .., line: .., column: ..}.
func readNamed(toks []string) frame {
	var f frame
	for len(toks) > 2 && toks[0] != "}" {
		if toks[1] == ":" {
			value, _ := joinLiteral(toks[2:])
			number, _ := strconv.Atoi(toks[2])
			switch toks[0] {
			case "url":
				f.file = value
			case "func":
				f.function = value
			case "line":
				f.line = number
			case "column":
				f.column = number
			}
		}
		toks = toks[1:]
	}
	return f
}
