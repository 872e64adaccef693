package ingest

import (
	"strings"
	"time"

	"errand/core"
	"errand/sourcemap"
)

// The limits of mapping one event.
const (
	mapEventWithin = 200 * time.Millisecond // a frame that is not mapped in time stays as it was sent, and makes a separate issue
	maxMapped      = 250                    // frames
	maxMapFiles    = 32                     // of the frames
	maxMapContext  = 64 << 10               // bytes of the lines around frames; the frames' lines are extra
	contextLines   = 5                      // before a frame's line, and after it
	maxMapMarks    = 20                     // frames named in the problems of the event
)

// minifiedFrame is a frame that needs a source map.
type minifiedFrame struct {
	frame   *core.Frame
	path    frameLocation
	file    int  // index of its file, or a negative value such as noFile
	isOwed  bool // the event says so when the map is missing
	result  mapResult
	place   int // index of its place
	outcome mappedFrame
}

// frameLocation is where a frame stands in the event.
type frameLocation struct {
	list         string // exceptions or threads
	owner, frame int
}

// mappedFrame is the answer of a source map for a frame.
type mappedFrame struct {
	isDone   bool // the map was asked
	isFound  bool
	position sourcemap.Position
	context  sourcemap.Context

	function    sourcemap.Function
	hasFunction bool
}

// mapEvent finds the original positions of frames of minified JavaScript. It reports whether it changed any, whose texts must
// then be scrubbed. The sent fields of a frame stay, except the lines of code around it; the original position goes into Source.
// An event without such frames costs nothing.
func (m *mapper) mapEvent(project *knownProject, e *core.Event, release, dist string) (isChanged bool) {
	if e.Platform != "javascript" && e.Platform != "node" {
		return false
	}
	switch {
	case m.blobs == nil:
		m.markMinified(e, mapNoStorage)
		return false
	case !m.found.hasMaps(project, m.within):
		m.markMinified(e, mapNoneOfProject)
		return false
	}
	work := collectMinified(e, release)
	if work == nil {
		return false
	}
	work.project, work.dist = project.ID, strings.Clone(dist)
	start := time.Now()
	if len(work.places) > 0 {
		m.mapWithin(work)
		m.metrics.took.Observe(time.Since(start).Seconds())
		isChanged = applyMapping(work)
	}
	m.markUnmapped(e, work.frames)
	return isChanged
}

// collectMinified returns the frames to map: by release and path, or by a debug id. It returns nil when there are none. The
// result holds no text of the event, whose memory is used again.
func collectMinified(e *core.Event, release string) *mapping {
	c := minifiedCollector{platform: e.Platform, debugIDs: debugIDsOf(e), files: map[core.Untrusted]int{}}
	c.work.release = release
	walkFrames(e, c.addFrame)
	if len(c.work.frames) == 0 {
		return nil
	}
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
		ids[image.CodeFile] = sourcemap.NormalizeDebugID(string(image.DebugID))
	}
	return ids
}

// minifiedCollector gathers the frames of an event.
type minifiedCollector struct {
	platform string
	debugIDs map[core.Untrusted]string
	files    map[core.Untrusted]int // by abs_path; negative for a file without a map
	work     mapping
}

func (c *minifiedCollector) addFrame(path frameLocation, f *core.Frame) {
	if f.Lineno == 0 || f.Colno == 0 {
		return
	}
	minified := minifiedFrame{frame: f, path: path, file: c.addFile(f)}
	switch {
	case minified.file == notJavaScript || len(c.work.frames) == maxMapped+maxMapMarks:
		return
	case minified.file == oneTooMany || len(c.work.frames) >= maxMapped:
		minified.file, minified.result = noFile, mapTooMany
		c.work.frames = append(c.work.frames, minified)
		return
	}
	file := &c.work.files[minified.file]
	minified.isOwed = f.InApp && file.isOwed
	if c.work.release == "" && file.debugID == "" {
		minified.file, minified.result = noFile, mapNoRelease
	} else {
		minified.place = len(c.work.places)
		c.work.places = append(c.work.places, mapPlace{minified.file, int(f.Lineno), int(f.Colno)})
	}
	c.work.frames = append(c.work.frames, minified)
}

