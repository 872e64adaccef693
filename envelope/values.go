package envelope

import (
	"strconv"
	"strings"

	"errand/core"
)

// maxDepth is how deep objects and arrays of the free-form parts may lie in each other; what is deeper becomes null.
const maxDepth = 64

// value reads any JSON value. Of members with the same name the last one counts, as in most JSON readers.
func (d *decoder) value() core.Value {
	switch d.peek() {
	case '"':
		return core.StringValue(d.str())
	case '{':
		return d.container(core.Object)
	case '[':
		return d.container(core.Array)
	}
	return literalValue(d.literal())
}

func literalValue(text string) core.Value {
	switch text {
	case "", "null":
		return core.Value{}
	case "true", "false":
		return core.Value{Kind: core.Bool, Text: text}
	}
	if isNumber(text) {
		return core.Value{Kind: core.Number, Text: text}
	}
	return core.StringValue(text)
}

// container reads an object or array. The members are gathered on one stack that all levels share, so that each
// container takes exactly the room it needs.
func (d *decoder) container(kind core.Kind) core.Value {
	if d.depth == maxDepth {
		d.drop("nested deeper than 64 levels")
		return core.Value{}
	}
	d.depth++
	mark := len(d.stack)
	if kind == core.Object {
		for m := d.object(); m.next(); {
			if key := m.key; d.spend() {
				d.stack = append(d.stack, core.Member{Key: key, Value: d.value()})
			}
		}
	} else {
		for e := d.array(); e.next(); {
			if d.spend() {
				d.stack = append(d.stack, core.Member{Value: d.value()})
			}
		}
	}
	d.depth--
	return d.pop(kind, mark)
}

// popObject makes a field's object of the members on the stack from mark on. A field without members has no value.
func (d *decoder) popObject(mark int) core.Value { return orNull(d.pop(core.Object, mark)) }

// orNull makes null of an object or array without members.
func orNull(v core.Value) core.Value {
	if v.IsEmpty() {
		return core.Value{}
	}
	return v
}

// pop makes a container of the members on the stack from mark on.
func (d *decoder) pop(kind core.Kind, mark int) core.Value {
	kids := d.stack[mark:]
	if kind == core.Object {
		kids = lastOfEachKey(kids)
	}
	v := core.Value{Kind: kind, Kids: d.kids.keep(kids)}
	d.deepest = max(d.deepest, len(d.stack))
	d.stack = d.stack[:mark]
	return v
}

// lastOfEachKey leaves out members that a later one with the same key replaces.
func lastOfEachKey(kids []core.Member) []core.Member {
	if len(kids) > 24 { // the number of comparisons grows with the square
		return lastOfManyKeys(kids)
	}
	for i := 0; i < len(kids); i++ {
		for j := i + 1; j < len(kids); j++ {
			if kids[j].Key == kids[i].Key {
				kids = append(kids[:i], kids[i+1:]...)
				i--
				break
			}
		}
	}
	return kids
}

func lastOfManyKeys(kids []core.Member) []core.Member {
	last := make(map[string]int, len(kids))
	for i := range kids {
		last[kids[i].Key] = i
	}
	kept := kids[:0]
	for i := range kids {
		if last[kids[i].Key] == i {
			kept = append(kept, kids[i])
		}
	}
	return kept
}

// isNumber reports whether text is a number of JSON's grammar that a double can hold.
func isNumber(text string) bool {
	rest := strings.TrimPrefix(text, "-")
	whole := digits(rest)
	if whole == 0 || whole > 1 && rest[0] == '0' || len(text) > maxDigits {
		return false
	}
	if rest = rest[whole:]; rest == "" {
		return true
	}
	if rest[0] == '.' {
		n := digits(rest[1:])
		if rest = rest[1+n:]; n == 0 || rest == "" {
			return n > 0
		}
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	if rest = rest[1:]; rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	if n := digits(rest); n == 0 || n < len(rest) {
		return false
	}
	_, err := strconv.ParseFloat(text, 64) // the exponent may be too large
	return err == nil
}

// digits counts the digits at the start of a text.
func digits(text string) int {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return i
		}
	}
	return len(text)
}

// maxDigits is the longest number that stays one; a longer one is a text.
const maxDigits = 64
