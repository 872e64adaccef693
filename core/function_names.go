package core

import "strings"

const (
	// longestMinifiedName is the longest name of a function that may come from a minifier when nothing else is known
	// about it. A minifier uses the same name for another function in the next build.
	longestMinifiedName = 2
	// longestCountedName is the length of the longest names that minifiers make. They count up, and four letters are
	// enough for eight million functions. The limit is for names that the original source does not have.
	longestCountedName = 4
)

// AnonymousFunction is the name for a function that has no name in its source, as in V8 and Sentry.
const AnonymousFunction = "<anonymous>"

// IsShortName reports whether a name is empty, or so short that a minifier may have made it.
func IsShortName(name string) bool { return len(name) <= longestMinifiedName }

// IsMinifiedName reports whether the name of a JavaScript function may be a minifier's, or is unknown.
func IsMinifiedName(function Untrusted) bool {
	_, name := splitFunction(function)
	return IsShortName(name)
}

// splitFunction returns a function of JavaScript as engines name it, and the part of it that a minifier may have changed: t for "Object.t
// [as pay]", "new t" and "async t". A minifier renames classes too, but not their methods: in Eo.findPrice only findPrice is meaningful.
func splitFunction(text Untrusted) (function, name string) {
	function, _, _ = strings.Cut(string(text), " [as ") // the name that the caller used
	name = strings.TrimPrefix(function[strings.LastIndexByte(function, ' ')+1:], "Object.")
	if dot := strings.LastIndexByte(name, '.'); 0 < dot && dot <= longestMinifiedName {
		name = name[dot+1:]
		function = name
	}
	return function, name
}

// NameFromSource returns the name of a mapped frame's function: the name in its source, which is empty for an anonymous function. The
// engine's name stays when it ends in that name, unless a minifier may have renamed the class or object before it; class is the class
// around the function in its source, if any. So Cart.add stays, and Eo.add and Dae.add both become add.
func NameFromSource(sent Untrusted, name, class string) Untrusted {
	function, _, _ := strings.Cut(string(sent), " [as ")
	last := strings.TrimSuffix(function[strings.LastIndexAny(function, " ./*")+1:], "<") // in Firefox, outer/< is anonymous in outer
	isAnonymous := isAnonymousName(last)
	owner := findOwner(function)
	isRenamed := owner != "" && len(owner) <= longestCountedName && owner != class
	switch {
	case name == "" && (isRenamed || isAnonymous && function == last || !isAnonymous && isCounted(function, last)):
		return AnonymousFunction
	case name == "": // the engine named it by its place, or the program named it at run time
		return Untrusted(function)
	case isRenamed || isAnonymous || last != name:
		return Untrusted(name)
	}
	return Untrusted(function)
}

// isCounted reports whether a minifier may have made a name. Names of modules in bundles contain a path, as in Object../src/cart.js.
func isCounted(function, last string) bool {
	return len(last) <= longestCountedName && !strings.Contains(function, "./")
}

// findOwner returns the class or object before the last part of a function's name: Cart for "async Cart.add",
// "Cart.get add" and "Cart/add".
func findOwner(function string) string {
	at := strings.LastIndexAny(function, "./")
	if at < 0 {
		return ""
	}
	owner := function[:at]
	return owner[strings.LastIndexAny(owner, " *")+1:]
}

// isAnonymousName reports whether engines and SDKs use the name for functions without a name.
func isAnonymousName(name string) bool {
	switch name {
	case "", "?", AnonymousFunction, "anonymous":
		return true
	}
	return false
}
