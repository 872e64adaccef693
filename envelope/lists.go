package envelope

import "errand/core"

// readList reads {"values": [..]}, a list, or an object that stands for a list of one. The function each reads one element. An object
// whose names are numbers is a list too: PHP writes one with gaps so.
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
		i := 0
		for members := d.json.enterObject(); members.nextMember(); {
			switch {
			case members.key == "values":
				found = true
				d.readList(each)
			case isIndex(members.key):
				found = true
				d.path.enterElement(i)
				each()
				d.path.leaveValue()
				i++
			default:
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

func isIndex(text string) bool {
	return text != "" && countDigits(text) == len(text)
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
