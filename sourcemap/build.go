package sourcemap

import (
	"errors"
	"io"
	"math"
	"strings"
)

// maxRootText bounds what sourceRoot adds to an index, in which it stands before each source.
const maxRootText = 16 << 20

// The longest key of a map that means something here, and the longest debug id that is read.
const (
	maxKey     = 32
	maxDebugID = 64
)

// BuildIndex reads a source map from reader and makes its index. It holds the index, some 16 MB for a map of 30 MB,
// and 64 KB of the map; who calls it bounds the length of the map. An *Invalid says why a map is refused: what the
// specification of the API names, and whatever ECMA-426 lets a reader report. Errors of reader are returned as they are.
func BuildIndex(reader io.Reader) (*Built, error) {
	p := &mapParser{in: newScanner(reader), contents: newContentWriter(), seen: map[string]bool{}}
	defer p.contents.close()
	if err := p.readMap(); err != nil {
		return nil, err
	}
	return p.assemble(), nil
}

// mapParser reads the fields of a map, in any order.
type mapParser struct {
	in   *scanner
	seen map[string]bool

	mappings *mappingDecoder // nil until the field comes
	contents *contentWriter
	sources  textList
	names    textList

	nullSources map[int]bool
	ignored     []int
	sourceRoot  string
	debugID     [16]byte
	hasDebugID  bool
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
	return p.checkFields()
}

// checkFields holds what fields want of each other.
func (p *mapParser) checkFields() error {
	switch count := int64(len(p.sources.offsets)); {
	case !p.seen["version"]:
		return &Invalid{Reason: NotVersion3, Detail: "there is no version"}
	case p.mappings == nil:
		return refuseMappings("there are no mappings")
	case !p.seen["sources"]:
		return refuseMappings("there is no list of sources")
	case len(p.sourceRoot)*len(p.sources.offsets) > maxRootText:
		return refuseMappings("sourceRoot is too long to stand before each of %d sources", count)
	case p.mappings.maxSource >= count:
		return refuseMappings("a mapping to source %d of %d", p.mappings.maxSource+1, count)
	case p.mappings.maxName >= int64(len(p.names.offsets)):
		return refuseMappings("a mapping to name %d of %d", p.mappings.maxName+1, len(p.names.offsets))
	}
	for _, source := range p.ignored {
		if source >= len(p.sources.offsets) {
			return refuseMappings("ignoreList has source %d of %d", source+1, len(p.sources.offsets))
		}
	}
	return nil
}

func (p *mapParser) readField(key string) error {
	read, ok := fieldReaders[key]
	if !ok {
		return p.in.skipValue(1)
	}
	if p.seen[key] {
		return refuseMappings("%s stands there twice", key)
	}
	p.seen[key] = true
	if p.in.peekKind() == isNull && nullableFields[key] {
		return p.in.readLiteral()
	}
	return read(p)
}

// fieldReaders reads the fields of a map that mean something here.
var fieldReaders = map[string]func(*mapParser) error{
	"version": (*mapParser).readVersion, "sections": (*mapParser).refuseSections,
	"mappings": (*mapParser).readMappings, "names": (*mapParser).readNames,
	"sources": (*mapParser).readSources, "sourcesContent": (*mapParser).readContents,
	"sourceRoot": (*mapParser).readSourceRoot, "file": (*mapParser).readFile,
	"ignoreList": (*mapParser).readIgnoreList, "x_google_ignoreList": (*mapParser).readIgnoreList,
	"debugId": (*mapParser).readDebugID, "debug_id": (*mapParser).readDebugID,
}

// nullableFields may be null, which bundlers write for what they do not have.
var nullableFields = map[string]bool{
	"names": true, "sourcesContent": true, "sourceRoot": true, "file": true, "ignoreList": true, "x_google_ignoreList": true,
	"debugId": true, "debug_id": true,
}

func (p *mapParser) refuseSections() error {
	return &Invalid{Reason: HasSections, Detail: "it is an index map, which only some bundlers write: upload a map for each file"}
}

func (p *mapParser) readVersion() error {
	if p.in.peekKind() == isDigits {
		version, err := p.in.readNumber()
		if err != nil || version == 3 {
			return err
		}
	} else if err := p.in.skipValue(1); err != nil {
		return err
	}
	return &Invalid{Reason: NotVersion3, Detail: "version is not the number 3"}
}

