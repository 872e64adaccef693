package envelope

import "errand/core"

// readList reads {"values": [..]}, a list, or an object that stands for a list of one. The function each reads one element.
func (d *decoder) readList(each func()) {
	d.readListBeside(each, func(string) { d.json.skipValue() })
}

// readListBeside is readList with a reader for the members beside values.
func (d *decoder) readListBeside(each func(), beside func(key string)) {
	switch d.json.peekByte() {
	case '[':
		i := 0
		for e := d.json.enterArray(); e.nextElement(); i++ {
			d.path.enterElement(i)
			each()
			d.path.leaveValue()
		}
	case '{':
		start, found := d.json.pos, false
		for members := d.json.enterObject(); members.nextMember(); {
			if members.key == "values" && d.json.peekByte() != '{' {
				found = true
				d.readList(each)
			} else {
				beside(members.key)
			}
		}
		if !found && d.json.err == nil {
			d.json.pos = start
			each()
		}
	default:
		if !d.skipNull() {
			d.dropValue("not a list")
		}
	}
}

// readTextList reads a list of texts; a single text stands for a list of one.
func (d *decoder) readTextList() []core.Untrusted {
	d.scratch.texts = d.scratch.texts[:0]
	switch d.json.peekByte() {
	case '[':
		for e := d.json.enterArray(); e.nextElement(); {
			if d.admitMember() {
				d.scratch.texts = append(d.scratch.texts, d.readText())
			}
		}
	case '{':
		d.dropValue("not a list")
	default:
		if !d.skipNull() {
			d.scratch.texts = append(d.scratch.texts, d.readText())
		}
	}
	kept := d.kept.texts.copyList(d.scratch.texts)
	clear(d.scratch.texts)
	return kept
}
