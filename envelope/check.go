package envelope

import (
	"maps"
	"slices"
	"strings"

	"errand/core"
)

// maxDetails is how many mistakes of one event are reported.
const maxDetails = 20

// checker finds the mistakes of a body in the native format.
type checker struct {
	json    scanner
	path    fieldPath
	details []core.Detail
	isNamed bool // the current exception has a type, a value or a stack
}

// valueCheck reads one value and reports its mistakes. It never sees null, which is an absent
// value.
type valueCheck func(*checker)

// checkEvent checks the whole body.
func (c *checker) checkEvent() []core.Detail {
	if c.json.peekByte() != '{' {
		c.refuseValue("an object")
		return c.details
	}
	c.checkMembers(nativeEvent)
	if c.json.err == nil && !c.json.isAtEnd() {
		c.json.failWith("more text behind the event")
	}
	if c.json.err != nil {
		return []core.Detail{{Message: c.json.err.Error()}}
	}
	return c.details
}

// checkMember checks one member of an object.
func (c *checker) checkMember(object nativeObject, name string) {
	c.path.enterMember(name)
	defer c.path.leaveValue()
	if check, ok := object.checks[name]; ok {
		check(c)
		return
	}
	if !object.allowsOthers {
		c.addDetail("not a field of " + object.name + "; allowed are " + strings.Join(slices.Sorted(maps.Keys(object.checks)), ", "))
	}
	c.json.skipValue()
}

func (c *checker) addDetail(message string) {
	if len(c.details) < maxDetails {
		c.details = append(c.details, core.Detail{Path: c.path.String(), Message: message})
	}
}

// refuseValue says which kind of value is needed, and skips this one.
func (c *checker) refuseValue(kind string) {
	c.addDetail("must be " + kind + ", not " + c.nextKind())
	c.json.skipValue()
}

// nextKind names the kind of the next value.
func (c *checker) nextKind() string {
	switch c.json.peekByte() {
	case 0:
		return "nothing"
	case '"':
		return "a text"
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func (c *checker) checkText() {
	if c.json.peekByte() != '"' {
		c.refuseValue("a text")
		return
	}
	c.json.skipValue()
}

func (c *checker) checkNumber() {
	if ch := c.json.peekByte(); ch != '-' && (ch < '0' || ch > '9') {
		c.refuseValue("a number")
		return
	}
	c.json.skipValue()
}

func (c *checker) checkBoolean() {
	if ch := c.json.peekByte(); ch != 't' && ch != 'f' {
		c.refuseValue("true or false")
		return
	}
	c.json.skipValue()
}

// checkScalar requires a text, a number or a boolean.
func (c *checker) checkScalar() {
	if ch := c.json.peekByte(); ch == '{' || ch == '[' {
		c.refuseValue("a text, a number or a boolean")
		return
	}
	c.json.skipValue()
}

func (c *checker) takeAnyValue() { c.json.skipValue() }

func (c *checker) checkAnyObject() {
	if c.json.peekByte() != '{' {
		c.refuseValue("an object")
		return
	}
	c.json.skipValue()
}

func checkObjectOf(f nativeObject) valueCheck {
	return func(c *checker) { c.checkMembers(f) }
}

// checkMembers checks an object, whose null members are absent.
func (c *checker) checkMembers(object nativeObject) {
	if c.json.peekByte() != '{' {
		c.refuseValue("an object")
		return
	}
	for m := c.json.enterObject(); m.nextMember(); {
		if c.json.peekByte() == 'n' {
			c.json.skipValue()
		} else {
			c.checkMember(object, m.key)
		}
	}
}

func checkListOf(element valueCheck) valueCheck {
	return func(c *checker) {
		if c.json.peekByte() != '[' {
			c.refuseValue("a list")
			return
		}
		c.checkElements(element)
	}
}

func (c *checker) checkElements(element valueCheck) {
	i := 0
	for e := c.json.enterArray(); e.nextElement(); i++ {
		c.path.enterElement(i)
		element(c)
		c.path.leaveValue()
	}
}

// checkTags requires an object of texts, numbers and booleans.
func (c *checker) checkTags() {
	if c.json.peekByte() != '{' {
		c.refuseValue("an object")
		return
	}
	for m := c.json.enterObject(); m.nextMember(); {
		c.path.enterMember(m.key)
		c.checkScalar()
		c.path.leaveValue()
	}
}

// checkContexts requires an object of objects.
func (c *checker) checkContexts() {
	if c.json.peekByte() != '{' {
		c.refuseValue("an object")
		return
	}
	for members := c.json.enterObject(); members.nextMember(); {
		if c.json.peekByte() == 'n' {
			c.json.skipValue()
			continue
		}
		c.path.enterMember(members.key)
		c.checkAnyObject()
		c.path.leaveValue()
	}
}

// checkNaming checks the type, value or stack of an exception, which must have one of them.
func (c *checker) checkNaming() {
	if c.json.peekByte() != '"' {
		c.refuseValue("a text")
		return
	}
	c.isNamed = c.json.readString() != "" || c.isNamed
}

// checkExceptions requires one exception or a list of them.
func (c *checker) checkExceptions() {
	switch c.json.peekByte() {
	case '{':
		c.checkException()
	case '[':
		c.checkElements((*checker).checkException)
	default:
		c.refuseValue("an exception or a list of exceptions")
	}
}

func (c *checker) checkException() {
	c.isNamed = false
	before := len(c.details)
	c.checkMembers(nativeException)
	if !c.isNamed && len(c.details) == before {
		c.addDetail("an exception needs a type, a value or a stack")
	}
}

func (c *checker) checkEventID() {
	if c.json.peekByte() != '"' {
		c.refuseValue("a text")
		return
	}
	if _, ok := parseEventID(c.json.readString()); !ok {
		c.addDetail("must be 32 hexadecimal digits, with or without the dashes of a UUID")
	}
}

func (c *checker) checkTimestamp() {
	text := ""
	if c.json.peekByte() == '"' {
		text = c.json.readString()
	} else {
		text = c.json.readRaw()
	}
	if _, ok := parseTime(text); !ok && c.json.err == nil {
		c.addDetail("must be a time: RFC 3339, or seconds since 1970 as a number")
	}
}

func (c *checker) checkLevel() {
	if c.json.peekByte() != '"' {
		c.refuseValue("a text")
		return
	}
	if level := eventLevels[strings.ToLower(c.json.readString())]; level == "" {
		c.addDetail("must be fatal, error, warning, info or debug")
	}
}
