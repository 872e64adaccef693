package envelope_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"errand/core"
	"errand/envelope"

	"github.com/stretchr/testify/require"
)

// requireWithinCaps checks the caps of decisions 3.
func requireWithinCaps(t *testing.T, event *core.Event) {
	t.Helper()
	require.LessOrEqual(t, len(event.Exceptions), 50)
	require.LessOrEqual(t, len(event.Breadcrumbs), 100)
	for i := range event.Exceptions {
		require.LessOrEqual(t, len(event.Exceptions[i].Frames), 250)
		require.LessOrEqual(t, len(event.Exceptions[i].Value), 8192)
	}
	for i := range event.Threads {
		require.LessOrEqual(t, len(event.Threads[i].Frames), 250)
	}
	require.LessOrEqual(t, len(event.Message), 8192)
	requireTexts(t, event.Extra)
	whole, err := core.MarshalPlain(event)
	require.NoError(t, err)
	require.LessOrEqual(t, len(whole), 256<<10, "what readers get")
	require.LessOrEqual(t, len(event.AppendJSON(nil)), len(whole), "what is stored")
}

func requireTexts(t *testing.T, value core.Value) {
	t.Helper()
	require.LessOrEqual(t, len(value.Text), 8192)
	for i := range value.Kids {
		require.LessOrEqual(t, len(value.Kids[i].Key), 8192)
		requireTexts(t, value.Kids[i].Value)
	}
}

func TestLimitTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 5000) // 10,000 bytes
	event := &core.Event{
		Message: core.Untrusted(long),
		Exceptions: core.List[core.Exception]{{Value: core.Untrusted(long),
			Frames: core.List[core.Frame]{{PreContext: core.List[core.Untrusted]{"", core.Untrusted(long)}}}}},
		Extra: core.Value{Kind: core.Object,
			Kids: []core.Member{{Key: "a", Value: core.Value{Kind: core.Array, Kids: []core.Member{{Value: core.StringValue(long)}}}}}},
		ServerName: core.Untrusted(strings.Repeat("s", 8192)),
	}
	envelope.LimitEvent(event)
	requireWithinCaps(t, event)

	require.True(t, utf8.ValidString(string(event.Message)), "no rune is cut")
	require.True(t, strings.HasSuffix(string(event.Message), "é…"))
	require.Greater(t, len(event.Message), 8000)
	require.Len(t, event.ServerName, 8192, "8 KB is within the cap")
	require.Equal(t, core.List[core.Problem]{
		{Path: "message", Reason: "cut from 10000 bytes to 8192"},
		{Path: "exceptions.0.value", Reason: "cut from 10000 bytes to 8192"},
		{Path: "exceptions.0.frames.0.pre_context", Reason: "cut from 10000 bytes to 8192"},
		{Path: "extra.a.0", Reason: "cut from 10000 bytes to 8192"},
	}, event.Problems)

	again := string(event.AppendJSON(nil))
	envelope.LimitEvent(event)

	require.Equal(t, again, string(event.AppendJSON(nil)), "a second time nothing is left to cut")
}

// TestLimitNames cuts texts that name something to one line of fewer characters.
func TestLimitNames(t *testing.T) {
	t.Parallel()
	long := core.Untrusted(strings.Repeat("é", 300))
	key := strings.Repeat("k", 250)
	event := &core.Event{
		Release: long, Environment: long, Dist: "one\ntwo",
		Exceptions: core.List[core.Exception]{{Type: long, Mechanism: &core.Mechanism{Type: long}}, {Type: "A\n"}, {Type: "B\n\tat b"}},
		Tags: newObject(
			core.Member{Key: "a", Value: core.StringValue("\n first\nsecond")},
			core.Member{Key: key + "1", Value: core.StringValue("gone")},
			core.Member{Key: "b", Value: core.StringValue(string(long))}, core.Member{Key: key + "2", Value: core.StringValue("stays")},
		),
	}
	envelope.LimitEvent(event)

	require.Equal(t, long[:400], event.Release, "200 characters")
	require.Equal(t, long[:128], event.Environment, "64 characters")
	require.Equal(t, "one", string(event.Dist))
	require.Equal(t, long[:400], event.Exceptions[0].Type)
	require.Equal(t, "A", string(event.Exceptions[1].Type))
	require.Equal(t, "B", string(event.Exceptions[2].Type))
	require.JSONEq(t, `{"a":"first","b":"`+string(long[:400])+`","`+key[:200]+`":"stays"}`, string(event.Tags.AppendJSON(nil)))
	require.Equal(t, core.List[core.Problem]{
		{Path: "release", Reason: "cut from 300 characters to 200"},
		{Path: "dist", Reason: "cut to its first line"},
		{Path: "environment", Reason: "cut from 300 characters to 64"},
		{Path: "exceptions.0.type", Reason: "cut from 300 characters to 200"},
		{Path: "exceptions.0.mechanism.type", Reason: "cut from 300 characters to 200"},
		{Path: "exceptions.2.type", Reason: "cut to its first line"},
		{Path: "tags.a", Reason: "cut to its first line"},
		{Path: "tags.1", Reason: "cut from 251 characters to 200"},
		{Path: "tags.b", Reason: "cut from 300 characters to 200"},
		{Path: "tags.3", Reason: "cut from 251 characters to 200"},
	}, event.Problems)
}

