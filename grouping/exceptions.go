package grouping

import (
	"strings"

	"errand/core"
)

// detail is how exceptions are told apart.
type detail uint8

const (
	byStack detail = iota // by type and stack trace; an exception without a stack by its type
	byValue               // by type and parameterised value, when no exception has a usable stack
)

// exceptions writes the chain or tree of exceptions, and reports whether there was anything to write.
func (d *digest) exceptions(e *core.Event) bool {
	if isMessage(e) {
		return false
	}
	lang := languageOf(e.Platform)
	start := len(d.buf)
	for _, by := range [...]detail{byStack, byValue} {
		d.part("exceptions")
		if d.chain(e.Exceptions, by, lang) {
			return true
		}
		d.buf = d.buf[:start]
	}
	return false
}

// chain writes all exceptions by one detail, and reports whether any of them has it.
func (d *digest) chain(list []core.Exception, by detail, lang language) bool {
	if isTree(list) {
		units, found := newTree(list, by, lang).all()
		d.units(units)
		return found
	}
	found := false
	for i := range list {
		if d.exception(&list[i], by, lang) {
			found = true
		}
	}
	return found
}

// exception writes one exception by one detail, and reports whether it has that.
func (d *digest) exception(x *core.Exception, by detail, lang language) bool {
	kind := string(x.Type)
	if isMadeUp(x) && (by == byStack || x.Value != "") {
		kind = ""
	}
	if by == byStack {
		return d.typeAndStack(x, kind, lang)
	}
	kind, value := describe(kind, string(x.Value), lang)
	d.part(kind)
	d.part(value)
	return kind != "" || value != ""
}

// typeAndStack writes an exception's type and stack, and reports whether it has a usable stack. Where these are vague
// about what happened, the value is written too: the frame of the crash says nothing, or type and stack are those of
// the one function through which an application reports all its errors.
func (d *digest) typeAndStack(x *core.Exception, kind string, lang language) bool {
	isOverflow := overflows(x)
	if isOverflow {
		kind = endlessRecursion // engines of JavaScript give it different types
	}
	d.part(plainType(kind))
	start := d.open()
	if isOverflow && d.cycle(x.Frames, lang) {
		d.close(start)
		return true
	}
	used, vague := d.stack(x.Frames, lang)
	d.close(start)
	if vague || isThrownValue(x, lang) || isPlainType(x, lang) {
		_, value := describe(kind, string(x.Value), lang)
		d.part(value)
	}
	return used
}

// describe returns the type and the value of an exception without what differs from one occurrence to the next.
func describe(kind, value string, lang language) (string, string) {
	value = firstLine(value)
	if lang == javaScript || lang == unknownLanguage {
		if wording, ok := browserWording(value); ok {
			return "", wording
		}
	}
	return plainType(kind), Parameterize(value)
}

// plainType is the name of an exception's class without type arguments and without the names that a runtime makes up
// for anonymous classes.
func plainType(kind string) string {
	kind = clipTo(kind, maxName)
	switch i := strings.IndexAny(kind, "`[@#$ "); {
	case i < 0:
		return kind
	case kind[i] == '`', kind[i] == '[': // List`1[[System.Int32]], *app.NotFound[go.shape.int]
		if i > 0 {
			return kind[:i]
		}
	case strings.HasPrefix(kind[i:], "@anonymous"): // class@anonymous/app/src/a.php:12$0
		return kind[:i+len("@anonymous")]
	case strings.HasPrefix(kind, "#<"): // #<Class:0x00007f8b1c0a>
		return Parameterize(kind)
	case kind[i] == '$':
		return string(appendJVM(nil, kind))
	}
	if strings.Contains(kind, "0x") {
		return Parameterize(kind)
	}
	return kind
}
