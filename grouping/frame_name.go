package grouping

import (
	"strings"

	"errand/core"
)

// nameFrame returns frame i of a stack in words: "shop.orders in load", "load(/static/shop.js)".
func nameFrame(stack []core.Frame, i int, lang language) string {
	frame := &stack[i]
	function, module := string(core.ViewFrame(stack, i).Function), string(frame.Module)
	if lang == native {
		function = cutNativeSuffix(clipText(function))
	}
	if frame.Source != nil {
		module = sourceModule(string(frame.Source.Path))
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