// Values that stand for the index of a file.
const (
	noFile        = -1 - iota
	notJavaScript // no map can be of a file with this name
	oneTooMany
)

// addFile returns the index of the frame's file.
func (c *minifiedCollector) addFile(f *core.Frame) int {
	name := fileOf(f)
	if index, isKnown := c.files[name]; isKnown {
		return index
	}
	index := notJavaScript
	path, err := sourcemap.ResolveName(string(name))
	switch {
	case err != nil || strings.ContainsAny(path, "<>"):
	case len(c.work.files) == maxMapFiles:
		index = oneTooMany
	default:
		index = len(c.work.files)
		debugID := c.debugIDs[name]
		isOwed := debugID != "" || isOfPage(c.platform, name)
		c.work.files = append(c.work.files, mapFile{path: path, debugID: debugID, isOwed: isOwed})
	}
	c.files[name] = index
	return index
}

// isOfPage reports whether a file comes from the web, or from the bundle of an app. A server's own files, which are file:// in
// modules of node, are seldom minified: nobody misses their maps.
func isOfPage(platform string, file core.Untrusted) bool {
	return strings.Contains(string(file), "://") && (platform != "node" || !strings.HasPrefix(string(file), "file://"))
}

func fileOf(f *core.Frame) core.Untrusted {
	if f.AbsPath != "" {
		return f.AbsPath
	}
	return f.Filename
}

// applyMapping writes the results of the maps into the event, and reports whether there were any.
func applyMapping(work *mapping) (isChanged bool) {
	for i := range work.frames {
		minified := &work.frames[i]
		if minified.result != mapFound {
			continue
		}
		isChanged = true
		position, f := &minified.outcome.position, minified.frame
		source := cleanSource(position.Source)
		// The name is the identifier at the position: at a call, the function of the frame before. When the map has no source text,
		// readers take the original name of a frame's function from there (core.ViewFrame).
		f.Source = &core.SourcePosition{
			Name: core.Untrusted(position.Name), Path: core.Untrusted(source),
			Line: core.OptInt(position.Line), Column: core.OptInt(position.Column),
		}
		if found := &minified.outcome.function; minified.outcome.hasFunction {
			f.Source.Function = core.NameFromSource(f.Function, found.Name, found.Class)
		}
		f.InApp = f.InApp && !position.Ignored && !isFromLibrary(source)
		f.ContextLine = core.Untrusted(minified.outcome.context.Line)
		f.PreContext, f.PostContext = untrustedLines(minified.outcome.context.Before), untrustedLines(minified.outcome.context.After)
	}
	return isChanged
}

func untrustedLines(lines []string) core.List[core.Untrusted] {
	var list core.List[core.Untrusted]
	for _, line := range lines {
		list = append(list, core.Untrusted(line))
	}
	return list
}

// cleanSource returns the path of an original file as in the repository: webpack://shop/./src/pay.ts?1a2b,
// turbopack:///[project]/src/pay.ts and ../../src/pay.ts are src/pay.ts.
func cleanSource(url string) string {
	path := url
	if rest, isWebpack := strings.CutPrefix(url, "webpack://"); isWebpack {
		_, path, _ = strings.Cut(rest, "/")
		path, _, _ = strings.Cut(path, "?")
	}
	if rest, isTurbopack := strings.CutPrefix(url, "turbopack://"); isTurbopack {
		path = strings.TrimPrefix(strings.TrimLeft(rest, "/"), "[project]/")
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

// isFromLibrary reports whether an original file belongs to a library. Pages call all their code their own: only the map shows
// what a bundle was made of.
func isFromLibrary(source string) bool {
	return strings.Contains(source, "node_modules/") || strings.HasPrefix(source, "webpack/") ||
		strings.HasPrefix(source, "[turbopack]/")
}
