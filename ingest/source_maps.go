package ingest

import (
	"strings"
	"time"

	"errand/core"
	"errand/sourcemap"
)

// What mapping may take of one event.
const (
	mapEventWithin = 50 * time.Millisecond // what is not mapped by then stays as it was sent
	maxMapped      = 250                   // frames
	maxMapFiles    = 32                    // files that they are of
	maxMapContext  = 64 << 10              // bytes of the lines around them; their own lines come beside
	contextLines   = 5                     // before a frame's line, and after it
	maxMapMarks    = 20                    // frames that are named in the problems of the event
)

// Why a frame was not mapped, in the problems of an event.
const (
	mapMissing = "not mapped: no source map of its file was uploaded for the release"
	mapFailed  = "not mapped: the source map could not be read"
	mapTooLate = "not mapped: the source map was not read within 50 ms"
)

// minifiedFrame is a frame that a source map may be found for.
type minifiedFrame struct {
	frame   *core.Frame
	path    frameLocation
	file    int // index of its file
	isOwed  bool
	outcome mappedFrame
}

// frameLocation is where a frame stands in the event.
type frameLocation struct {
	list         string // exceptions or threads
	owner, frame int
}

// mappedFrame is what a source map says of a frame.
type mappedFrame struct {
	isFound  bool
	position sourcemap.Position
	context  sourcemap.Context
}

// mapEvent finds where the frames of minified JavaScript were written. What was sent of a frame stays as it is, but for the lines
// of code around it; Source is beside it. An event that has nothing to map costs nothing.
func (m *mapper) mapEvent(project *knownProject, e *core.Event) {
	if m.blobs == nil || !project.HasSourceMaps || e.Platform != "javascript" && e.Platform != "node" {
		return
	}
	work := collectMinified(e)
	if work == nil {
		return
	}
	work.project = project.ID
	m.mapWithin(work)
	applyMapping(e, work)
}

// collectMinified returns the frames for which a map can be looked up: by release and path, or by a debug id. It is nil when
// there are none. The work holds no text of the event, whose memory is used again.
func collectMinified(e *core.Event) *mapping {
	debugIDs := debugIDsOf(e)
	if e.Release == "" && debugIDs == nil {
		return nil
	}
	c := minifiedCollector{debugIDs: debugIDs, files: map[core.Untrusted]int{}}
	for i := range e.Exceptions {
		c.addFrames("exceptions", i, e.Exceptions[i].Frames)
	}
	for i := range e.Threads {
		c.addFrames("threads", i, e.Threads[i].Frames)
	}
	if len(c.work.frames) == 0 {
		return nil
	}
	c.work.release = strings.Clone(string(e.Release))
	return &c.work
}

// debugIDsOf returns the debug ids of the event's files, by their URLs.
func debugIDsOf(e *core.Event) map[core.Untrusted]string {
	var ids map[core.Untrusted]string
	for i := range e.DebugImages {
		image := &e.DebugImages[i]
		if image.Type != "sourcemap" || image.CodeFile == "" {
			continue
		}
		if ids == nil {
			ids = map[core.Untrusted]string{}
		}
		ids[image.CodeFile] = normalizeDebugID(string(image.DebugID))
	}
	return ids
}

