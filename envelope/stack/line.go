package stack

import (
	"strings"

	"errand/core"
)

// lineReaders read a single line of a stack in the format of a language. The first one that can read the line wins.
var lineReaders = []func(line string) (core.Frame, bool){
	func(line string) (core.Frame, bool) { frame, _, ok := readFrameRuby(line); return frame, ok },
	readFrameJava, readFrameDotnet, readFrameV8, readFrameIn, readFramePython, readFrameGecko, readLocation,
}

// ParseLine reads one line of a stack that was split, as some clients send it: in the format of a language, as "shop/cart.py:12
// in add", or as the location alone. A line in none of these formats is the file of the frame.
func ParseLine(line string) core.Frame {
	line = strings.TrimSpace(line)
	for _, read := range lineReaders {
		if frame, ok := read(line); ok {
			return frame
		}
	}
	return core.Frame{Filename: asUntrusted(line)}
}

// readFrameIn reads "file:12 in function", the form of clients for Go, Python and others.
func readFrameIn(line string) (core.Frame, bool) {
	location, function, found := cutLast(line, " in ")
	location, isUnknown := strings.CutSuffix(location, ":0") // as of calls that the language itself makes
	file, lineno, column := cutPosition(location)
	if !found || lineno == 0 && !isUnknown {
		return core.Frame{}, false
	}
	if strings.HasSuffix(file, ".go") || strings.HasSuffix(file, ".s") {
		return readFrameGo(function, location)
	}
	return core.Frame{
		Function: asUntrusted(strings.TrimSpace(function)), Filename: asUntrusted(cutToImportPath(file)), AbsPath: asUntrusted(file),
		Lineno: lineno, Colno: column,
	}, true
}

// readLocation reads "file:12" and "file:12:5".
func readLocation(line string) (core.Frame, bool) {
	file, lineno, column := cutPosition(line)
	return core.Frame{Filename: asUntrusted(file), Lineno: lineno, Colno: column}, lineno != 0
}
