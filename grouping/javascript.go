package grouping

import (
	"strings"

	"errand/core"
)

// appendJavaScript appends the last part of a function's name, which is the same in all engines: V8's "async Cart.add [as save]",
// Firefox's "promise callback*Cart.prototype.add" and Safari's "add" are all "add". It appends nothing for functions without a
// name.
func appendJavaScript(buf []byte, name string) []byte {
	name, _, _ = strings.Cut(clipTo(name, maxNameRead), " [as ")
	if i := strings.IndexByte(name, '('); i > 0 { // Promise.all (index 2)
		name = name[:i]
	}
	name = name[strings.LastIndexByte(name, '*')+1:]
	name = strings.TrimSpace(name)
	if i := strings.Index(name, "./"); i >= 0 { // Object../src/cart.js: the body of a module in a bundle
		return appendFileName(buf, name, javaScript)
	}
	name = strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], "<") // Firefox: outer/inner, outer/<
	name = name[strings.LastIndexByte(name, '.')+1:]
	if !isUnknownJavaScript(name) {
		name = name[strings.LastIndexByte(name, ' ')+1:] // async f, new F, get f, bound f
	}
	if isUnknownJavaScript(name) {
		return buf
	}
	return append(buf, name...)
}

func isUnknownJavaScript(name string) bool {
	switch name {
	case "eval", "eval code", "global code", "module code", "Global code", "Module code", "Anonymous function",
		"anonymous function":
		return true
	}
	return isUnknownName(name) || strings.HasPrefix(name, "<") || // <anonymous>, <computed>
		strings.HasPrefix(name, "wasm-function[") || strings.TrimFunc(name, isDigit) == "" // or the number of a bundle's module
}

// isEvaluated reports whether frames[i] is code that eval or new Function made from a text. Chrome and Firefox show it at the
// call of eval, for every function in that code; Safari and old Edge name no file.
func isEvaluated(frames []core.Frame, i int) bool {
	f := &frames[i]
	for j := i; j < len(frames) && j-i < maxEvaluated && isAtSamePlace(f, &frames[j]); j++ {
		if isEval(&frames[j]) {
			return true
		}
	}
	return false
}

// maxEvaluated is how many frames are searched for evaluated code.
const maxEvaluated = 20

func isAtSamePlace(a, b *core.Frame) bool {
	return a == b || a.Lineno == b.Lineno && a.Colno == b.Colno && frameFile(a) == frameFile(b) && (a.Lineno > 0 || frameFile(a) == "")
}

// isEval reports whether a frame is the body of evaluated code. The modules that development bundlers evaluate do not count: they
// have names that say more.
func isEval(f *core.Frame) bool {
	switch f.Function {
	case "eval", "eval code", "Eval code", "Object.eval", "Function code":
		return f.Source == nil && !strings.HasPrefix(frameFile(f), "webpack")
	}
	return false
}
