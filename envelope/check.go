package envelope

import (
	"maps"
	"slices"
	"strings"

	"errand/core"
)

// maxDetails bounds what is told about one event.
const maxDetails = 20

// checker holds a body against the native format.
type checker struct {
	scanner
	path    path
	details []core.Detail
	named   bool // the exception at hand has something that tells it from others
}

// check reads one value and tells what is wrong with it. Null is an absent value and never reaches it.
type check func(*checker)

// event checks the whole body.
func (c *checker) event() []core.Detail {
	if c.peek() != '{' {
		c.want("an object")
		return c.details
	}
	c.members(nativeEvent)
	if c.err == nil && !c.end() {
		c.fail("more text behind the event")
	}
	if c.err != nil {
		return []core.Detail{{Message: c.err.Error()}}
	}
	return c.details
}

// member checks one member of an object.
func (c *checker) member(f fields, name string) {
	c.path.enter(name)
	defer c.path.leave()
	if check, ok := f.known[name]; ok {
		check(c)
		return
	}
	if !f.open {
		c.tell("not a field of " + f.what + "; allowed are " + strings.Join(slices.Sorted(maps.Keys(f.known)), ", "))
	}
	c.skip()
}

func (c *checker) tell(message string) {
	if len(c.details) < maxDetails {
		c.details = append(c.details, core.Detail{Path: c.path.String(), Message: message})
	}
}

// want tells that another kind of value is needed, and leaves out this one.
func (c *checker) want(kind string) {
	c.tell("must be " + kind + ", not " + c.kind())
	c.skip()
}

// kind names what comes next.
func (c *checker) kind() string {
	switch c.peek() {
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

func (c *checker) text() {
	if c.peek() != '"' {
		c.want("a text")
		return
	}
	c.skip()
}

func (c *checker) number() {
	if ch := c.peek(); ch != '-' && (ch < '0' || ch > '9') {
		c.want("a number")
		return
	}
	c.skip()
}

func (c *checker) boolean() {
	if ch := c.peek(); ch != 't' && ch != 'f' {
		c.want("true or false")
		return
	}
	c.skip()
}

// scalar takes a text, a number or a boolean.
func (c *checker) scalar() {
	if ch := c.peek(); ch == '{' || ch == '[' {
		c.want("a text, a number or a boolean")
		return
	}
	c.skip()
}

func (c *checker) anyValue() { c.skip() }

func (c *checker) anyObject() {
	if c.peek() != '{' {
		c.want("an object")
		return
	}
	c.skip()
}

func objectOf(f fields) check {
	return func(c *checker) { c.members(f) }
}

// members checks an object, whose null members are absent.
func (c *checker) members(f fields) {
	if c.peek() != '{' {
		c.want("an object")
		return
	}
	for m := c.object(); m.next(); {
		if c.peek() == 'n' {
			c.skip()
		} else {
			c.member(f, m.key)
		}
	}
}

func listOf(element check) check {
	return func(c *checker) {
		if c.peek() != '[' {
			c.want("a list")
			return
		}
		c.elements(element)
	}
}

func (c *checker) elements(element check) {
	i := 0
	for e := c.array(); e.next(); i++ {
		c.path.index(i)
		element(c)
		c.path.leave()
	}
}

// tags takes an object of texts, numbers and booleans.
func (c *checker) tags() {
	if c.peek() != '{' {
		c.want("an object")
		return
	}
	for m := c.object(); m.next(); {
		c.path.enter(m.key)
		c.scalar()
		c.path.leave()
	}
}

// contexts takes an object of objects.
func (c *checker) contexts() {
	if c.peek() != '{' {
		c.want("an object")
		return
	}
	for m := c.object(); m.next(); {
		if c.peek() == 'n' {
			c.skip()
			continue
		}
		c.path.enter(m.key)
		c.anyObject()
		c.path.leave()
	}
}

// naming takes a text that tells an exception from others.
func (c *checker) naming() {
	if c.peek() != '"' {
		c.want("a text")
		return
	}
	c.named = c.str() != "" || c.named
}

// exceptions takes one exception or a list of them.
func (c *checker) exceptions() {
	switch c.peek() {
	case '{':
		c.exception()
	case '[':
		c.elements((*checker).exception)
	default:
		c.want("an exception or a list of exceptions")
	}
}

func (c *checker) exception() {
	c.named = false
	before := len(c.details)
	c.members(nativeException)
	if !c.named && len(c.details) == before {
		c.tell("an exception needs a type, a value or a stack")
	}
}

func (c *checker) eventID() {
	if c.peek() != '"' {
		c.want("a text")
		return
	}
	if _, ok := parseEventID(c.str()); !ok {
		c.tell("must be 32 hexadecimal digits, with or without the dashes of a UUID")
	}
}

func (c *checker) timestamp() {
	text := ""
	if c.peek() == '"' {
		text = c.str()
	} else {
		text = c.raw()
	}
	if _, ok := parseTime(text); !ok && c.err == nil {
		c.tell("must be a time: RFC 3339, or seconds since 1970 as a number")
	}
}

func (c *checker) level() {
	if c.peek() != '"' {
		c.want("a text")
		return
	}
	if level := levels[strings.ToLower(c.str())]; level == "" {
		c.tell("must be fatal, error, warning, info or debug")
	}
}
