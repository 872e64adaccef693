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
	if IsMinifiedName(f.Function) {
		if i+1 < len(stack) && stack[i+1].Source != nil && stack[i+1].Source.Name != "" {
			return stack[i+1].Source.Name
		}
		return f.Function
	}
	if class, method, isMethod := strings.Cut(string(f.Function), "."); isMethod && len(class) <= longestMinifiedName {
		return Untrusted(method) // the minifier renamed the class, not what others call it by
	}
	return f.Function
}

// IsMinifiedName reports whether the name of a JavaScript function may be a minifier's, or is unknown: t, Object.t, new t.
func IsMinifiedName(function Untrusted) bool {
	name, _, _ := strings.Cut(string(function), " [as ")
	return len(name[strings.LastIndexAny(name, ". ")+1:]) <= longestMinifiedName
}
