package envelope

import (
	"strconv"
	"strings"

	"errand/core"
)

// objectValue reads a free-form object; anything else is left out.
func (d *decoder) objectValue() core.Value {
	if !d.isObject() {
		return core.Value{}
	}
	return orNull(d.container(core.Object))
}

// contexts reads the contexts: an object of objects. A context whose type says the same as its name loses it.
func (d *decoder) contexts() core.Value {
	if !d.isObject() {
		return core.Value{}
	}
	mark := len(d.stack)
	for m := d.object(); m.next(); {
		name := m.key
		if d.peek() != '{' {
			if !d.null() {
				d.drop("has a member that is not an object")
			}
			continue
		}
		if d.spend() {
			v := d.container(core.Object)
			v.Kids = without(v.Kids, "type", name)
			d.stack = append(d.stack, core.Member{Key: name, Value: v})
		}
	}
	return d.popObject(mark)
}

// without removes the member of a key with the text.
func without(kids []core.Member, key, text string) []core.Member {
	for i := range kids {
		if kids[i].Key == key && kids[i].Value.Kind == core.String && kids[i].Value.Text == text {
			return append(kids[:i], kids[i+1:]...)
		}
	}
	return kids
}

// tags reads the tags into an object of texts.
func (d *decoder) tags() core.Value {
	mark, text := d.pairs()
	if text != "" {
		d.tell("", "a text where an object or a list of pairs is needed")
	}
	kept := d.stack[:mark]
	for _, tag := range d.stack[mark:] {
		switch tag.Value.Kind {
		case core.Null:
		case core.Array, core.Object:
			d.tell("", "has a member that is neither a text nor a number nor a boolean")
		default:
			kept = append(kept, core.Member{Key: tag.Key, Value: core.StringValue(tag.Value.Text)})
		}
	}
	d.deepest = max(d.deepest, len(d.stack))
	d.stack = kept
	return d.popObject(mark)
}

// pairs reads the names and values of an object, of a list of [name, value], or of a list of {"key", "value"}, and puts
// them on the stack from mark on. A text is given as it is: its form depends on the field.
func (d *decoder) pairs() (mark int, text string) {
	mark = len(d.stack)
	switch d.peek() {
	case '"':
		return mark, d.str()
	case '{':
		for m := d.object(); m.next(); {
			if key := m.key; d.spend() {
				d.stack = append(d.stack, core.Member{Key: key, Value: d.value()})
			}
		}
	case '[':
		for e := d.array(); e.next(); {
			if d.spend() {
				d.pair(d.value())
			}
		}
	default:
		if !d.null() {
			d.drop("neither an object nor a list of pairs")
		}
	}
	return mark, ""
}

func (d *decoder) pair(v core.Value) {
	var member core.Member
	switch {
	case v.Kind == core.Array && len(v.Kids) == 2:
		member = core.Member{Key: textOf(v.Kids[0].Value), Value: v.Kids[1].Value}
	case v.Kind == core.Object:
		member = core.Member{Key: textOf(v.Get("key")), Value: v.Get("value")}
		if member.Key == "" {
			member.Key = textOf(v.Get("name"))
		}
	}
	if member.Key != "" {
		d.stack = append(d.stack, member)
	} else if v.Kind != core.Null {
		d.tell("", "has an element that is not a pair")
	}
}

// user reads the user; a text or number is the user's id.
func (d *decoder) user() core.Value {
	if c := d.peek(); c == '{' || c == '[' || c == 'n' {
		return d.objectValue()
	}
	v := d.value()
	return core.Value{Kind: core.Object, Kids: d.kids.keep([]core.Member{{Key: "id", Value: v}})}
}

// autoIP asks for the address that the event came from.
const autoIP = "{{auto}}"

// setUser puts in the user's address where the SDK left that to the server, and finds the user's identity (the
// specification: id, else email, username, ip_address).
func (d *decoder) setUser(peerIP string) {
	user := &d.event.User
	ip := textOf(user.Get("ip_address"))
	if d.inferIP == "never" {
		peerIP = ""
	}
	if ip == autoIP || ip == "" && d.inferIP == "auto" {
		setMember(user, "ip_address", peerIP)
	}
	for _, key := range [...]string{"id", "email", "username", "ip_address"} {
		if v := user.Get(key); v.Kind != core.Null {
			if d.event.Identity = strings.TrimSpace(textOf(v)); d.event.Identity != "" {
				return
			}
		}
	}
}

// setMember sets a text of an object; an empty text removes the member.
func setMember(v *core.Value, key, text string) {
	for i := range v.Kids {
		if v.Kids[i].Key != key {
			continue
		}
		if text == "" {
			v.Kids = append(v.Kids[:i], v.Kids[i+1:]...)
		} else {
			v.Kids[i].Value = core.StringValue(text)
		}
		return
	}
	if text != "" {
		v.Kind = core.Object
		v.Kids = append(v.Kids, core.Member{Key: key, Value: core.StringValue(text)})
	}
}

// readBreadcrumbs reads what happened before the error.
func (d *decoder) readBreadcrumbs() {
	d.crumbs.reset(0, maxBreadcrumbs)
	d.list(d.readBreadcrumb)
}

func (d *decoder) readBreadcrumb() {
	if !d.isObject() {
		return
	}
	b := d.crumbs.add()
	for m := d.object(); m.next(); {
		switch m.key {
		case "timestamp":
			b.Timestamp = core.At(d.timestamp(m.key))
		case "type":
			b.Type = d.word()
		case "category":
			b.Category = d.word()
		case "level":
			b.Level = d.word()
		case "message":
			b.Message = d.readText()
		case "data":
			b.Data = orNull(d.value())
		default:
			d.skip()
		}
	}
}

func (d *decoder) setBreadcrumbs() {
	if lost := d.crumbs.lost(); lost > 0 {
		tell(&d.event, "breadcrumbs", strconv.Itoa(lost)+" older ones are left out")
	}
	if kept := d.crumbs.list(); len(kept) > 0 {
		d.event.Breadcrumbs = kept
	}
}

// debugMeta reads the images that a source map or debug file can be found for.
func (d *decoder) debugMeta() {
	if !d.isObject() {
		return
	}
	for m := d.object(); m.next(); {
		if m.key != "images" {
			d.skip()
			continue
		}
		d.path.enter(m.key)
		d.event.DebugImages = nil
		d.list(d.readImage)
		d.path.leave()
	}
}

func (d *decoder) readImage() {
	if !d.isObject() {
		return
	}
	var image core.DebugImage
	for m := d.object(); m.next(); {
		switch m.key {
		case "type":
			image.Type = d.word()
		case "debug_id":
			image.DebugID = d.word()
		case "uuid", "id": // by older clients
			if id := d.word(); image.DebugID == "" {
				image.DebugID = id
			}
		case "code_file":
			image.CodeFile = d.readText()
		case "name":
			if name := d.readText(); image.CodeFile == "" {
				image.CodeFile = name
			}
		default:
			d.skip()
		}
	}
	if image.DebugID != "" && len(d.event.DebugImages) < maxImages {
		d.event.DebugImages = append(d.event.DebugImages, image)
	}
}