func TestLimitLists(t *testing.T) {
	t.Parallel()
	event := &core.Event{}
	for i := range 120 {
		name := core.Untrusted(fmt.Sprint(i))
		event.Exceptions = append(event.Exceptions, core.Exception{Type: name})
		event.Breadcrumbs = append(event.Breadcrumbs, core.Breadcrumb{Message: name})
		event.Fingerprint = append(event.Fingerprint, name)
	}
	for i := range 300 {
		event.Exceptions[0].Frames = append(event.Exceptions[0].Frames, core.Frame{Lineno: core.OptInt(i + 1)})
	}
	envelope.LimitEvent(event)

	require.Len(t, event.Exceptions, 50)
	require.Equal(t, "24", string(event.Exceptions[24].Type))
	require.Equal(t, "95", string(event.Exceptions[25].Type), "both ends are kept")
	require.Equal(t, "119", string(event.Exceptions[49].Type))
	require.Len(t, event.Exceptions[0].Frames, 250)
	require.Equal(t, core.OptInt(125), event.Exceptions[0].Frames[124].Lineno)
	require.Equal(t, core.OptInt(176), event.Exceptions[0].Frames[125].Lineno)
	require.Equal(t, "20", string(event.Breadcrumbs[0].Message), "the last ones are kept")
	require.Len(t, event.Fingerprint, 100)
	require.Equal(t, core.List[core.Problem]{
		{Path: "exceptions", Reason: "70 in the middle were cut"},
		{Path: "exceptions.0.frames", Reason: "50 in the middle were cut"},
		{Path: "breadcrumbs", Reason: "20 older ones were cut"},
		{Path: "fingerprint", Reason: "20 parts were cut"},
	}, event.Problems)
}

func newObject(members ...core.Member) core.Value {
	return core.Value{Kind: core.Object, Kids: members}
}

func TestLimitLargestFirst(t *testing.T) {
	t.Parallel()
	text := func(n int) core.Value {
		kids := make([]core.Member, n/8000)
		for i := range kids {
			kids[i].Value = core.StringValue(strings.Repeat("x", 8000))
		}
		return core.Value{Kind: core.Array, Kids: kids}
	}
	event := &core.Event{
		Message: "stays",
		Extra: newObject(core.Member{Key: "small", Value: core.StringValue("s")}, core.Member{Key: "huge", Value: text(160_000)},
			core.Member{Key: "none"}),
		Contexts:    newObject(core.Member{Key: "app", Value: text(80_000)}),
		Breadcrumbs: core.List[core.Breadcrumb]{{Message: "b", Data: text(64_000)}},
		Exceptions:  core.List[core.Exception]{{Type: "A", Frames: core.List[core.Frame]{{Function: "f", Vars: text(56_000)}}}},
	}
	envelope.LimitEvent(event)
	requireWithinCaps(t, event)

	require.Equal(t, core.List[core.Problem]{{Path: "extra.huge", Reason: "left out (160065 bytes) to keep the event within 256 KB"}},
		event.Problems)
	require.JSONEq(t, `{"small":"s","none":null}`, string(event.Extra.AppendJSON(nil)))
	require.NotEmpty(t, event.Contexts.Get("app").Kids)
	require.NotEmpty(t, event.Breadcrumbs[0].Data.Kids)
	require.NotEmpty(t, event.Exceptions[0].Frames[0].Vars.Kids)
}

// TestLimitSize makes each part that can be large the large one.
func TestLimitSize(t *testing.T) {
	t.Parallel()
	long := core.Untrusted(strings.Repeat("\x01", 8000)) // six bytes each in JSON
	value := func() core.Value {
		kids := make([]core.Member, 1500)
		for i := range kids {
			kids[i] = core.Member{Key: fmt.Sprintf("%d%s", i, strings.Repeat("k", 200)), Value: core.Value{Kind: core.Number, Text: "1"}}
		}
		return core.Value{Kind: core.Object, Kids: kids}
	}
	frames := func() core.List[core.Frame] {
		list := make(core.List[core.Frame], 40)
		for i := range list {
			list[i] = core.Frame{Function: long, Module: long, ContextLine: long, PreContext: core.List[core.Untrusted]{long, long},
				Vars: newObject(core.Member{Key: "v", Value: value()})}
		}
		return list
	}
	for name, event := range map[string]*core.Event{
		"extra":    {Extra: value()},
		"tags":     {Tags: value()},
		"user":     {User: value()},
		"contexts": {Contexts: newObject(core.Member{Key: "c", Value: value()})},
		"request": {Request: &core.Request{URL: long, Data: core.StringValue(string(long)), Headers: value(), Cookies: value(),
			Query: value()}},
		"data":        {Request: &core.Request{Data: newObject(core.Member{Key: "d", Value: value()})}},
		"exceptions":  {Exceptions: core.List[core.Exception]{{Type: long, Value: long, Frames: frames()}, {Frames: frames()}}},
		"threads":     {Threads: core.List[core.Thread]{{Crashed: true, Name: long, Frames: frames()}, {Frames: frames()}}},
		"fingerprint": {Fingerprint: core.List[core.Untrusted]{long, long, long, long, long, long, long, long}},
		"breadcrumbs": {Breadcrumbs: core.List[core.Breadcrumb]{{Message: long, Data: value()},
			{Message: long, Category: long, Type: long, Level: long, Data: newObject(core.Member{Key: "d", Value: value()})}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			envelope.LimitEvent(event)
			requireWithinCaps(t, event)

			require.NotEmpty(t, event.Problems)
			require.LessOrEqual(t, len(event.Problems), 53)
		})
	}
}

