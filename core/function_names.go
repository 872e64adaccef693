package core

import "strings"

const (
	// longestMinifiedName is the length up to which a function's name may come from a minifier, who uses it for another function
	// in the next build, when nothing else is known of it.
	longestMinifiedName = 2
	// longestCountedName is the length of the longest names that minifiers make: they count, and four letters are enough for
	// eight million functions. It is for names that the original source does not have.
	longestCountedName = 4
)

// AnonymousFunction is how a function is called that has no name in its source, as V8 and Sentry do.
const AnonymousFunction = "<anonymous>"

// IsShortName reports whether a name is so short that a minifier may have made it, or is empty.
func IsShortName(name string) bool { return len(name) <= longestMinifiedName }

// IsMinifiedName reports whether the name of a JavaScript function may be a minifier's, or is unknown.
func IsMinifiedName(function Untrusted) bool {
	_, name := splitFunction(function)
	return IsShortName(name)
}

// splitFunction returns a function of JavaScript as engines name it, and the part of it that a minifier may have changed: of Object.t
// [as pay], new t and async t it is t. A minifier renames classes too, but not their methods: of Eo.findPrice only the latter says
// something.
func splitFunction(text Untrusted) (function, name string) {
	function, _, _ = strings.Cut(string(text), " [as ") // the name under which it was called
	name = strings.TrimPrefix(function[strings.LastIndexByte(function, ' ')+1:], "Object.")
	if dot := strings.LastIndexByte(name, '.'); 0 < dot && dot <= longestMinifiedName {
		name = name[dot+1:]
		function = name
	}
	return function, name
}

// NameFromSource returns how the function of a mapped frame is called: by the name that it has in its source, which is empty for an
// anonymous function. What the engine sent stays where it ends in that name, unless a minifier may have renamed the class or object
// before it: class is the one around the function in its source, if any. So Cart.add stays, and Eo.add and Dae.add are both add.
func NameFromSource(sent Untrusted, name, class string) Untrusted {
	function, _, _ := strings.Cut(string(sent), " [as ")
	last := strings.TrimSuffix(function[strings.LastIndexAny(function, " ./*")+1:], "<") // in Firefox, outer/< is anonymous in outer
	isAnonymous := isAnonymousName(last)
	owner := findOwner(function)
	isRenamed := owner != "" && len(owner) <= longestCountedName && owner != class
	switch {
	case name == "" && (isRenamed || isAnonymous && function == last || !isAnonymous && isCounted(function, last)):
		return AnonymousFunction
	case name == "": // by its place, or the program named it while it ran
		return Untrusted(function)
	case isRenamed || isAnonymous || last != name:
		return Untrusted(name)
	}
	return Untrusted(function)
}

// isCounted reports whether a name may be a minifier's. The modules of bundles have names with a path, as in Object../src/cart.js.
func isCounted(function, last string) bool {
	return len(last) <= longestCountedName && !strings.Contains(function, "./")
}

// findOwner returns the class or object before the last part of a function's name: of "async Cart.add", "Cart.get add" and "Cart/add"
// it is Cart.
func findOwner(function string) string {
	at := strings.LastIndexAny(function, "./")
	if at < 0 {
		return ""
	}
	owner := function[:at]
	return owner[strings.LastIndexAny(owner, " *")+1:]
}

// isAnonymousName reports whether engines and SDKs call a function so that has no name.
func isAnonymousName(name string) bool {
	switch name {
	case "", "?", AnonymousFunction, "anonymous":
		return true
	}
	return false
}