func (p *mapParser) readMappings() error {
	p.mappings = newMappingDecoder(newMappingWriter())
	if err := p.readString("mappings", p.mappings.decode); err != nil {
		return err
	}
	if err := p.mappings.finish(); err != nil {
		return err
	}
	p.mappings.writer.finish()
	return nil
}

// readString reads a string in chunks.
func (p *mapParser) readString(field string, take func(chunk []byte) error) error {
	if p.in.peekKind() != isText {
		return p.refuseType(field, "a string")
	}
	p.in.pos++
	for {
		chunk, more, err := p.in.readChunk()
		if err != nil {
			return err
		}
		if err := take(chunk); err != nil || !more {
			return err
		}
	}
}

// refuseType refuses a value of the wrong type, or whatever is not JSON at all.
func (p *mapParser) refuseType(field, wanted string) error {
	if err := p.in.skipValue(1); err != nil {
		return err
	}
	return refuseMappings("%s is not %s", field, wanted)
}

func (p *mapParser) readNames() error {
	if p.in.peekKind() != isList {
		return p.refuseType("names", "a list")
	}
	return p.in.walkList(func() error {
		if len(p.names.offsets) == MaxNames {
			return refuseMappings("more than %d names", MaxNames)
		}
		return p.readEntry("an entry of names", &p.names)
	})
}

// readEntry reads a string to the end of a list.
func (p *mapParser) readEntry(field string, list *textList) error {
	list.beginText()
	return p.readString(field, func(chunk []byte) error {
		list.text.append(chunk)
		return nil
	})
}

func (p *mapParser) readSources() error {
	if p.in.peekKind() != isList {
		return p.refuseType("sources", "a list")
	}
	p.nullSources = map[int]bool{}
	return p.in.walkList(func() error {
		if len(p.sources.offsets) == MaxSources {
			return refuseMappings("more than %d sources", MaxSources)
		}
		if p.in.peekKind() != isNull {
			return p.readEntry("an entry of sources", &p.sources)
		}
		p.nullSources[len(p.sources.offsets)] = true
		p.sources.beginText()
		return p.in.readLiteral()
	})
}

func (p *mapParser) readContents() error {
	if p.in.peekKind() != isList {
		return p.refuseType("sourcesContent", "a list")
	}
	return p.in.walkList(func() error {
		if len(p.contents.ranges) == MaxSources {
			return refuseMappings("more than %d sources", MaxSources)
		}
		if p.in.peekKind() == isNull {
			p.contents.skipSource()
			return p.in.readLiteral()
		}
		p.contents.beginSource()
		err := p.readString("an entry of sourcesContent", func(chunk []byte) error {
			p.contents.write(chunk)
			return nil
		})
		p.contents.endSource()
		return err
	})
}

func (p *mapParser) readSourceRoot() error {
	if p.in.peekKind() != isText {
		return p.refuseType("sourceRoot", "a string")
	}
	root, cut, err := p.in.readText(maxText)
	if cut {
		return refuseMappings("sourceRoot is longer than %d bytes", maxText)
	}
	if p.sourceRoot = root; root != "" && !strings.HasSuffix(root, "/") {
		p.sourceRoot += "/"
	}
	return err
}

// readFile drops the name of the generated file: bundlers write there what they like.
func (p *mapParser) readFile() error {
	if p.in.peekKind() != isText {
		return p.refuseType("file", "a string")
	}
	return p.in.skipText()
}

func (p *mapParser) readIgnoreList() error {
	if p.in.peekKind() != isList {
		return p.refuseType("ignoreList", "a list")
	}
	return p.in.walkList(func() error {
		if p.in.peekKind() != isDigits {
			return p.refuseType("an entry of ignoreList", "a number")
		}
		source, err := p.in.readNumber()
		if err == nil && (source < 0 || source >= MaxSources || source != math.Trunc(source)) {
			err = refuseMappings("an entry of ignoreList is not the number of a source")
		}
		if len(p.ignored) == 2*MaxSources { // both lists may be there
			err = refuseMappings("more than %d sources", MaxSources)
		}
		p.ignored = append(p.ignored, int(source))
		return err
	})
}

// readDebugID reads a debug id; what is not a UUID is none, as ECMA-426's proposal for debug ids has it.
func (p *mapParser) readDebugID() error {
	if p.in.peekKind() != isText {
		return p.in.skipValue(1)
	}
	text, cut, err := p.in.readText(maxDebugID)
	if id, ok := parseDebugID(text); ok && !cut {
		p.debugID, p.hasDebugID = id, true
	}
	return err
}
