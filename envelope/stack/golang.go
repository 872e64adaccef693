package stack

import (
	"strings"

	"errand/core"
)

// parseGo reads the output of an uncaught panic or runtime/debug.Stack: the panic, then for each goroutine two lines per call,
// the function and its file. Only the first goroutine counts: it is the one that failed.
func parseGo(lines []string) []Trace {
	var trace Trace
	function := ""
	goroutines := 0
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "panic: ") && goroutines == 0:
			trace.Type, trace.Value = "panic", cutRecovered(line[len("panic: "):])
		case strings.HasPrefix(line, "fatal error: ") && goroutines == 0:
			trace.Type, trace.Value = "fatal error", line[len("fatal error: "):]
		case strings.HasPrefix(line, "goroutine "):
			goroutines++
		case goroutines > 1, strings.HasPrefix(line, "created by "):
			function = ""
		case strings.HasPrefix(line, "\t") && function != "":
			if f, ok := readFrameGo(function, line[1:]); ok {
				trace.Frames = append(trace.Frames, f)
			}
			function = ""
		default:
			function = strings.TrimSpace(line)
		}
	}
	trace.Frames = cutPanicHandlers(trace.Frames)
	return requireFrames([]Trace{trace})
}

// cutRecovered drops the note "[recovered]" of a panic that was raised again.
func cutRecovered(text string) string {
	text, _, _ = strings.Cut(text, " [recovered]")
	return text
}

func readFrameGo(call, location string) (core.Frame, bool) {
	location = strings.TrimSpace(location)
	if i := strings.LastIndex(location, " +0x"); i > 0 {
		location = location[:i]
	}
	file, line, _ := cutPosition(location)
	if line == 0 || call == "" {
		return core.Frame{}, false
	}
	if open := findOpenParenthesis(call); open > 0 {
		call = call[:open]
	}
	slash := strings.LastIndexByte(call, '/')
	module, function := "", call
	if dot := strings.IndexByte(call[slash+1:], '.'); dot >= 0 {
		module, function = call[:slash+1+dot], call[slash+1+dot+1:]
	}
	return core.Frame{
		Function: asUntrusted(function), Module: asUntrusted(module), AbsPath: asUntrusted(file), Filename: asUntrusted(file), Lineno: line,
	}, true
}

// cutPanicHandlers leaves out the calls that handled a panic (deferred functions, recover, debug.Stack): the error is below them.
func cutPanicHandlers(frames []core.Frame) []core.Frame {
	for i := len(frames) - 1; i >= 0; i-- {
		if frames[i].Module == "" && frames[i].Function == "panic" || frames[i].Module == "runtime" && frames[i].Function == "gopanic" {
			return frames[i+1:]
		}
	}
	if len(frames) > 1 && frames[0].Module == "runtime/debug" {
		return frames[1:]
	}
	return frames
}
