package grouping

import (
	"bytes"
	"slices"

	"errand/core"
)

// tree is the exceptions of an event with an exception group (Python's ExceptionGroup, JavaScript's and .NET's
// AggregateError), whose order says nothing.
type tree struct {
	list     []core.Exception
	children [][]int
	roots    []int
	seen     []bool // guards against exceptions that are each other's parent
	by       detail
	lang     language
}

// unit is an exception with its causes, as bytes that are equal for equal ones.
type unit struct {
	index int // of the exception
	text  []byte
}

// isTree reports whether the exceptions are more than a chain: one of them is a group, or belonged to one that got lost.
func isTree(list []core.Exception) bool {
	for i := range list {
		m := list[i].Mechanism
		if m == nil {
			continue
		}
		if m.IsGroup && m.ExceptionID != nil || m.ParentID != nil && indexOf(list, *m.ParentID) < 0 {
			return true
		}
	}
	return false
}

// indexOf returns the first exception with the id, or -1.
func indexOf(list []core.Exception, id int64) int {
	return slices.IndexFunc(list, func(x core.Exception) bool {
		return x.Mechanism != nil && x.Mechanism.ExceptionID != nil && *x.Mechanism.ExceptionID == id
	})
}

func newTree(list []core.Exception, by detail, lang language) *tree {
	t := &tree{list: list, children: make([][]int, len(list)), seen: make([]bool, len(list)), by: by, lang: lang}
	for i := range list {
		parent := -1
		if m := list[i].Mechanism; m != nil && m.ParentID != nil {
			parent = indexOf(list, *m.ParentID)
		}
		if parent < 0 || parent == i {
			t.roots = append(t.roots, i)
		} else {
			t.children[parent] = append(t.children[parent], i)
		}
	}
	return t
}

// all returns the distinct units of the whole tree, and whether any of them has the detail that is looked for.
func (t *tree) all() (units []unit, found bool) {
	for _, root := range t.roots {
		list, has := t.units(root)
		units, found = append(units, list...), found || has
	}
	for i := range t.list { // in circles, which no root leads to
		list, has := t.units(i)
		units, found = append(units, list...), found || has
	}
	if len(units) == 0 { // nothing but groups in circles
		for i := range t.list {
			u, has := t.own(i, nil)
			units, found = append(units, u), found || has
		}
	}
	return distinct(units), found
}

// units gives what stands for one exception: for a group its parts, for any other itself with its causes.
func (t *tree) units(i int) (list []unit, found bool) {
	if t.seen[i] {
		return nil, false
	}
	t.seen[i] = true
	for _, child := range t.children[i] {
		parts, has := t.units(child)
		list, found = append(list, parts...), found || has
	}
	list = distinct(list)
	m := t.list[i].Mechanism
	if m == nil || !m.IsGroup || len(t.children[i]) == 0 {
		u, has := t.own(i, list)
		return []unit{u}, found || has
	}
	if !found && len(list) > 0 && t.by == byStack {
		if u, has := t.own(i, list); has { // the stack of the group is all there is
			return []unit{u}, true
		}
	}
	return list, found
}

// own gives an exception with its causes as one unit.
func (t *tree) own(i int, causes []unit) (unit, bool) {
	var d digest
	has := d.exception(&t.list[i], t.by, t.lang)
	d.units(causes)
	return unit{index: i, text: d.buf}, has
}

// distinct sorts units and drops those that are equal to another.
func distinct(units []unit) []unit {
	slices.SortStableFunc(units, func(a, b unit) int { return bytes.Compare(a.text, b.text) })
	return slices.CompactFunc(units, func(a, b unit) bool { return bytes.Equal(a.text, b.text) })
}

// units writes a set of units. A single one is written as if it had been alone.
func (d *digest) units(units []unit) {
	if len(units) == 1 {
		d.buf = append(d.buf, units[0].text...)
		return
	}
	for i := range units {
		start := d.open()
		d.buf = append(d.buf, units[i].text...)
		d.close(start)
	}
}
