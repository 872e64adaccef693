package sourcemap

import (
	"fmt"
	"math"
)

// A map with sections (ECMA-426, Index source map) consists of the maps for the pieces of a file, each with the start of its
// piece. They are in the order of the file and do not overlap. Bundlers that join files write such maps, for example Turbopack.

// sectionReader is the state of reading the sections of a map.
type sectionReader struct {
	isInside bool // the map of a section is being read
	own      int  // entries and mappings of the map outside its sections
	count    int  // sections so far

	start     generatedPosition // of this section
	isPlaced  bool              // start has been read
	wasMapped bool              // its map has been read

	before generatedPosition // the start of the previous section, or its last mapping
	isFull bool              // before is a mapping

	waiting *mappingWriter // mappings of a section whose offset comes after its map
}

func refuseSections(format string, args ...any) error {
	return &Invalid{Reason: HasSections, Detail: fmt.Sprintf(format, args...)}
}

func (p *mapParser) refuseSection(what string) error {
	return refuseSections("section %d %s", p.sections.count, what)
}

// countOwn counts the map's entries and mappings outside its sections.
func (p *mapParser) countOwn() int {
	count := len(p.sources.offsets) + len(p.names.offsets) + len(p.contents.ranges) + len(p.ignored)
	if p.part.mappings != nil && p.part.mappings.isUsed {
		count++
	}
	return count
}

func (p *mapParser) readSections() error {
	switch {
	case p.sections.isInside:
		return p.refuseSection("has sections itself")
	case !p.takesSections:
		return refuseSections("it is an index map, which only some bundlers write: upload a map for each file, " +
			"or let errand sourcemaps upload or sentry-cli do it")
	case p.in.peekKind() != isList:
		return p.refuseType("sections", "a list")
	}
	return p.in.walkList(p.readSection)
}

func (p *mapParser) readSection() error {
	s := &p.sections
	s.count, s.isPlaced, s.wasMapped = s.count+1, false, false
	if p.in.peekKind() != isObject {
		return p.refuseType("an entry of sections", "an object")
	}
	if err := p.in.walkObject(maxKey, p.readSectionField); err != nil {
		return err
	}
	switch {
	case !s.isPlaced:
		return p.refuseSection("has no offset")
	case !s.wasMapped:
		return p.refuseSection("has no map")
	}
	return nil
}

func (p *mapParser) readSectionField(key string) error {
	switch s := &p.sections; {
	case key == "url":
		return p.refuseSection("names the URL of its map, which must stand in the section")
	case key == "offset" && s.isPlaced || key == "map" && s.wasMapped:
		return p.refuseSection("has two of " + key)
	case key == "offset":
		return p.readOffset()
	case key == "map":
		return p.readSectionMap()
	}
	return p.in.skipValue(3)
}

// readOffset reads where a section begins.
func (p *mapParser) readOffset() error {
	if p.in.peekKind() != isObject {
		return p.refuseType("an offset of sections", "an object")
	}
	s := &p.sections
	fields := map[string]*uint32{"line": &s.start.line, "column": &s.start.column}
	err := p.in.walkObject(maxKey, func(key string) error {
		into := fields[key]
		if into == nil {
			return p.in.skipValue(4)
		}
		delete(fields, key)
		if p.in.peekKind() != isDigits {
			return p.refuseType("the "+key+" of an offset", "a number")
		}
		number, err := p.in.readNumber()
		if err == nil && (number < 0 || number > math.MaxInt32 || number != math.Trunc(number)) {
			err = p.refuseSection("has an offset out of range")
		}
		*into = uint32(number)
		return err
	})
	switch {
	case err != nil:
		return err
	case len(fields) > 0:
		return p.refuseSection("has an offset without line or column")
	case s.start.isBefore(s.before) || s.isFull && s.start == s.before:
		return p.refuseSection("begins before the end of the one before it")
	}
	s.before, s.isFull, s.isPlaced = s.start, false, true
	if s.waiting != nil {
		return p.placeWaiting()
	}
	return nil
}

// readSectionMap reads the map of a section and appends it to the lists of the whole map.
func (p *mapParser) readSectionMap() error {
	if p.in.peekKind() != isObject {
		return p.refuseType("a map of sections", "an object")
	}
	whole, s := p.part, &p.sections
	p.part = mapPart{
		seen: map[string]bool{}, firstSource: len(p.sources.offsets), firstName: len(p.names.offsets), firstIgnored: len(p.ignored),
	}
	s.isInside, s.wasMapped = true, true
	if err := p.in.walkObject(maxKey, p.readField); err != nil {
		return err
	}
	if err := p.checkFields(); err != nil {
		return err
	}
	p.contents.alignSources(len(p.sources.offsets))
	if decoder := p.part.mappings; s.isPlaced && decoder.isUsed {
		s.before, s.isFull = decoder.end, true
	}
	p.part, s.isInside = whole, false
	return nil
}

// placeDecoder prepares a decoder for this section. While the offset of the section is unknown, its mappings wait.
func (p *mapParser) placeDecoder(decoder *mappingDecoder) {
	s := &p.sections
	decoder.firstSource, decoder.firstName = uint32(p.part.firstSource), uint32(p.part.firstName)
	if s.isPlaced {
		decoder.line, decoder.firstColumn = s.start.line, int64(s.start.column)
		return
	}
	s.waiting = newMappingWriter()
	decoder.writer = s.waiting
}

// placeWaiting adds the mappings that waited for the offset of their section.
func (p *mapParser) placeWaiting() error {
	s := &p.sections
	waiting := s.waiting
	s.waiting = nil
	waiting.finish()
	return waiting.walkMappings(0, func(m *mapping) error {
		placed := *m
		line, column := int64(m.line)+int64(s.start.line), int64(m.column)
		if m.line == 0 {
			column += int64(s.start.column)
		}
		if line > math.MaxInt32 || column > math.MaxInt32 {
			return p.refuseSection("has a mapping beyond what can be looked up")
		}
		placed.line, placed.column = uint32(line), uint32(column)
		s.before, s.isFull = generatedPosition{placed.line, placed.column}, true
		return p.writer.add(&placed)
	})
}