// normalizeDebugID returns a debug id in lower case with hyphens, as indexes have it.
func normalizeDebugID(text string) string {
	text = strings.ReplaceAll(strings.ToLower(text), "-", "")
	if len(text) != 32 {
		return ""
	}
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// minifiedCollector gathers the frames of an event.
type minifiedCollector struct {
	debugIDs map[core.Untrusted]string
	files    map[core.Untrusted]int // by abs_path; -1 for one that has no map
	work     mapping
}

func (c *minifiedCollector) addFrames(list string, owner int, frames []core.Frame) {
	for i := range frames {
		f := &frames[i]
		if f.Lineno == 0 || f.Colno == 0 || len(c.work.frames) == maxMapped {
			continue
		}
		file := c.addFile(f)
		if file < 0 {
			continue
		}
		minified := minifiedFrame{frame: f, path: frameLocation{list, owner, i}, file: file, isOwed: f.InApp && c.work.files[file].isOwed}
		c.work.frames = append(c.work.frames, minified)
		c.work.places = append(c.work.places, mapPlace{file, int(f.Lineno), int(f.Colno)})
	}
}

// addFile returns the index of the frame's file, -1 when it is no file that a map can be of.
func (c *minifiedCollector) addFile(f *core.Frame) int {
	name := f.AbsPath
	if name == "" {
		name = f.Filename
	}
	if index, isKnown := c.files[name]; isKnown {
		return index
	}
	index := -1
	path, err := sourcemap.ResolveName(string(name))
	if err == nil && !strings.ContainsAny(path, "<>") && len(c.work.files) < maxMapFiles {
		index = len(c.work.files)
		debugID := c.debugIDs[name]
		// A server's own files are seldom minified: nobody misses their maps.
		isOwed := debugID != "" || strings.Contains(string(name), "://")
		c.work.files = append(c.work.files, mapFile{path: path, debugID: debugID, isOwed: isOwed})
	}
	c.files[name] = index
	return index
}

// applyMapping writes into the event what the maps said.
func applyMapping(e *core.Event, work *mapping) {
	for i := range work.frames {
		minified := &work.frames[i]
		if !minified.outcome.isFound {
			continue
		}
		position, f := &minified.outcome.position, minified.frame
		source := cleanSource(position.Source)
		// The name is of the identifier at the place: where a function is called, it is that of the function of the frame before.
		// So readers find the original name of a frame's function in its caller's source (grouping.FindCulprit).
		f.Source = &core.SourcePosition{
			Name: core.Untrusted(position.Name), Path: core.Untrusted(source),
			Line: core.OptInt(position.Line), Column: core.OptInt(position.Column),
		}
		f.InApp = f.InApp && !position.Ignored && !isFromLibrary(source)
		f.ContextLine = core.Untrusted(minified.outcome.context.Line)
		f.PreContext, f.PostContext = untrustedLines(minified.outcome.context.Before), untrustedLines(minified.outcome.context.After)
	}
	markUnmapped(e, work)
}

func untrustedLines(lines []string) core.List[core.Untrusted] {
	var list core.List[core.Untrusted]
	for _, line := range lines {
		list = append(list, core.Untrusted(line))
	}
	return list
}

// cleanSource returns the path of an original file as the repository has it: webpack://shop/./src/pay.ts?1a2b and ../../src/pay.ts
// are src/pay.ts.
func cleanSource(url string) string {
	path := url
	if rest, isWebpack := strings.CutPrefix(url, "webpack://"); isWebpack {
		_, path, _ = strings.Cut(rest, "/")
		path, _, _ = strings.Cut(path, "?")
	}
	for {
		shorter := strings.TrimPrefix(strings.TrimPrefix(path, "./"), "../")
		if shorter == path {
			break
		}
		path = shorter
	}
	if path == "" {
		return url
	}
	return path
}

// isFromLibrary reports whether an original file is not the application's own. Pages call all their code their own: only the map
// shows what a bundle was made of.
func isFromLibrary(source string) bool {
	return strings.Contains(source, "node_modules/") || strings.HasPrefix(source, "webpack/")
}

// markUnmapped names in the event's problems the frames of the application that should have been mapped.
func markUnmapped(e *core.Event, work *mapping) {
	marks := 0
	for i := range work.frames {
		minified := &work.frames[i]
		reason := work.files[minified.file].problem
		if reason == "" && !work.isDone && !minified.outcome.isFound {
			reason = mapTooLate
		}
		if reason == "" || reason == mapMissing && !minified.isOwed || marks == maxMapMarks {
			continue
		}
		marks++
		e.Problems = append(e.Problems, core.Problem{Path: minified.path.String(), Reason: reason})
	}
}
