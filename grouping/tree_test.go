package grouping_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/grouping"
)

// noParent is the parent of a root.
const noParent = -1

// groupPart is an exception of a group: its id, its parent's id, and whether it is a group itself.
func groupPart(exception core.Exception, id, parent int64, isGroup bool) core.Exception {
	exception.Mechanism = &core.Mechanism{ExceptionID: &id, IsGroup: isGroup}
	if parent != noParent {
		exception.Mechanism.ParentID = &parent
	}
	return exception
}

func newGroup(list ...core.Exception) *core.Event {
	return &core.Event{Platform: "python", Exceptions: list}
}

var (
	whole  = newException("ExceptionGroup", "unhandled errors (2 sub-exceptions)", ownFrame("run", "jobs"))
	parse  = newException("ValueError", "bad row 1", ownFrame("parse", "rows"))
	parse2 = newException("ValueError", "bad row 2", ownFrame("parse", "rows"))
	save   = newException("IOError", "disk full", ownFrame("save", "rows"))
	cause  = newException("KeyError", "'x'", ownFrame("look", "rows"))
)

func TestExceptionGroups(t *testing.T) {
	t.Parallel()
	two := grouping.ComputeKey(newGroup(groupPart(whole, 0, noParent, true), groupPart(parse, 1, 0, false), groupPart(save, 2, 0, false)))
	same := map[string]*core.Event{
		"order": newGroup(groupPart(whole, 0, noParent, true), groupPart(save, 1, 0, false), groupPart(parse, 2, 0, false)),
		"how often": newGroup(groupPart(whole, 0, noParent, true), groupPart(parse, 1, 0, false), groupPart(save, 2, 0, false),
			groupPart(parse2, 3, 0, false)),
		"nesting": newGroup(groupPart(whole, 0, noParent, true), groupPart(parse, 1, 0, false), groupPart(whole, 2, 0, true),
			groupPart(save, 3, 2, false), groupPart(parse, 4, 2, false)),
		"a lost root":  newGroup(groupPart(parse, 1, 0, false), groupPart(save, 2, 0, false)),
		"a doubled id": newGroup(groupPart(whole, 0, noParent, true), groupPart(parse, 1, 0, false), groupPart(save, 1, 0, false)),
		"a circle": newGroup(groupPart(whole, 0, 3, true), groupPart(parse, 1, 0, false), groupPart(save, 2, 0, false),
			groupPart(whole, 3, 0, true)),
		"its own child": newGroup(groupPart(whole, 0, 0, true), groupPart(parse, 1, 0, false), groupPart(save, 2, 0, false)),
		"shuffled list": newGroup(groupPart(save, 2, 0, false), groupPart(parse, 1, 0, false), groupPart(whole, 0, noParent, true)),
	}
	for name, e := range same {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, two, grouping.ComputeKey(e))
		})
	}

	different := map[string]*core.Event{
		"other parts": newGroup(groupPart(whole, 0, noParent, true), groupPart(parse, 1, 0, false)),
		"causes": newGroup(groupPart(whole, 0, noParent, true), groupPart(parse, 1, 0, false), groupPart(save, 2, 0, false),
			groupPart(cause, 3, 2, false)),
		"no parts": newGroup(groupPart(whole, 0, noParent, true)),
		"a chain":  newChain(whole, parse, save),
	}

	for name, e := range different {
		require.NotEqual(t, two, grouping.ComputeKey(e), name)
	}
}

func TestExceptionGroupOfOne(t *testing.T) {
	t.Parallel()
	alone := newChain(parse)
	one := newGroup(groupPart(whole, 0, noParent, true), groupPart(parse, 1, 0, false), groupPart(parse2, 2, 0, false))

	require.Equal(t, grouping.ComputeKey(alone), grouping.ComputeKey(one))
	require.Equal(t, "ValueError: bad row 1", grouping.MakeTitle(one))
	require.Equal(t, "rows in parse", grouping.FindCulprit(one))

	require.Equal(t, grouping.ComputeKey(newChain(parse, cause)),
		grouping.ComputeKey(newGroup(groupPart(whole, 0, noParent, true), groupPart(parse, 1, 0, false), groupPart(cause, 2, 1, false))))

	both := newGroup(groupPart(whole, 0, noParent, true), groupPart(parse, 1, 0, false), groupPart(save, 2, 0, false))

	require.Equal(t, "ExceptionGroup: unhandled errors (2 sub-exceptions)", grouping.MakeTitle(both))
	require.Equal(t, "jobs in run", grouping.FindCulprit(both))
}

func TestExceptionGroupWithoutStacks(t *testing.T) {
	t.Parallel()
	bare := func(x core.Exception) core.Exception { x.Frames = nil; return x }
	onlyWhole := newGroup(groupPart(whole, 0, noParent, true), groupPart(bare(parse), 1, 0, false), groupPart(bare(save), 2, 0, false))
	elsewhere := whole
	elsewhere.Frames = []core.Frame{ownFrame("stop", "jobs")}

	require.NotEqual(t, grouping.ComputeKey(onlyWhole),
		grouping.ComputeKey(newGroup(groupPart(elsewhere, 0, noParent, true), groupPart(bare(parse), 1, 0, false),
			groupPart(bare(save), 2, 0, false))),
		"the stack of the group is all there is")

	noStack := newGroup(groupPart(bare(whole), 0, noParent, true), groupPart(bare(parse), 1, 0, false),
		groupPart(bare(parse2), 2, 0, false))

	require.Equal(t, grouping.ComputeKey(newChain(bare(parse))), grouping.ComputeKey(noStack), "by value")
	require.Equal(t, "ValueError: bad row 1", grouping.MakeTitle(noStack))
}

func TestChainsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	linked := []core.Exception{groupPart(parse, 0, noParent, false), groupPart(cause, 1, 0, false)}

	require.Equal(t, grouping.ComputeKey(newChain(parse, cause)), grouping.ComputeKey(&core.Event{Exceptions: linked}),
		"ids alone make no group")

	slices.Reverse(linked)

	require.NotEqual(t, grouping.ComputeKey(newChain(parse, cause)), grouping.ComputeKey(&core.Event{Exceptions: linked}))
}

func TestGroupsInNothingButACircle(t *testing.T) {
	t.Parallel()
	other := newException("AggregateError", "", ownFrame("stop", "jobs"))
	circle := grouping.ComputeKey(newGroup(groupPart(whole, 0, 1, true), groupPart(other, 1, 0, true)))

	require.Equal(t, circle, grouping.ComputeKey(newGroup(groupPart(other, 1, 0, true), groupPart(whole, 0, 1, true))))
	require.NotEqual(t, circle, grouping.ComputeKey(&core.Event{}))
}
