package sourcemap

import (
	"math"
	"strings"
)

func (p *mapParser) readField(key string) error {
	read, ok := fieldReaders[key]
	if key == "sections" { // which have fields in turn
		read, ok = (*mapParser).readSections, true
	}
	if !ok {
		return p.in.skipValue(1)
	}
	if p.part.seen[key] {
		return refuseMappings("%s stands there twice", key)
	}
	p.part.seen[key] = true
	if p.in.peekKind() == isNull && nullableFields[key] {
		return p.in.readLiteral()
	}
	if p.sections.isInside {
		return read(p)
	}
	before := p.countOwn()
	err := read(p)
	if key != "sections" {
		p.sections.own += p.countOwn() - before
	}
	if err == nil && p.sections.own > 0 && p.part.seen["sections"] {
		err = refuseSections("it has sections beside mappings or sources of its own")
	}
	return err
}

// fieldReaders read the known fields of a map.
var fieldReaders = map[string]func(*mapParser) error{
	"version":  (*mapParser).readVersion,
	"mappings": (*mapParser).readMappings, "names": (*mapParser).readNames,
	"sources": (*mapParser).readSources, "sourcesContent": (*mapParser).readContents,
	"sourceRoot": (*mapParser).readSourceRoot, "file": (*mapParser).readFile,
	"ignoreList": (*mapParser).readIgnoreList, "x_google_ignoreList": (*mapParser).readIgnoreList,
	"debugId": (*mapParser).readDebugID, "debug_id": (*mapParser).readDebugID,
}

// nullableFields may be null: bundlers write it for missing values.
var nullableFields = map[string]bool{
	"names": true, "sourcesContent": true, "sourceRoot": true, "file": true, "ignoreList": true, "x_google_ignoreList": true,
	"debugId": true, "debug_id": true,
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
	decoder := newMappingDecoder(p.writer)
	if p.sections.isInside {
		p.placeDecoder(decoder)
	}
	p.part.mappings = decoder
	if err := p.readString("mappings", decoder.decode); err != nil {
		return err
	}
	return decoder.finish()
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

// refuseType refuses a value of the wrong type, or text that is not JSON.
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

// readEntry reads a string and appends it to a list.
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
	if p.part.root = root; root != "" && !strings.HasSuffix(root, "/") {
		p.part.root += "/"
	}
	return err
}

// readFile drops the name of the generated file: bundlers write anything there.
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
		if len(p.ignored) == 2*MaxSources { // both lists may be present
			err = refuseMappings("more than %d sources", MaxSources)
		}
		p.ignored = append(p.ignored, p.part.firstSource+int(source))
		return err
	})
}

// readDebugID reads a debug id. A value that is not a UUID counts as missing, as in ECMA-426's proposal for debug ids. The debug
// id of a section is ignored.
func (p *mapParser) readDebugID() error {
	if p.in.peekKind() != isText || p.sections.isInside {
		return p.in.skipValue(1)
	}
	text, cut, err := p.in.readText(maxDebugID)
	if id, ok := parseDebugID(text); ok && !cut {
		p.debugID, p.hasDebugID = id, true
	}
	return err
}
