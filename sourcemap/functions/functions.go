// Package functions finds the functions in a text of JavaScript or TypeScript, with their names. It is not a parser: it reads the
// text once from start to end, tracks the open brackets, and reads of each construct only the parts that show where functions
// begin and end. It never fails: in a text of another language it finds fewer functions, or wrong ones.
//
// A function gets the same name as in engines: its own, or else the name of the variable, the property or the field that it is
// assigned to. A callback that is only passed on has none. A constructor has the name of its class, and so have the initial
// values of fields and the static blocks.
package functions

import (
	"encoding/binary"
	"slices"
	"sort"
)

// The bounds of a table. Functions beyond them are left out: their places belong to the function around them.
const (
	maxFunctions = 1 << 16
	maxDepth     = 1 << 12 // nested brackets
	maxName      = 200     // bytes
)

// Function is a function around a position.
type Function struct {
	Name  string // empty for an anonymous one, and outside of all functions
	Class string // the class around it, empty without one
}

// Table holds the functions of a text in a form that can be stored. An entry is seven numbers: the start and the end of the
// function, each a line and a column, its parent, its name and its class. The texts of the names come after all entries.
type Table []byte

const (
	countSize = 4
	entrySize = 7 * 4
	noParent  = 1<<32 - 1
)

// Scan finds the functions of a text whose lines end in \n. The name of its file shows the language: only .ts, .mts and .cts have
// type assertions in angle brackets, all others have JSX. In .vue and .svelte only script tags are read.
func Scan(text []byte, file string) Table {
	s := newScanner(text, file)
	s.scanText()
	return encodeTable(text, s.spans)
}

// Find returns the innermost function around a place: its line and column are 0-based, columns in UTF-16 code units.
func (t Table) Find(line, column uint32) Function {
	if len(t) < countSize {
		return Function{}
	}
	count := int(binary.LittleEndian.Uint32(t))
	at := place{line, column}
	// It is the last function that begins before the place, or one around that.
	found := sort.Search(count, func(i int) bool { return at.comesBefore(t.readPlace(i, 0)) }) - 1
	for found >= 0 && !at.comesBefore(t.readPlace(found, 2)) {
		if found = int(int32(t.readNumber(found, 4))); found < 0 {
			return Function{}
		}
	}
	if found < 0 {
		return Function{}
	}
	return Function{Name: t.readName(count, found, 5), Class: t.readName(count, found, 6)}
}

func (t Table) readNumber(entry, field int) uint32 {
	return binary.LittleEndian.Uint32(t[countSize+entry*entrySize+4*field:])
}

func (t Table) readPlace(entry, field int) place {
	return place{t.readNumber(entry, field), t.readNumber(entry, field+1)}
}

// readName reads a text, which is stored after its length.
func (t Table) readName(count, entry, field int) string {
	text := t[countSize+count*entrySize+int(t.readNumber(entry, field)):]
	return string(text[1 : 1+int(text[0])])
}

// place is a line and a column, both 0-based.
type place struct{ line, column uint32 }

func (p place) comesBefore(other place) bool {
	return p.line < other.line || p.line == other.line && p.column < other.column
}

// span is a function: it begins at its parameters and ends after its body.
type span struct {
	start, end  place
	name, class name
}

// name is the position of a name in the text; the zero value is none.
type name struct{ from, to int }

// encodeTable makes the table of spans, which are side by side or nested.
func encodeTable(text []byte, spans []span) Table {
	slices.SortStableFunc(spans, func(a, b span) int {
		if a.start.comesBefore(b.start) || a.start == b.start && b.end.comesBefore(a.end) {
			return -1
		}
		if b.start.comesBefore(a.start) || a.start == b.start && a.end.comesBefore(b.end) {
			return 1
		}
		return 0
	})
	table := binary.LittleEndian.AppendUint32(make(Table, 0, countSize+len(spans)*(entrySize+16)), uint32(len(spans)))
	texts, offsets := []byte{0}, map[name]uint32{{}: 0} // the first text is empty
	offsetOf := func(n name) uint32 {
		offset, isKnown := offsets[n]
		if !isKnown {
			offset = uint32(len(texts))
			offsets[n] = offset
			cut := text[n.from:min(n.to, n.from+maxName)]
			texts = append(append(texts, byte(len(cut))), cut...)
		}
		return offset
	}
	var around []int // the open spans
	for i := range spans {
		s := &spans[i]
		for len(around) > 0 && !s.start.comesBefore(spans[around[len(around)-1]].end) {
			around = around[:len(around)-1]
		}
		parent := uint32(noParent)
		if len(around) > 0 {
			parent = uint32(around[len(around)-1])
		}
		around = append(around, i)
		for _, number := range []uint32{
			s.start.line, s.start.column, s.end.line, s.end.column, parent, offsetOf(s.name), offsetOf(s.class),
		} {
			table = binary.LittleEndian.AppendUint32(table, number)
		}
	}
	return append(table, texts...)
}
