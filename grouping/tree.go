package grouping

import (
	"bytes"
	"slices"

	"errand/core"
)

// exceptionTree holds the exceptions of an event with an exception group: Python's ExceptionGroup, JavaScript's and .NET's
// AggregateError. The order of a group's parts has no meaning.
type exceptionTree struct {
	exceptions []core.Exception
	children   [][]int
	roots      []int
	visited    []bool // guards against exceptions that are each other's parent
	by         detail // of the units
	lang       language
}

// treeUnit is an exception with its causes.
type treeUnit struct {
	index int    // of the exception
	text  []byte // its text in a digest: the same for equal ones
}

// isExceptionTree reports whether the exceptions are more than a chain of causes: one is a group, or was part of a lost one.
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
	tree := &exceptionTree{exceptions: list, children: make([][]int, len(list)), visited: make([]bool, len(list)), by: by, lang: lang}
	for i := range list {
		parent := -1
		if m := list[i].Mechanism; m != nil && m.ParentID != nil {
			parent = findExceptionByID(list, *m.ParentID)
		}
		if parent < 0 || parent == i {
			tree.roots = append(tree.roots, i)
		} else {
			tree.children[parent] = append(tree.children[parent], i)
		}
	}
	return tree
}

// allUnits returns the distinct units of the whole tree, and whether any of them has the detail.
func (t *exceptionTree) allUnits() (units []treeUnit, found bool) {
	for _, root := range t.roots {
		list, hasDetail := t.collectUnits(root)
		units, found = append(units, list...), found || hasDetail
	}
	for i := range t.exceptions { // in circles that no root leads to
		list, hasDetail := t.collectUnits(i)
		units, found = append(units, list...), found || hasDetail
	}
	if len(units) == 0 { // only groups in circles
		for i := range t.exceptions {
			unit, hasDetail := t.makeUnit(i, nil)
			units, found = append(units, unit), found || hasDetail
		}
	}
	return distinctUnits(units), found
}

// collectUnits returns the units for one exception, and whether any of them has the detail. A group is replaced by its parts; any
// other exception is a unit with its causes.
func (t *exceptionTree) collectUnits(i int) (units []treeUnit, found bool) {
	if t.visited[i] {
		return nil, false
	}
	t.visited[i] = true
	for _, child := range t.children[i] {
		parts, hasDetail := t.collectUnits(child)
		units, found = append(units, parts...), found || hasDetail
	}
	units = distinctUnits(units)
	mechanism := t.exceptions[i].Mechanism
	if mechanism == nil || !mechanism.IsGroup || len(t.children[i]) == 0 {
		unit, hasDetail := t.makeUnit(i, units)
		return []treeUnit{unit}, found || hasDetail
	}
	if !found && len(units) > 0 && t.by == byStack {
		if unit, hasStack := t.makeUnit(i, units); hasStack { // only the group has a stack
			return []treeUnit{unit}, true
		}
	}
	return units, found
}

// makeUnit returns an exception with its causes as one unit, and whether the exception has the detail.
func (t *exceptionTree) makeUnit(i int, causes []treeUnit) (unit treeUnit, hasDetail bool) {
	var d digest
	hasDetail = d.writeException(&t.exceptions[i], t.by, t.lang)
	d.writeUnits(causes)
	return treeUnit{index: i, text: d.buf}, hasDetail
}

// distinctUnits sorts units and removes equal ones.
func distinctUnits(units []treeUnit) []treeUnit {
	slices.SortStableFunc(units, func(a, b treeUnit) int { return bytes.Compare(a.text, b.text) })
	return slices.CompactFunc(units, func(a, b treeUnit) bool { return bytes.Equal(a.text, b.text) })
}

// writeUnits writes a set of units. A single unit is written like an exception outside a group.
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
