package core

import "strings"

// longestMinifiedName is the length up to which a function's name may come from a minifier, who uses it for another function
// in the next build.
const longestMinifiedName = 2

// FindFunction returns the name of the function of a frame, as far as it is known; stack has the most recent call first. Where a
// minifier renamed it and source maps were found, the caller's has the original name: it says what the identifier is called that
// the caller calls. It is empty where the event has no name, and the minifier's where no map has a better one.
//
// Everything that shows or compares functions reads them here.
func FindFunction(stack []Frame, i int) Untrusted {
	f := &stack[i]
	if f.Source == nil {
		return f.Function
	}
	function, name := splitFunction(f.Function)
	if len(name) > longestMinifiedName {
		return Untrusted(function)
	}
	if i+1 < len(stack) && stack[i+1].Source != nil && stack[i+1].Source.Name != "" {
		return stack[i+1].Source.Name
	}
	return Untrusted(function)
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

// IsMinifiedName reports whether the name of a JavaScript function may be a minifier's, or is unknown.
func IsMinifiedName(function Untrusted) bool {
	_, name := splitFunction(function)
	return len(name) <= longestMinifiedName
}
