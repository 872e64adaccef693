package grouping_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
	"errand/grouping"
)

var platforms = []string{"javascript", "node", "python", "java", "go", "php", "ruby", "csharp", "native", "elixir", "dart", "perl", "other"}

func anyName() *rapid.Generator[string] {
	return rapid.StringMatching(`[a-z]{3,9}(\.[A-Z][a-z]{2,8})?`)
}

// anyFrame draws a frame similar to those that SDKs send.
func anyFrame() *rapid.Generator[core.Frame] {
	return rapid.Custom(func(t *rapid.T) core.Frame {
		file := anyName().Draw(t, "file") + rapid.SampledFrom([]string{".py", ".js", ".php", ".rb", ".rs", ""}).Draw(t, "extension")
		frame := core.Frame{
			Function: core.Untrusted(rapid.OneOf(anyName(), rapid.Just(""), rapid.String()).Draw(t, "function")),
			Filename: core.Untrusted("/srv/app/" + file),
			Lineno:   core.OptInt(rapid.IntRange(0, 999).Draw(t, "line")),
			InApp:    rapid.Bool().Draw(t, "in app"),
		}
		if rapid.Bool().Draw(t, "has module") {
			frame.Module = core.Untrusted(anyName().Draw(t, "module"))
		}
		if rapid.Bool().Draw(t, "has line") {
			frame.ContextLine = core.Untrusted(rapid.String().Draw(t, "context"))
		}
		return frame
	})
}

func anyException() *rapid.Generator[core.Exception] {
	return rapid.Custom(func(t *rapid.T) core.Exception {
		return core.Exception{
			Type:   core.Untrusted(anyName().Draw(t, "type")),
			Value:  core.Untrusted(rapid.OneOf(anyName(), rapid.String()).Draw(t, "value")),
			Frames: rapid.SliceOfN(anyFrame(), 0, 8).Draw(t, "frames"),
		}
	})
}

func anyEvent() *rapid.Generator[*core.Event] {
	return rapid.Custom(func(t *rapid.T) *core.Event {
		return &core.Event{
			Platform:   rapid.SampledFrom(platforms).Draw(t, "platform"),
			Message:    core.Untrusted(rapid.String().Draw(t, "message")),
			Exceptions: rapid.SliceOfN(anyException(), 0, 4).Draw(t, "exceptions"),
		}
	})
}

// changeFrames returns a copy of an event with each frame changed.
func changeFrames(e *core.Event, change func(*core.Frame)) *core.Event {
	changed := *e
	changed.Exceptions = append(core.List[core.Exception](nil), e.Exceptions...)
	for i := range changed.Exceptions {
		frames := append(core.List[core.Frame](nil), changed.Exceptions[i].Frames...)
		for j := range frames {
			change(&frames[j])
		}
		changed.Exceptions[i].Frames = frames
	}
	return &changed
}

func TestPositionsNeverCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent().Draw(t, "event")
		shift := core.OptInt(rapid.IntRange(1, 500).Draw(t, "shift"))
		moved := changeFrames(e, func(f *core.Frame) { f.Lineno += shift; f.Colno += shift })

		require.Equal(t, grouping.ComputeKey(e), grouping.ComputeKey(moved))
	})
}

func TestInstallFoldersNeverCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		event := anyEvent().Draw(t, "event")
		folder := rapid.StringMatching(`(/[a-z0-9_-]{1,9}){1,4}/`).Draw(t, "folder")
		moved := changeFrames(event, func(f *core.Frame) {
			f.Filename = core.Untrusted(folder + strings.TrimPrefix(string(f.Filename), "/srv/app/"))
		})

		require.Equal(t, grouping.ComputeKey(event), grouping.ComputeKey(moved))
	})
}

func TestBuildHashesNeverCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		stem := rapid.StringMatching(`[a-z]{3,9}`).Draw(t, "stem")
		build := func(label string) *core.Event {
			hash := rapid.StringMatching(`[0-9a-f]{6,20}`).Filter(func(s string) bool {
				return strings.ContainsAny(s,
					"0123456789")
			}).Draw(t, label)
			separator := rapid.SampledFrom([]string{".", "-"}).Draw(t, "separator")
			return newEvent("javascript", "E", "", fileFrame("total", fmt.Sprintf("app:///%s%s%s.js", stem, separator, hash), 1))
		}

		require.Equal(t, grouping.ComputeKey(build("old")), grouping.ComputeKey(build("new")))
	})
}

func TestReleaseFoldersNeverCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		folder := rapid.StringMatching(`([a-z]{3,9}/){0,3}`).Draw(t, "folder")
		deploy := func(label string) *core.Event {
			release := rapid.OneOf(rapid.StringMatching(`[0-9]{1,14}|v?[0-9]{1,3}\.[0-9]{1,3}(\.[0-9]{1,3})?`),
				rapid.StringMatching(`[0-9][0-9a-f]{6,39}`)).Draw(t, label)
			return newEvent("ruby", "E", "", fileFrame("total", "releases/"+release+"/"+folder+"cart.rb", 1))
		}

		require.Equal(t, grouping.ComputeKey(deploy("old")), grouping.ComputeKey(deploy("new")))
	})
}

func TestOrderInGroupsNeverCounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(anyException(), 1, 6).Draw(t, "parts")
		build := func(parts []core.Exception) *core.Event {
			list := []core.Exception{groupPart(whole, 0, noParent, true)}
			for i, x := range parts {
				list = append(list, groupPart(x, int64(i+1), 0, false))
			}
			return newGroup(list...)
		}
		want := grouping.ComputeKey(build(parts))

		require.Equal(t, want, grouping.ComputeKey(build(rapid.Permutation(parts).Draw(t, "shuffled"))))
		require.Equal(t, want, grouping.ComputeKey(build(append(parts, parts[0]))))
	})
}

func TestRecursionDepthNeverCounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		round := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{4,9}`), 1, 4, rapid.ID).Draw(t, "round")
		frames := make([]core.Frame, len(round))
		for i, function := range round {
			frames[i] = ownFrame(function, "tree")
		}
		build := func(times int) *core.Event {
			return newEvent("ruby", "E", "", append(append([]core.Frame{ownFrame("crash", "leaf")}, repeatFrames(times, frames...)...),
				ownFrame("start", "root"))...)
		}

		require.Equal(t, grouping.ComputeKey(build(1)), grouping.ComputeKey(build(rapid.IntRange(2, 40).Draw(t, "times"))))
	})
}

func TestValuesNeverCount(t *testing.T) {
	t.Parallel()
	values := rapid.OneOf(
		rapid.Map(rapid.Uint32(), func(n uint32) string { return fmt.Sprint(n) }),
		rapid.Map(rapid.Uint64Min(1<<32), func(n uint64) string { return fmt.Sprintf("0x%x", n) }),
		rapid.Map(rapid.Float32Range(0, 9999), func(f float32) string { return fmt.Sprintf("%.3f", f) }),
		rapid.Map(rapid.IntRange(-999, -1), func(n int) string { return fmt.Sprint(n) }),
	)
	texts := rapid.StringMatching(`'[a-zA-Z]{1,9}( [a-z]{1,5}){0,2}'`)
	addresses := rapid.StringMatching(`[a-z]{1,8}(\.[a-z]{1,5})?@[a-z]{2,8}\.(com|org|example)`)
	rapid.Check(t, func(t *rapid.T) {
		generator := rapid.SampledFrom([]*rapid.Generator[string]{values, texts, addresses}).Draw(t, "sort")
		before, after := anyName().Draw(t, "before"), anyName().Draw(t, "after")
		text := func(label string) string { return before + " " + generator.Draw(t, label) + " " + after }

		require.Equal(t, grouping.ParameterizeText(text("one")), grouping.ParameterizeText(text("two")))
	})
}

func TestWordsAlwaysCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{2,9}`), 1, 8).Draw(t, "words")
		text := strings.Join(words, " ")

		require.Equal(t, text, grouping.ParameterizeText(text))
	})
}

func TestParameterizeIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9a-f.:,'"/\\@ -]{0,80}`)).Draw(t, "text")
		got := grouping.ParameterizeText(text)

		require.LessOrEqual(t, len(got), 5*len(text))
		require.Equal(t, got, grouping.ParameterizeText(text))
	})
}
