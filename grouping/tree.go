package grouping

import (
	"bytes"
	"slices"

	"errand/core"
)

// exceptionTree is the exceptions of an event with an exception group (Python's ExceptionGroup, JavaScript's and .NET's
// AggregateError), whose order says nothing.
type exceptionTree struct {
	exceptions []core.Exception
	children   [][]int
	roots      []int
	seen       []bool // guards against exceptions that are each other's parent
	by         detail
	lang       language
}

// treeUnit is an exception with its causes, as bytes that are equal for equal ones.
type treeUnit struct {
	index int // of the exception
	text  []byte
}

// isExceptionTree reports whether the exceptions are more than a chain: one of them is a group, or belonged to one that got lost.
func isExceptionTree(list []core.Exception) bool {
	for i := range list {
		m := list[i].Mechanism
		if m == nil {
			continue
		}
		if m.IsGroup && m.ExceptionID != nil || m.ParentID != nil && findExceptionByID(list, *m.ParentID) < 0 {
			return true
		}
	}
	return false
}

// findExceptionByID returns the first exception with the id, or -1.
func findExceptionByID(list []core.Exception, id int64) int {
	return slices.IndexFunc(list, func(x core.Exception) bool {
		return x.Mechanism != nil && x.Mechanism.ExceptionID != nil && *x.Mechanism.ExceptionID == id
	})
}

// findTreeUnits returns the distinct units of a tree by the best detail that one of them has, and whether any has one.
func findTreeUnits(exceptions []core.Exception, lang language) (units []treeUnit, found bool) {
	for _, by := range details {
		if units, found = newExceptionTree(exceptions, by, lang).allUnits(); found {
			break
		}
	}
	return units, found
}

func newExceptionTree(list []core.Exception, by detail, lang language) *exceptionTree {
	t := &exceptionTree{exceptions: list, children: make([][]int, len(list)), seen: make([]bool, len(list)), by: by, lang: lang}
	for i := range list {
		parent := -1
		if m := list[i].Mechanism; m != nil && m.ParentID != nil {
			parent = findExceptionByID(list, *m.ParentID)
		}
		if parent < 0 || parent == i {
			t.roots = append(t.roots, i)
		} else {
			t.children[parent] = append(t.children[parent], i)
		}
	}
	return t
}

// allUnits returns the distinct units of the whole tree, and whether any of them has the detail that is looked for.
func (t *exceptionTree) allUnits() (units []treeUnit, found bool) {
	for _, root := range t.roots {
		list, has := t.collectUnits(root)
		units, found = append(units, list...), found || has
	}
	for i := range t.exceptions { // in circles, which no root leads to
		list, has := t.collectUnits(i)
		units, found = append(units, list...), found || has
	}
	if len(units) == 0 { // nothing but groups in circles
		for i := range t.exceptions {
			u, has := t.makeUnit(i, nil)
			units, found = append(units, u), found || has
		}
	}
	return distinctUnits(units), found
}

// collectUnits gives what stands for one exception: for a group its parts, for any other itself with its causes.
func (t *exceptionTree) collectUnits(i int) (list []treeUnit, found bool) {
	if t.seen[i] {
		return nil, false
	}
	t.seen[i] = true
	for _, child := range t.children[i] {
		parts, has := t.collectUnits(child)
		list, found = append(list, parts...), found || has
	}
	list = distinctUnits(list)
	m := t.exceptions[i].Mechanism
	if m == nil || !m.IsGroup || len(t.children[i]) == 0 {
		u, has := t.makeUnit(i, list)
		return []treeUnit{u}, found || has
	}
	if !found && len(list) > 0 && t.by == byStack {
		if u, has := t.makeUnit(i, list); has { // the stack of the group is all there is
			return []treeUnit{u}, true
		}
	}
	return list, found
}

// makeUnit gives an exception with its causes as one unit.
func (t *exceptionTree) makeUnit(i int, causes []treeUnit) (treeUnit, bool) {
	var d digest
	has := d.writeException(&t.exceptions[i], t.by, t.lang)
	d.writeUnits(causes)
	return treeUnit{index: i, text: d.buf}, has
}

// distinctUnits sorts units and drops those that are equal to another.
func distinctUnits(units []treeUnit) []treeUnit {
	slices.SortStableFunc(units, func(a, b treeUnit) int { return bytes.Compare(a.text, b.text) })
	return slices.CompactFunc(units, func(a, b treeUnit) bool { return bytes.Equal(a.text, b.text) })
}

// writeUnits writes a set of units. A single one is written as if it had been alone.
func (d *digest) writeUnits(units []treeUnit) {
	if len(units) == 1 {
		d.buf = append(d.buf, units[0].text...)
		return
	}
	for i := range units {
		start := d.openPart()
		d.buf = append(d.buf, units[i].text...)
		d.closePart(start)
	}
}
