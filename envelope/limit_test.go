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
func requireWithinCaps(t *testing.T, e *core.Event) {
	t.Helper()
	require.LessOrEqual(t, len(e.Exceptions), 50)
	require.LessOrEqual(t, len(e.Breadcrumbs), 100)
	for i := range e.Exceptions {
		require.LessOrEqual(t, len(e.Exceptions[i].Frames), 250)
		require.LessOrEqual(t, len(e.Exceptions[i].Value), 8192)
	}
	for i := range e.Threads {
		require.LessOrEqual(t, len(e.Threads[i].Frames), 250)
	}
	require.LessOrEqual(t, len(e.Message), 8192)
	requireTexts(t, e.Extra)
	whole, err := core.MarshalPlain(e)
	require.NoError(t, err)
	require.LessOrEqual(t, len(whole), 256<<10, "what readers get")
	require.LessOrEqual(t, len(e.AppendJSON(nil)), len(whole), "what is stored")
}

func requireTexts(t *testing.T, v core.Value) {
	t.Helper()
	require.LessOrEqual(t, len(v.Text), 8192)
	for i := range v.Kids {
		require.LessOrEqual(t, len(v.Kids[i].Key), 8192)
		requireTexts(t, v.Kids[i].Value)
	}
}

func TestLimitTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 5000) // 10,000 bytes
	e := &core.Event{
		Message:    core.Untrusted(long),
		Exceptions: core.List[core.Exception]{{Value: core.Untrusted(long), Frames: core.List[core.Frame]{{PreContext: core.List[core.Untrusted]{"", core.Untrusted(long)}}}}},
		Extra:      core.Value{Kind: core.Object, Kids: []core.Member{{Key: "a", Value: core.Value{Kind: core.Array, Kids: []core.Member{{Value: core.StringValue(long)}}}}}},
		ServerName: core.Untrusted(strings.Repeat("s", 8192)),
	}
	envelope.Limit(e)
	requireWithinCaps(t, e)
	require.True(t, utf8.ValidString(string(e.Message)), "no rune is cut")
	require.True(t, strings.HasSuffix(string(e.Message), "é…"))
	require.Greater(t, len(e.Message), 8000)
	require.Len(t, e.ServerName, 8192, "8 KB is within the cap")
	require.Equal(t, core.List[core.Problem]{
		{Path: "message", Reason: "cut from 10000 bytes to 8192"},
		{Path: "exceptions.0.value", Reason: "cut from 10000 bytes to 8192"},
		{Path: "exceptions.0.frames.0.pre_context", Reason: "cut from 10000 bytes to 8192"},
		{Path: "extra.a.0", Reason: "cut from 10000 bytes to 8192"},
	}, e.Problems)
	again := string(e.AppendJSON(nil))
	envelope.Limit(e)
	require.Equal(t, again, string(e.AppendJSON(nil)), "a second time nothing is left to cut")
}

// TestLimitNames has texts that name something, which have one line of fewer characters.
func TestLimitNames(t *testing.T) {
	t.Parallel()
	long := core.Untrusted(strings.Repeat("é", 300))
	key := strings.Repeat("k", 250)
	e := &core.Event{
		Release: long, Environment: long, Dist: "one\ntwo",
		Exceptions: core.List[core.Exception]{{Type: long, Mechanism: &core.Mechanism{Type: long}}, {Type: "A\n"}, {Type: "B\n\tat b"}},
		Tags: object(
			core.Member{Key: "a", Value: core.StringValue("\n first\nsecond")}, core.Member{Key: key + "1", Value: core.StringValue("gone")},
			core.Member{Key: "b", Value: core.StringValue(string(long))}, core.Member{Key: key + "2", Value: core.StringValue("stays")},
		),
	}
	envelope.Limit(e)
	require.Equal(t, long[:400], e.Release, "200 characters")
	require.Equal(t, long[:128], e.Environment, "64 characters")
	require.Equal(t, "one", string(e.Dist))
	require.Equal(t, long[:400], e.Exceptions[0].Type)
	require.Equal(t, "A", string(e.Exceptions[1].Type))
	require.Equal(t, "B", string(e.Exceptions[2].Type))
	require.JSONEq(t, `{"a":"first","b":"`+string(long[:400])+`","`+key[:200]+`":"stays"}`, string(e.Tags.AppendJSON(nil)))
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
	}, e.Problems)
}

