package envelope

import (
	"strconv"
	"strings"

	"errand/core"
)

// readObject reads a free-form object; anything else is left out.
func (d *decoder) readObject() core.Value {
	if !d.requireObject() {
		return core.Value{}
	}
	return orNull(d.readContainer(core.Object))
}

// readContexts reads the contexts: an object of objects. A context whose type equals its name loses the type.
func (d *decoder) readContexts() core.Value {
	if !d.requireObject() {
		return core.Value{}
	}
	mark := len(d.stack.members)
	for m := d.json.enterObject(); m.nextMember(); {
		name := m.key
		if d.json.peekByte() != '{' {
			if !d.skipNull() {
				d.dropValue("has a member that is not an object")
			}
			continue
		}
		if d.admitMember() {
			v := d.readContainer(core.Object)
			v.Kids = removeMember(v.Kids, "type", name)
			d.stack.push(core.Member{Key: name, Value: v})
		}
	}
	return d.popObject(mark)
}

// removeMember removes the member with the key and the text.
func removeMember(kids []core.Member, key, text string) []core.Member {
	for i := range kids {
		if kids[i].Key == key && kids[i].Value.Kind == core.String && kids[i].Value.Text == text {
			return append(kids[:i], kids[i+1:]...)
		}
	}
	return kids
}

// readTags reads the tags into an object of texts.
func (d *decoder) readTags() core.Value {
	mark, text := d.readPairs()
	if text != "" {
		d.addProblem("", "a text where an object or a list of pairs is needed")
	}
	kept := d.stack.members[:mark]
	for _, tag := range d.stack.from(mark) {
		switch tag.Value.Kind {
		case core.Null:
		case core.Array, core.Object:
			d.addProblem("", "has a member that is neither a text nor a number nor a boolean")
		default:
			kept = append(kept, core.Member{Key: tag.Key, Value: core.StringValue(tag.Value.Text)})
		}
	}
	d.stack.cutTo(len(kept))
	return d.popObject(mark)
}

// readPairs reads the names and values of an object, of a list of [name, value], or of a list of {"key", "value"}, and puts them
// on the stack from mark on. It returns a text as it is, because its form depends on the field.
func (d *decoder) readPairs() (mark int, text string) {
	mark = len(d.stack.members)
	switch d.json.peekByte() {
	case '"':
		return mark, d.json.readString()
	case '{':
		for m := d.json.enterObject(); m.nextMember(); {
			if key := m.key; d.admitMember() {
				d.stack.push(core.Member{Key: key, Value: d.readValue()})
			}
		}
	case '[':
		for e := d.json.enterArray(); e.nextElement(); {
			if d.admitMember() {
				d.pushPair(d.readValue())
			}
		}
	default:
		if !d.skipNull() {
			d.dropValue("neither an object nor a list of pairs")
		}
	}
	return mark, ""
}

func (d *decoder) pushPair(value core.Value) {
	var member core.Member
	switch {
	case value.Kind == core.Array && len(value.Kids) == 2:
		member = core.Member{Key: textOf(value.Kids[0].Value), Value: value.Kids[1].Value}
	case value.Kind == core.Object:
		member = core.Member{Key: textOf(value.Get("key")), Value: value.Get("value")}
		if member.Key == "" {
			member.Key = textOf(value.Get("name"))
		}
	}
	if member.Key != "" {
		d.stack.push(member)
	} else if value.Kind != core.Null {
		d.addProblem("", "has an element that is not a pair")
	}
}

// readUser reads the user; a text or number is the user's id.
func (d *decoder) readUser() core.Value {
	if c := d.json.peekByte(); c == '{' || c == '[' || c == 'n' {
		return d.readObject()
	}
	v := d.readValue()
	return core.Value{Kind: core.Object, Kids: d.kept.members.copyList([]core.Member{{Key: "id", Value: v}})}
}

// autoIP asks for the address that sent the event.
const autoIP = "{{auto}}"

// setUser sets the user's address where the SDK left that to the server, and finds the user's identity (the specification: id,
// else email, username, ip_address).
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

// setMember sets a text member of an object; an empty text removes the member.
func setMember(value *core.Value, key, text string) {
	for i := range value.Kids {
		if value.Kids[i].Key != key {
			continue
		}
		if text == "" {
			value.Kids = append(value.Kids[:i], value.Kids[i+1:]...)
		} else {
			value.Kids[i].Value = core.StringValue(text)
		}
		return
	}
	if text != "" {
		value.Kind = core.Object
		value.Kids = append(value.Kids, core.Member{Key: key, Value: core.StringValue(text)})
	}
}

// readBreadcrumbs reads the breadcrumbs, the events before the error.
func (d *decoder) readBreadcrumbs() {
	d.kept.breadcrumbs.startOver(0, maxBreadcrumbs)
	d.readList(d.readBreadcrumb)
}

func (d *decoder) readBreadcrumb() {
	if !d.requireObject() {
		return
	}
	breadcrumb := d.kept.breadcrumbs.addItem()
	for m := d.json.enterObject(); m.nextMember(); {
		switch m.key {
		case "timestamp":
			breadcrumb.Timestamp = core.At(d.readTimestamp(m.key))
		case "type":
			breadcrumb.Type = d.readWord()
		case "category":
			breadcrumb.Category = d.readWord()
		case "level":
			breadcrumb.Level = d.readWord()
		case "message":
			breadcrumb.Message = d.readText()
		case "data":
			breadcrumb.Data = orNull(d.readValue())
		default:
			d.json.skipValue()
		}
	}
}

func (d *decoder) setBreadcrumbs() {
	if lost := d.kept.breadcrumbs.countLost(); lost > 0 {
		addProblem(d.event, "breadcrumbs", strconv.Itoa(lost)+" older ones are left out")
	}
	if kept := d.kept.breadcrumbs.keptItems(); len(kept) > 0 {
		d.event.Breadcrumbs = kept
	}
}

// readDebugMeta reads the images that may have a source map or debug file.
func (d *decoder) readDebugMeta() {
	if !d.requireObject() {
		return
	}
	for members := d.json.enterObject(); members.nextMember(); {
		if members.key != "images" {
			d.json.skipValue()
			continue
		}
		d.path.enterMember(members.key)
		d.event.DebugImages = nil
		d.readList(d.readImage)
		d.path.leaveValue()
	}
}

func (d *decoder) readImage() {
	if !d.requireObject() {
		return
	}
	var image core.DebugImage
	for m := d.json.enterObject(); m.nextMember(); {
		switch m.key {
		case "type":
			image.Type = d.readWord()
		case "debug_id":
			image.DebugID = d.readWord()
		case "uuid", "id": // by older clients
			if id := d.readWord(); image.DebugID == "" {
				image.DebugID = id
			}
		case "code_file":
			image.CodeFile = d.readText()
		case "name":
			if name := d.readText(); image.CodeFile == "" {
				image.CodeFile = name
			}
		default:
			d.json.skipValue()
		}
	}
	if image.DebugID != "" && len(d.event.DebugImages) < maxImages {
		d.event.DebugImages = append(d.event.DebugImages, image)
	}
}
