package sourcemap

import (
	"errors"
	"io"
)

// maxRootText bounds the text that sourceRoot adds to an index, where it precedes each source.
const maxRootText = 16 << 20

// The longest key of a known field, and the longest debug id that is read.
const (
	maxKey     = 32
	maxDebugID = 64
)

// BuildIndex reads a source map from reader and makes its index. It holds the index, some 16 MB for a map of 30 MB, and 64 KB of
// the map; the caller bounds the length of the map. An *Invalid says why a map is refused: for the reasons in the specification
// of the API, and for errors that ECMA-426 lets a reader report. Errors of reader are returned unchanged.
func BuildIndex(reader io.Reader) (*Built, error) { return buildIndex(reader, false) }

// BuildFlatIndex is BuildIndex, but it also accepts a map with sections and makes one index of all its sections.
func BuildFlatIndex(reader io.Reader) (*Built, error) { return buildIndex(reader, true) }

func buildIndex(reader io.Reader, takesSections bool) (*Built, error) {
	p := &mapParser{
		in: newScanner(reader), contents: newContentWriter(), writer: newMappingWriter(), nullSources: map[int]bool{},
		takesSections: takesSections, part: mapPart{seen: map[string]bool{}},
	}
	defer p.contents.close()
	if err := p.readMap(); err != nil {
		return nil, err
	}
	return p.assemble(), nil
}

// mapParser reads the fields of a map, in any order.
type mapParser struct {
	in   *scanner
	part mapPart

	writer   *mappingWriter
	contents *contentWriter
	sources  textList
	names    textList

	nullSources map[int]bool
	ignored     []int
	roots       []sourceRoot
	rootText    int // bytes that the roots add
	debugID     [16]byte
	hasDebugID  bool

	takesSections bool
	sections      sectionReader
}

// mapPart is the map whose fields are being read: the whole map or the map of a section.
type mapPart struct {
	seen     map[string]bool
	mappings *mappingDecoder // nil until the field comes
	root     string

	firstSource, firstName, firstIgnored int // in the lists of the whole map
}

// sourceRoot precedes the sources from firstSource up to the first one of the next root.
type sourceRoot struct {
	firstSource int
	text        string
}

// textList is a list of strings, one after the other.
type textList struct {
	text    chunks
	offsets []uint32 // where each begins
}

func (l *textList) beginText() { l.offsets = append(l.offsets, uint32(l.text.size)) }

// findEnd returns where string i ends.
func (l *textList) findEnd(i int) uint32 {
	if i+1 < len(l.offsets) {
		return l.offsets[i+1]
	}
	return uint32(l.text.size)
}

func (p *mapParser) readMap() error {
	p.in.skipPrefix()
	if p.in.peekKind() != isObject {
		if err := p.in.skipValue(0); err != nil {
			return err
		}
	} else if err := p.in.walkObject(maxKey, p.readField); err != nil {
		return err
	}
	if p.in.peekByte(); p.in.pos < p.in.end || !errors.Is(p.in.readErr, io.EOF) {
		return p.in.refuse("more after the map")
	}
	p.writer.finish()
	return p.checkFields()
}

// checkFields checks the fields against each other.
func (p *mapParser) checkFields() error {
	part := &p.part
	sources, names := len(p.sources.offsets)-part.firstSource, len(p.names.offsets)-part.firstName
	switch {
	case !part.seen["version"]:
		return &Invalid{Reason: NotVersion3, Detail: "there is no version"}
	case part.seen["sections"]:
		return nil // each section has been checked
	case part.mappings == nil:
		return refuseMappings("there are no mappings")
	case !part.seen["sources"]:
		return refuseMappings("there is no list of sources")
	case part.mappings.maxSource >= int64(sources):
		return refuseMappings("a mapping to source %d of %d", part.mappings.maxSource+1, sources)
	case part.mappings.maxName >= int64(names):
		return refuseMappings("a mapping to name %d of %d", part.mappings.maxName+1, names)
	}
	if p.rootText += len(part.root) * sources; p.rootText > maxRootText {
		return refuseMappings("sourceRoot is too long to stand before each of %d sources", sources)
	}
	if len(p.roots) == 0 || p.roots[len(p.roots)-1].text != part.root {
		p.roots = append(p.roots, sourceRoot{part.firstSource, part.root})
	}
	for _, source := range p.ignored[part.firstIgnored:] {
		if source >= len(p.sources.offsets) {
			return refuseMappings("ignoreList has source %d of %d", source-part.firstSource+1, sources)
		}
	}
	return nil
}