func TestLimitLists(t *testing.T) {
	t.Parallel()
	e := &core.Event{}
	for i := range 120 {
		name := core.Untrusted(fmt.Sprint(i))
		e.Exceptions = append(e.Exceptions, core.Exception{Type: name})
		e.Breadcrumbs = append(e.Breadcrumbs, core.Breadcrumb{Message: name})
		e.Fingerprint = append(e.Fingerprint, name)
	}
	for i := range 300 {
		e.Exceptions[0].Frames = append(e.Exceptions[0].Frames, core.Frame{Lineno: core.OptInt(i + 1)})
	}
	envelope.Limit(e)
	require.Len(t, e.Exceptions, 50)
	require.Equal(t, "24", string(e.Exceptions[24].Type))
	require.Equal(t, "95", string(e.Exceptions[25].Type), "both ends are kept")
	require.Equal(t, "119", string(e.Exceptions[49].Type))
	require.Len(t, e.Exceptions[0].Frames, 250)
	require.Equal(t, core.OptInt(125), e.Exceptions[0].Frames[124].Lineno)
	require.Equal(t, core.OptInt(176), e.Exceptions[0].Frames[125].Lineno)
	require.Equal(t, "20", string(e.Breadcrumbs[0].Message), "the last ones are kept")
	require.Len(t, e.Fingerprint, 100)
	require.Equal(t, core.List[core.Problem]{
		{Path: "exceptions", Reason: "70 in the middle were cut"},
		{Path: "exceptions.0.frames", Reason: "50 in the middle were cut"},
		{Path: "breadcrumbs", Reason: "20 older ones were cut"},
		{Path: "fingerprint", Reason: "20 parts were cut"},
	}, e.Problems)
}

func object(members ...core.Member) core.Value { return core.Value{Kind: core.Object, Kids: members} }

func TestLimitLargestFirst(t *testing.T) {
	t.Parallel()
	text := func(n int) core.Value {
		kids := make([]core.Member, n/8000)
		for i := range kids {
			kids[i].Value = core.StringValue(strings.Repeat("x", 8000))
		}
		return core.Value{Kind: core.Array, Kids: kids}
	}
	e := &core.Event{
		Message:     "stays",
		Extra:       object(core.Member{Key: "small", Value: core.StringValue("s")}, core.Member{Key: "huge", Value: text(160_000)}, core.Member{Key: "none"}),
		Contexts:    object(core.Member{Key: "app", Value: text(80_000)}),
		Breadcrumbs: core.List[core.Breadcrumb]{{Message: "b", Data: text(64_000)}},
		Exceptions:  core.List[core.Exception]{{Type: "A", Frames: core.List[core.Frame]{{Function: "f", Vars: text(56_000)}}}},
	}
	envelope.Limit(e)
	requireWithinCaps(t, e)
	require.Equal(t, core.List[core.Problem]{{Path: "extra.huge", Reason: "left out (160065 bytes) to keep the event within 256 KB"}}, e.Problems)
	require.JSONEq(t, `{"small":"s","none":null}`, string(e.Extra.AppendJSON(nil)))
	require.NotEmpty(t, e.Contexts.Get("app").Kids)
	require.NotEmpty(t, e.Breadcrumbs[0].Data.Kids)
	require.NotEmpty(t, e.Exceptions[0].Frames[0].Vars.Kids)
}

