package grouping_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/grouping"
)

// none is the parent of a root.
const none = -1

// part is an exception of a group: its id, that of its parent, and whether it is a group itself.
func part(x core.Exception, id, parent int64, isGroup bool) core.Exception {
	x.Mechanism = &core.Mechanism{ExceptionID: &id, IsGroup: isGroup}
	if parent != none {
		x.Mechanism.ParentID = &parent
	}
	return x
}

func group(list ...core.Exception) *core.Event {
	return &core.Event{Platform: "python", Exceptions: list}
}

var (
	whole  = exception("ExceptionGroup", "unhandled errors (2 sub-exceptions)", own("run", "jobs"))
	parse  = exception("ValueError", "bad row 1", own("parse", "rows"))
	parse2 = exception("ValueError", "bad row 2", own("parse", "rows"))
	save   = exception("IOError", "disk full", own("save", "rows"))
	cause  = exception("KeyError", "'x'", own("look", "rows"))
)

func TestExceptionGroups(t *testing.T) {
	t.Parallel()
	two := grouping.Of(group(part(whole, 0, none, true), part(parse, 1, 0, false), part(save, 2, 0, false)))
	same := map[string]*core.Event{
		"order":         group(part(whole, 0, none, true), part(save, 1, 0, false), part(parse, 2, 0, false)),
		"how often":     group(part(whole, 0, none, true), part(parse, 1, 0, false), part(save, 2, 0, false), part(parse2, 3, 0, false)),
		"nesting":       group(part(whole, 0, none, true), part(parse, 1, 0, false), part(whole, 2, 0, true), part(save, 3, 2, false), part(parse, 4, 2, false)),
		"a lost root":   group(part(parse, 1, 0, false), part(save, 2, 0, false)),
		"a doubled id":  group(part(whole, 0, none, true), part(parse, 1, 0, false), part(save, 1, 0, false)),
		"a circle":      group(part(whole, 0, 3, true), part(parse, 1, 0, false), part(save, 2, 0, false), part(whole, 3, 0, true)),
		"its own child": group(part(whole, 0, 0, true), part(parse, 1, 0, false), part(save, 2, 0, false)),
		"shuffled list": group(part(save, 2, 0, false), part(parse, 1, 0, false), part(whole, 0, none, true)),
	}
	for name, e := range same {
		require.Equal(t, two, grouping.Of(e), name)
	}

	different := map[string]*core.Event{
		"other parts": group(part(whole, 0, none, true), part(parse, 1, 0, false)),
		"causes":      group(part(whole, 0, none, true), part(parse, 1, 0, false), part(save, 2, 0, false), part(cause, 3, 2, false)),
		"no parts":    group(part(whole, 0, none, true)),
		"a chain":     chain(whole, parse, save),
	}
	for name, e := range different {
		require.NotEqual(t, two, grouping.Of(e), name)
	}
}

func TestExceptionGroupOfOne(t *testing.T) {
	t.Parallel()
	alone := chain(parse)
	one := group(part(whole, 0, none, true), part(parse, 1, 0, false), part(parse2, 2, 0, false))
	require.Equal(t, grouping.Of(alone), grouping.Of(one))
	require.Equal(t, "ValueError: bad row 1", grouping.Title(one))
	require.Equal(t, "rows in parse", grouping.Culprit(one))

	require.Equal(t, grouping.Of(chain(parse, cause)), grouping.Of(group(part(whole, 0, none, true), part(parse, 1, 0, false), part(cause, 2, 1, false))))

	both := group(part(whole, 0, none, true), part(parse, 1, 0, false), part(save, 2, 0, false))
	require.Equal(t, "ExceptionGroup: unhandled errors (2 sub-exceptions)", grouping.Title(both))
	require.Equal(t, "jobs in run", grouping.Culprit(both))
}

func TestExceptionGroupWithoutStacks(t *testing.T) {
	t.Parallel()
	bare := func(x core.Exception) core.Exception { x.Frames = nil; return x }
	onlyWhole := group(part(whole, 0, none, true), part(bare(parse), 1, 0, false), part(bare(save), 2, 0, false))
	elsewhere := whole
	elsewhere.Frames = []core.Frame{own("stop", "jobs")}
	require.NotEqual(t, grouping.Of(onlyWhole), grouping.Of(group(part(elsewhere, 0, none, true), part(bare(parse), 1, 0, false), part(bare(save), 2, 0, false))),
		"the stack of the group is all there is")

	noStack := group(part(bare(whole), 0, none, true), part(bare(parse), 1, 0, false), part(bare(parse2), 2, 0, false))
	require.Equal(t, grouping.Of(chain(bare(parse))), grouping.Of(noStack), "by value")
	require.Equal(t, "ValueError: bad row 1", grouping.Title(noStack))
}

func TestChainsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	linked := []core.Exception{part(parse, 0, none, false), part(cause, 1, 0, false)}
	require.Equal(t, grouping.Of(chain(parse, cause)), grouping.Of(&core.Event{Exceptions: linked}), "ids alone make no group")
	slices.Reverse(linked)
	require.NotEqual(t, grouping.Of(chain(parse, cause)), grouping.Of(&core.Event{Exceptions: linked}))
}

func TestGroupsInNothingButACircle(t *testing.T) {
	t.Parallel()
	other := exception("AggregateError", "", own("stop", "jobs"))
	circle := grouping.Of(group(part(whole, 0, 1, true), part(other, 1, 0, true)))
	require.Equal(t, circle, grouping.Of(group(part(other, 1, 0, true), part(whole, 0, 1, true))))
	require.NotEqual(t, circle, grouping.Of(&core.Event{}))
}
