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

// details are the ways of telling exceptions apart, the best first: the next is tried when no exception has one.
var details = [...]detail{byStack, byValue}

// writeExceptions writes the chain or tree of exceptions, and reports whether there was anything to write.
func (d *digest) writeExceptions(e *core.Event) bool {
	if isLogMessage(e) {
		return false
	}
	lang := languageOfPlatform(e.Platform)
	start := len(d.buf)
	d.writePart("exceptions")
	if isExceptionTree(e.Exceptions) {
		if units, found := findTreeUnits(e.Exceptions, lang); found {
			d.writeUnits(units)
			return true
		}
		d.buf = d.buf[:start]
		return false
	}
	chain := len(d.buf)
	for _, by := range details {
		if d.writeChain(e.Exceptions, by, lang) {
			return true
		}
		d.buf = d.buf[:chain]
	}
	d.buf = d.buf[:start]
	return false
}

// writeChain writes an exception and its causes by one detail, and reports whether any of them has it.
func (d *digest) writeChain(exceptions []core.Exception, by detail, lang language) (found bool) {
	for i := range exceptions {
		if d.writeException(&exceptions[i], by, lang) {
			found = true
		}
	}
	return found
}

// writeException writes one exception by one detail, and reports whether it has that.
func (d *digest) writeException(x *core.Exception, by detail, lang language) bool {
	kind := string(x.Type)
	if hasMadeUpType(x) && (by == byStack || x.Value != "") {
		kind = ""
	}
	if by == byStack {
		return d.writeTypeAndStack(x, kind, lang)
	}
	kind, value := describeException(kind, string(x.Value), lang)
	d.writePart(kind)
	d.writePart(value)
	return kind != "" || value != ""
}

// writeTypeAndStack writes an exception's type and stack, and reports whether it has a usable stack. Where these are vague
// about what happened, the value is written too: the frame of the crash says nothing, or type and stack are those of
// the one function through which an application reports all its errors.
func (d *digest) writeTypeAndStack(x *core.Exception, kind string, lang language) bool {
	isOverflow := isStackOverflow(x)
	if isOverflow {
		kind = endlessRecursion // engines of JavaScript give it different types
	}
	d.writePart(simplifyType(kind))
	start := d.openPart()
	if isOverflow && d.writeRecursion(x.Frames, lang) {
		d.closePart(start)
		return true
	}
	used, vague := d.writeStack(x.Frames, lang)
	d.closePart(start)
	if vague || isThrownValue(x, lang) || isPlainType(x, lang) {
		_, value := describeException(kind, string(x.Value), lang)
		d.writePart(value)
	}
	return used
}

// describeException returns the type and the value of an exception without what differs from one occurrence to the next.
func describeException(kind, value string, lang language) (string, string) {
	value = firstLine(value)
	if lang == javaScript || lang == unknownLanguage {
		if wording, ok := unifyBrowserWording(value); ok {
			return "", wording
		}
	}
	return simplifyType(kind), ParameterizeText(value)
}

// simplifyType is the name of an exception's class without type arguments and without the names that a runtime makes up
// for anonymous classes.
func simplifyType(kind string) string {
	kind = clipTo(kind, maxNameRead)
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
		return ParameterizeText(kind)
	case kind[i] == '$':
		return string(appendJVM(nil, kind))
	}
	if strings.Contains(kind, "0x") {
		return ParameterizeText(kind)
	}
	return kind
}
