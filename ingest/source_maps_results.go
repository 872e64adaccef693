package ingest

import (
	"strings"

	"errand/core"
)

// mapResult is the outcome of looking for a frame's source map.
type mapResult uint8

const (
	mapUnknown mapResult = iota // not done yet
	mapFound
	mapNoStorage
	mapNoneOfProject
	mapNoneOfRelease
	mapNoneOfFile
	mapOtherDist
	mapNoneOfDebugID
	mapOtherBuild
	mapNoRelease
	mapNoPosition
	mapBroken
	mapFailed
	mapTooLate
	mapTooMany
	mapResultCount
)

// mapResults hold for each result its label in the metrics and its advice in the problems of an event.
var mapResults = [mapResultCount]struct {
	label     string // of the metric
	advice    string // after core.NotMapped
	isMissing bool   // reported only for a file that should have a map
}{
	mapUnknown: {label: "late"},
	mapFound:   {label: "mapped"},
	mapNoStorage: {"missing", "this server has no storage for source maps: set BLOBS, then upload the maps of the next release",
		true},
	mapNoneOfProject: {"missing", "the project has no source maps: upload those of each build before it goes live (errand sourcemaps upload)",
		true},
	mapNoneOfRelease: {"missing", "no source map was uploaded for the release: upload the maps of a build before it goes live, under the " +
		"release that the SDK sends", true},
	mapNoneOfFile: {"missing", "the release has source maps, but none of this file: upload it under the path of the file's URL", true},
	mapOtherDist: {"missing", "the source maps of this file were uploaded for other builds (dist) of the release: upload those of this " +
		"build, and set dist in the SDK as in the upload", true},
	mapNoneOfDebugID: {"missing", "no source map with the debug id of the file was uploaded, and the event has no release to look for",
		true},
	mapOtherBuild: {"missing", "the source map of this path has another debug id, so it is of another build: upload the map of this one",
		true},
	mapNoRelease: {"missing", "the event has neither a release nor a debug id of the file: set release in the SDK, or let the bundler's " +
		"plugin inject debug ids", true},
	mapNoPosition: {"no_position", "the source map of the file has nothing at this line and column: it may be of another build", true},
	mapBroken:     {"failed", "the stored source map is gone or broken: upload it again", false},
	mapFailed:     {"failed", "the storage of source maps could not be read: check BLOBS; events are mapped again when it can be", false},
	mapTooLate:    {"late", "the source map was not read within 200 ms; later events of the file are mapped", false},
	mapTooMany:    {"over_limit", "of one event at most 250 frames of 32 files are mapped", false},
}

// reason returns the text of the result in the problems of an event.
func (r mapResult) reason() string { return core.NotMapped + mapResults[r].advice }

// markUnmapped lists the frames that should have been mapped in the event's problems, and counts the result of each.
func (m *mapper) markUnmapped(e *core.Event, frames []minifiedFrame) {
	marks := 0
	for i := range frames {
		f := &frames[i]
		if mapResults[f.result].isMissing && !f.isOwed {
			continue
		}
		m.metrics.frames[f.result].Inc()
		if f.result == mapFound || marks == maxMapMarks {
			continue
		}
		marks++
		e.Problems = append(e.Problems, core.Problem{Path: f.path.String(), Reason: f.result.reason()})
	}
}

// markMinified lists the frames that look minified, for a project whose maps cannot be looked up.
func (m *mapper) markMinified(e *core.Event, why mapResult) {
	var frames []minifiedFrame
	walkFrames(e, func(path frameLocation, f *core.Frame) {
		if f.InApp && looksMinified(e.Platform, f) && len(frames) < maxMapMarks {
			frames = append(frames, minifiedFrame{frame: f, path: path, isOwed: true, result: why})
		}
	})
	m.markUnmapped(e, frames)
}

// farColumn is a sign of minified code: nobody writes lines this long.
const farColumn = 500

// looksMinified reports whether a frame of a page looks like minified code. It is called only where no map can say so.
func looksMinified(platform string, f *core.Frame) bool {
	file := fileOf(f)
	if f.Lineno == 0 || f.Colno == 0 || !isOfPage(platform, file) {
		return false
	}
	isNamed := f.Function != "" && f.Function != "?"
	return f.Colno > farColumn || strings.Contains(string(file), ".min.") || isNamed && core.IsMinifiedName(f.Function)
}

// walkFrames calls visit with each frame of the exceptions, then of the threads.
func walkFrames(e *core.Event, visit func(path frameLocation, f *core.Frame)) {
	for i := range e.Exceptions {
		for j := range e.Exceptions[i].Frames {
			visit(frameLocation{"exceptions", i, j}, &e.Exceptions[i].Frames[j])
		}
	}
	for i := range e.Threads {
		for j := range e.Threads[i].Frames {
			visit(frameLocation{"threads", i, j}, &e.Threads[i].Frames[j])
		}
	}
}
