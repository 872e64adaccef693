package grouping_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/grouping"
)

// Grouping reads a bounded part of each text: an event of the largest size costs about as much as counting the words of a plain
// text of that size. Without the bound, each of these took from 3 seconds to minutes, and counting 30 to 90 milliseconds.
func TestHugeTextsCostLittle(t *testing.T) {
	t.Parallel()
	huge := func(s string) string { return strings.Repeat(s, 18<<20/len(s)) }
	frames := func(platform string, f core.Frame) *core.Event { return newEvent(platform, "E", "x", f) }
	fingerprint := newMessage(huge("x "))
	tree := newGroup(groupPart(whole, 0, noParent, true), groupPart(parse, 1, 0, false), groupPart(save, 2, 0, false))
	for range 30_000 {
		fingerprint.Fingerprint = append(fingerprint.Fingerprint, "{{ message }}", "{{ default }}")
		tree.Fingerprint = append(tree.Fingerprint, "{{ nothing }}", "{{ type }}")
	}
	plain := huge("word ")
	start := time.Now()

	require.Equal(t, len(plain)/5, countWords(plain))

	enough := 40 * time.Since(start)
	for name, event := range map[string]*core.Event{
		"numbers of a message": newMessage(huge("1a ")),
		"numbers of a value":   newEvent("python", "E", huge("1a ")),
		"quotes":               newEvent("python", "E", huge(`"'`)),
		"addresses":            newMessage(huge("a:b.1")),
		"empty lines":          newMessage(huge("\n") + "x"),
		"type":                 newEvent("python", huge("@0x1 "), "x"),
		"names of C++":         frames("native", fileFrame(huge("`(<["), "a.cpp", 1)),
		"backticks":            frames("native", fileFrame(huge("`"), "a.cpp", 1)),
		"names of Rust":        frames("native", fileFrame(huge("<&dyn "), "a.rs", 1)),
		"names of Go":          frames("go", ownFrame(huge("func1."), huge("a/"))),
		"names of .NET":        frames("csharp", ownFrame(huge("<a>d__1."), huge("<b>+"))),
		"names of PHP":         frames("php", fileFrame(huge("{closure"), "a.php", 1)),
		"names of Java":        frames("java", ownFrame(huge("$1"), huge("a$"))),
		"names of JavaScript":  frames("javascript", ownFrame(huge("./"), huge("a-1b"))),
		"names of Ruby":        frames("ruby", ownFrame(huge("block in "), "a")),
		"names of Elixir":      frames("elixir", ownFrame(huge("anonymous fn/ in "), "a")),
		"names of Dart":        frames("dart", ownFrame(huge(".<a>"), "a")),
		"file":                 frames("javascript", fileFrame("", huge("1.2-"), 1)),
		"folders of Ruby":      frames("ruby", fileFrame("f", huge("1a/"), 1)),
		"folders":              frames("javascript", fileFrame("f", huge("./"), 1)),
		"source": newEvent("javascript", "E", "x", mappedFrame(fileFrame("", "a.js", 1), huge("../"), huge("n"),
			huge("c "))),
		"report":                 newReport(core.ReportTemplate, huge("a/"), huge("1 ")),
		"variables":              fingerprint,
		"variables of a group":   tree,
		"placeholders":           {Template: huge("%(%<{:"), Message: "x"},
		"template of parameters": {Template: huge("%s "), Message: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			require.LessOrEqual(t, len(grouping.MakeTitle(event)), 800)
			require.LessOrEqual(t, len(grouping.FindCulprit(event)), 800)

			cost := costOf(event)
			for tries := 1; tries < 5 && cost > enough; tries++ { // other tests may have had the processor
				cost = costOf(event)
			}
			require.LessOrEqual(t, cost, enough)
		})
	}
}

func countWords(text string) (count int) {
	for range strings.FieldsSeq(text) {
		count++
	}
	return count
}

// costOf returns how long it takes to group and name an event.
func costOf(e *core.Event) time.Duration {
	start := time.Now()
	grouping.ComputeKey(e)
	grouping.MakeTitle(e)
	grouping.FindCulprit(e)
	return time.Since(start)
}

func TestLongMessagesAreToldApartByTheirStart(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 4<<10)

	require.Equal(t, grouping.ComputeKey(newMessage(long+"a")), grouping.ComputeKey(newMessage(long+"b")))
	require.NotEqual(t, grouping.ComputeKey(newMessage("a"+long)), grouping.ComputeKey(newMessage("b"+long)))
	require.LessOrEqual(t, len(grouping.ParameterizeText(strings.Repeat("ü", 18<<20))), 8<<10)
}

// A variable is replaced by its value once, and after that by its name.
func TestRepeatedVariables(t *testing.T) {
	t.Parallel()
	of := func(text string, parts ...core.Untrusted) grouping.Key {
		e := newMessage(text)
		e.Fingerprint = parts
		return grouping.ComputeKey(e)
	}

	require.Equal(t, of("a", "{{ message }}", "{{ message }}"), of("a", "{{ message }}", "{{ message }}"))
	require.NotEqual(t, of("a", "{{ message }}", "{{ message }}"), of("b", "{{ message }}", "{{ message }}"))
	require.NotEqual(t, of("a", "{{ message }}", "{{ message }}"), of("a", "{{ message }}"))
	require.NotEqual(t, of("a", "{{ default }}", "x"), of("a", "{{ default }}", "y"))
}