// TestLimitSizeOfSmallParts has many small parts, which take several times as much for readers, who get null for everything
// absent, as in the store.
func TestLimitSizeOfSmallParts(t *testing.T) {
	t.Parallel()
	for _, exceptions := range []int{1, 4, 50} {
		for _, frames := range []int{0, 10, 60, 200, 250} {
			for name, frame := range map[string]core.Frame{"empty": {}, "line": {Lineno: 7, InApp: true}, "function": {Function: "f"},
				"escapes": {Function: `\"\"\"`}} {
				event := &core.Event{Title: "T", Threads: make(core.List[core.Thread], frames),
					Breadcrumbs: make(core.List[core.Breadcrumb], 2*exceptions)}
				for range exceptions {
					x := core.Exception{Frames: make(core.List[core.Frame], frames)}
					for i := range x.Frames {
						x.Frames[i] = frame
					}
					event.Exceptions = append(event.Exceptions, x)
				}
				envelope.LimitEvent(event)
				requireWithinCaps(t, event)

				require.NotEmpty(t, event.Exceptions, "%d exceptions of %d frames, %s", exceptions, frames, name)

				if frames*exceptions <= 800 {
					require.Empty(t, event.Problems, "%d exceptions of %d frames, %s", exceptions, frames, name)
				}
			}
		}
	}
}

// TestLimitKeepsTheCrash shows the rest of an event that is too large in every part.
func TestLimitKeepsTheCrash(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	event := &core.Event{Message: "m"}
	for range 60 {
		x := core.Exception{Type: "T", Value: core.Untrusted(strings.Repeat("v", random.IntN(20_000)))}
		for j := range 400 {
			x.Frames = append(x.Frames,
				core.Frame{Function: core.Untrusted(fmt.Sprint("f", j)), Filename: core.Untrusted(strings.Repeat("p", random.IntN(300)))})
		}
		event.Exceptions = append(event.Exceptions, x)
	}
	envelope.LimitEvent(event)
	requireWithinCaps(t, event)

	require.NotEmpty(t, event.Exceptions)

	first := event.Exceptions[0]

	require.Equal(t, "T", string(first.Type))
	require.Equal(t, "f0", string(first.Frames[0].Function), "the call that failed")
	require.Equal(t, "f399", string(first.Frames[len(first.Frames)-1].Function))
	require.Greater(t, len(event.AppendJSON(nil)), 32<<10, "no more is cut than needed")
}

// Problems name frames before these are cut: the problems of the remaining frames follow them.
func TestProblemsFollowTheirFrames(t *testing.T) {
	t.Parallel()
	event := &core.Event{Exceptions: make(core.List[core.Exception], 11)}
	frames := make(core.List[core.Frame], 251)
	for i := range frames {
		frames[i].Function = core.Untrusted(fmt.Sprintf("f%d-%s", i, strings.Repeat("x", 4000)))
	}
	event.Exceptions[10].Frames = frames
	for _, i := range []int{0, 60, 125, 126, 190, 250} {
		event.Problems = append(event.Problems, core.Problem{Path: fmt.Sprintf("exceptions.10.frames.%d", i), Reason: fmt.Sprintf("f%d", i)})
	}
	event.Problems = append(event.Problems, core.Problem{Path: "exceptions.1.frames.250", Reason: "of another list"})

	envelope.LimitEvent(event)

	requireWithinCaps(t, event)
	kept := event.Exceptions[len(event.Exceptions)-1].Frames
	named := 0
	for _, p := range event.Problems {
		var exception, frame int
		n, _ := fmt.Sscanf(p.Path, "exceptions.%d.frames.%d", &exception, &frame)
		if n == 2 && exception == len(event.Exceptions)-1 && p.Reason[0] == 'f' {
			require.True(t, strings.HasPrefix(string(kept[frame].Function), p.Reason+"-"), "%v is of %.8s", p, kept[frame].Function)
			named++
		}
	}
	require.Equal(t, 2, named, "the first and the last: %v", event.Problems)
	require.Contains(t, event.Problems, core.Problem{Path: "exceptions.1.frames.250", Reason: "of another list"})
}