// TestLimitSize has every part that can be large be the large one.
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
			list[i] = core.Frame{Function: long, Module: long, ContextLine: long, PreContext: core.List[core.Untrusted]{long, long}, Vars: object(core.Member{Key: "v", Value: value()})}
		}
		return list
	}
	for name, e := range map[string]*core.Event{
		"extra":       {Extra: value()},
		"tags":        {Tags: value()},
		"user":        {User: value()},
		"contexts":    {Contexts: object(core.Member{Key: "c", Value: value()})},
		"request":     {Request: &core.Request{URL: long, Data: core.StringValue(string(long)), Headers: value(), Cookies: value(), Query: value()}},
		"data":        {Request: &core.Request{Data: object(core.Member{Key: "d", Value: value()})}},
		"exceptions":  {Exceptions: core.List[core.Exception]{{Type: long, Value: long, Frames: frames()}, {Frames: frames()}}},
		"threads":     {Threads: core.List[core.Thread]{{Crashed: true, Name: long, Frames: frames()}, {Frames: frames()}}},
		"fingerprint": {Fingerprint: core.List[core.Untrusted]{long, long, long, long, long, long, long, long}},
		"breadcrumbs": {Breadcrumbs: core.List[core.Breadcrumb]{{Message: long, Data: value()}, {Message: long, Category: long, Type: long, Level: long, Data: object(core.Member{Key: "d", Value: value()})}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			envelope.Limit(e)
			requireWithinCaps(t, e)
			require.NotEmpty(t, e.Problems)
			require.LessOrEqual(t, len(e.Problems), 53)
		})
	}
}

// TestLimitSizeOfSmallParts has many parts with little in them, which take several times as much for readers, who get null
// for all that is absent, as in the store.
func TestLimitSizeOfSmallParts(t *testing.T) {
	t.Parallel()
	for _, exceptions := range []int{1, 4, 50} {
		for _, frames := range []int{0, 10, 60, 200, 250} {
			for name, frame := range map[string]core.Frame{"empty": {}, "line": {Lineno: 7, InApp: true}, "function": {Function: "f"}, "escapes": {Function: `\"\"\"`}} {
				e := &core.Event{Title: "T", Threads: make(core.List[core.Thread], frames), Breadcrumbs: make(core.List[core.Breadcrumb], 2*exceptions)}
				for range exceptions {
					x := core.Exception{Frames: make(core.List[core.Frame], frames)}
					for i := range x.Frames {
						x.Frames[i] = frame
					}
					e.Exceptions = append(e.Exceptions, x)
				}
				envelope.Limit(e)
				requireWithinCaps(t, e)
				require.NotEmpty(t, e.Exceptions, "%d exceptions of %d frames, %s", exceptions, frames, name)
				if frames*exceptions <= 800 {
					require.Empty(t, e.Problems, "%d exceptions of %d frames, %s", exceptions, frames, name)
				}
			}
		}
	}
}

// TestLimitKeepsTheCrash shows what is left of an event that is too large in every part.
func TestLimitKeepsTheCrash(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	e := &core.Event{Message: "m"}
	for range 60 {
		x := core.Exception{Type: "T", Value: core.Untrusted(strings.Repeat("v", r.IntN(20_000)))}
		for j := range 400 {
			x.Frames = append(x.Frames, core.Frame{Function: core.Untrusted(fmt.Sprint("f", j)), Filename: core.Untrusted(strings.Repeat("p", r.IntN(300)))})
		}
		e.Exceptions = append(e.Exceptions, x)
	}
	envelope.Limit(e)
	requireWithinCaps(t, e)
	require.NotEmpty(t, e.Exceptions)
	first := e.Exceptions[0]
	require.Equal(t, "T", string(first.Type))
	require.Equal(t, "f0", string(first.Frames[0].Function), "the call that failed")
	require.Equal(t, "f399", string(first.Frames[len(first.Frames)-1].Function))
	require.Greater(t, len(e.AppendJSON(nil)), 32<<10, "no more is cut than needed")
}
