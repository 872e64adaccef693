package envelope

import "errand/core"

// list reads {"values": [..]}, a list, or an object that stands for a list of one; each reads one element.
func (d *decoder) list(each func()) {
	d.listBeside(each, func(string) { d.skip() })
}

// listBeside is list, with a reader for the members beside values.
func (d *decoder) listBeside(each func(), beside func(key string)) {
	switch d.peek() {
	case '[':
		i := 0
		for e := d.array(); e.next(); i++ {
			d.path.index(i)
			each()
			d.path.leave()
		}
	case '{':
		start, found := d.pos, false
		for m := d.object(); m.next(); {
			if m.key == "values" && d.peek() != '{' {
				found = true
				d.list(each)
			} else {
				beside(m.key)
			}
		}
		if !found && d.err == nil {
			d.pos = start
			each()
		}
	default:
		if !d.null() {
			d.drop("not a list")
		}
	}
}

// textList reads a list of texts; one text stands for a list of one.
func (d *decoder) textList() []core.Untrusted {
	d.lines = d.lines[:0]
	switch d.peek() {
	case '[':
		for e := d.array(); e.next(); {
			if d.spend() {
				d.lines = append(d.lines, d.readText())
			}
		}
	case '{':
		d.drop("not a list")
	default:
		if !d.null() {
			d.lines = append(d.lines, d.readText())
		}
	}
	kept := d.texts.keep(d.lines)
	clear(d.lines)
	return kept
}
