package grouping

import (
	"strings"

	"errand/core"
)

// detail is a property that distinguishes exceptions.
type detail uint8

const (
	byStack detail = iota // by type and stack trace; an exception without a stack by its type
	byValue               // by type and parameterised value, when no exception has a usable stack
)

// details are tried in order, the best first: the next one is tried when no exception has this one.
var details = [...]detail{byStack, byValue}

// writeExceptions writes the chain or tree of exceptions, and reports whether there was anything to write.
func (d *digest) writeExceptions(event *core.Event) bool {
	if isLogMessage(event) {
		return false
	}
	lang := languageOfPlatform(event.Platform)
	start := len(d.buf)
	d.writePart("exceptions")
	if isExceptionTree(event.Exceptions) {
		if units, found := findTreeUnits(event.Exceptions, lang); found {
			d.writeUnits(units)
			return true
		}
		d.buf = d.buf[:start]
		return false
	}
	chain := len(d.buf)
	for _, by := range details {
		if d.writeChain(event.Exceptions, by, lang) {
			return true
		}
		d.buf = d.buf[:chain]
	}
	d.buf = d.buf[:start]
	return false
}

// writeChain writes one detail of an exception and its causes, and reports whether any of them has it.
func (d *digest) writeChain(exceptions []core.Exception, by detail, lang language) (found bool) {
	for i := range exceptions {
		if d.writeException(&exceptions[i], by, lang) {
			found = true
		}
	}
	return found
}

// writeException writes one detail of an exception, and reports whether the exception has it.
func (d *digest) writeException(exception *core.Exception, by detail, lang language) bool {
	kind := string(exception.Type)
	if hasMadeUpType(exception) && (by == byStack || exception.Value != "") {
		kind = ""
	}
	if by == byStack {
		return d.writeTypeAndStack(exception, kind, lang)
	}
	kind, value := describeException(kind, string(exception.Value), lang)
	d.writePart(kind)
	d.writePart(value)
	return kind != "" || value != ""
}

// writeTypeAndStack writes an exception's type and stack, and reports whether it has a usable stack. The value is also written
// when type and stack do not describe the error: the crash frame says nothing, or an application reports all its errors through
// one function.
func (d *digest) writeTypeAndStack(exception *core.Exception, kind string, lang language) bool {
	isOverflow := isStackOverflow(exception)
	if isOverflow {
		kind = endlessRecursion // JavaScript engines have different types for it
	}
	d.writePart(simplifyType(kind))
	start := d.openPart()
	if isOverflow && d.writeRecursion(exception.Frames, lang) {
		d.closePart(start)
		return true
	}
	hasKeys, isVague := d.writeStack(exception.Frames, lang)
	d.closePart(start)
	if isVague || isThrownValue(exception, lang) || isPlainType(exception, lang) {
		_, value := describeException(kind, string(exception.Value), lang)
		d.writePart(value)
	}
	return hasKeys
}

// describeException returns the type and the value of an exception without the parts that differ between occurrences.
func describeException(kind, value string, lang language) (string, string) {
	value = firstLine(value)
	if lang == javaScript || lang == unknownLanguage {
		if wording, ok := unifyBrowserWording(value); ok {
			return "", wording
		}
	}
	return simplifyType(kind), ParameterizeText(value)
}

// simplifyType returns the name of an exception's class without type arguments and without the additions of a runtime to the
// names of anonymous classes: "*app.NotFound[int]" is "*app.NotFound".
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
