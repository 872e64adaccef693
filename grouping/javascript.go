package grouping

import "strings"

// appendJavaScript appends the last part of a function's name, which is what the engines agree on: V8's
// "async Cart.add [as save]", Firefox's "promise callback*Cart.prototype.add" and Safari's "add" are all "add".
// Functions without a name of their own give nothing.
func appendJavaScript(b []byte, name string) []byte {
	name, _, _ = strings.Cut(name, " [as ")
	if i := strings.IndexByte(name, '('); i > 0 { // Promise.all (index 2)
		name = name[:i]
	}
	name = name[strings.LastIndexByte(name, '*')+1:]
	name = strings.TrimSpace(name)
	if i := strings.Index(name, "./"); i >= 0 { // Object../src/cart.js: the body of a module in a bundle
		return appendFileName(b, name, javaScript)
	}
	name = strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], "<") // Firefox: outer/inner, outer/<
	name = name[strings.LastIndexByte(name, '.')+1:]
	if !isUnknownJavaScript(name) {
		name = name[strings.LastIndexByte(name, ' ')+1:] // async f, new F, get f, bound f
	}
	if isUnknownJavaScript(name) {
		return b
	}
	return append(b, name...)
}

func isUnknownJavaScript(name string) bool {
	switch name {
	case "eval", "eval code", "global code", "module code", "Global code", "Module code", "Anonymous function",
		"anonymous function":
		return true
	}
	return isUnknown(name) || strings.HasPrefix(name, "<") || // <anonymous>, <computed>
		strings.HasPrefix(name, "wasm-function[") || strings.TrimFunc(name, isDigit) == "" // or the number of a bundle's module
}
