package stack

import (
	"strings"

	"errand/core"
)

// lineReaders read one line of a stack by itself, as languages print it. Of those that can, the first one wins.
var lineReaders = []func(line string) (core.Frame, bool){
	func(line string) (core.Frame, bool) { frame, _, ok := readFrameRuby(line); return frame, ok },
	readFrameJava, readFrameDotnet, readFrameV8, readFrameIn, readFramePython, readFrameGecko, readLocation,
}

// ParseLine reads one line of a stack that was taken apart, as some clients send it: as a language prints it, as
// "shop/cart.py:12 in add", or as the location alone. A line that is none of these is the file of the frame.
func ParseLine(line string) core.Frame {
	line = strings.TrimSpace(line)
	for _, read := range lineReaders {
		if frame, ok := read(line); ok {
			return frame
		}
	}
	return core.Frame{Filename: asUntrusted(line)}
}

// readFrameIn reads "file:12 in function", by which clients for Go, Python and others send a frame.
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
