package grouping

import (
	"strings"

	"errand/core"
)

// nameFrame returns a frame of a stack in words: "shop.orders in load", "load(/static/shop.js)".
func nameFrame(frame *core.Frame, stack []core.Frame, lang language) string {
	function, module := string(frame.Function), string(frame.Module)
	if lang == native {
		function = cutNativeSuffix(clipText(function))
	}
	if frame.Source != nil {
		function, module = mappedFunction(frame, stack), sourceModule(string(frame.Source.Path))
	}
	file := module
	switch {
	case module != "":
	case lang == native:
		file = sourceModule(baseName(frameFile(frame)))
	default:
		file = cutOrigin(frameFile(frame))
	}
	switch {
	case isUnknownName(function) && file == "":
		return ""
	case file == "":
		return function
	case function == "":
		function = "?"
	}
	if lang == javaScript && (module == "" || isUnknownName(function)) {
		return function + "(" + file + ")"
	}
	return file + " in " + function
}

// baseName returns the last part of a path.
func baseName(path string) string {
	path = path[strings.LastIndexByte(path, '/')+1:]
	return path[strings.LastIndexByte(path, '\\')+1:]
}

// mappedFunction returns the name of a function that a source map led to. Where a minifier renamed it, the map knows how
// the caller calls it: that is the name at the position of the next frame. A minifier renames classes too, but not their
// methods: of Eo.findPrice only the latter says something.
func mappedFunction(frame *core.Frame, stack []core.Frame) string {
	function, _, _ := strings.Cut(string(frame.Function), " [as ") // the name under which it was called
	name := function[strings.LastIndexByte(function, ' ')+1:]      // async f, new F
	if dot := strings.LastIndexByte(name, '.'); 0 < dot && dot <= longestMinifiedName {
		name = name[dot+1:]
		function = name
	}
	if len(name) > longestMinifiedName {
		return function
	}
	for i := range stack[:len(stack)-1] {
		if caller := stack[i+1].Source; &stack[i] == frame && caller != nil && caller.Name != "" {
			return string(caller.Name)
		}
	}
	return function
}

// cutOrigin returns the path of a URL; any other path stays as it is.
func cutOrigin(path string) string {
	if !isURL(path) {
		return path
	}
	_, rest, _ := strings.Cut(path, "://")
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		return rest[slash:]
	}
	return rest
}

// sourceModule returns a source's path as a module: "webpack://shop/./src/cart.ts?a1" is "src/cart".
func sourceModule(path string) string {
	if _, rest, found := strings.Cut(path, "://"); found {
		_, path, _ = strings.Cut(rest, "/")
	}
	path, _, _ = strings.Cut(path, "?")
	for strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || strings.HasPrefix(path, "/") {
		_, path, _ = strings.Cut(path, "/")
	}
	if dot := strings.LastIndexByte(path, '.'); dot > strings.LastIndexByte(path, '/')+1 {
		path = path[:dot]
	}
	return path
}
