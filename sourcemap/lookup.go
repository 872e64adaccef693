package sourcemap

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// maxText is how many bytes of a source's URL or of a name a look-up returns.
const maxText = 4 << 10

// Position is the original position of a piece of generated code.
type Position struct {
	Source  string // the URL or path of the original file, with the map's sourceRoot before it; empty when the map has none
	Line    int    // 1-based
	Column  int    // 1-based, in UTF-16 code units
	Name    string // the original identifier at this place; empty when the map has no name for it
	Ignored bool   // the map lists the source in ignoreList: it is not the application's code

	source     sourceEntry
	line       uint32 // 0-based
	hasContent bool
}

// HasContent reports whether the map has the text of the source, so that CutContext finds lines.
func (p *Position) HasContent() bool { return p.hasContent }

// LookUp returns the original position of the generated code at a line and column, from the last mapping of the line that starts
// at or before the column. It finds nothing when there is none, or when the mapping has no source.
func (x *Index) LookUp(line, column int) (p Position, found bool, err error) {
	const most = 1<<31 - 1
	if line < 1 || column < 1 || line > most || column > most {
		return Position{}, false, nil
	}
	m, found, err := x.findMapping(uint32(line-1), uint32(column-1))
	if err != nil || !found || !m.hasSource {
		return Position{}, false, err
	}
	p, err = x.describeMapping(&m)
	return p, err == nil, err
}

func (x *Index) describeMapping(m *mapping) (Position, error) {
	if m.source >= x.header.sources || m.hasName && m.name >= x.header.names {
		return Position{}, refuseIndex("a mapping to a source or name that is not there")
	}
	start := int64(m.source) * sourceEntrySize
	encoded, err := x.readSection(sourceSection, start, start+sourceEntrySize)
	if err != nil {
		return Position{}, err
	}
	p := Position{
		Line: int(m.originalLine) + 1, Column: int(m.originalColumn) + 1, line: m.originalLine,
		source: decodeSourceEntry(encoded),
	}
	p.Ignored = p.source.flags&sourceIgnored != 0
	p.hasContent = p.source.flags&sourceHasContent != 0
	p.Source, err = x.readText(sourceTextSection, p.source.textStart, p.source.textEnd)
	if err == nil && m.hasName {
		p.Name, err = x.readName(m.name)
	}
	return p, err
}

func (x *Index) readName(number uint32) (string, error) {
	start := int64(number) * nameOffsetSize
	offsets, err := x.readSection(nameOffsetSection, start, start+2*nameOffsetSize)
	if err != nil {
		return "", err
	}
	return x.readText(nameTextSection, binary.LittleEndian.Uint32(offsets), binary.LittleEndian.Uint32(offsets[nameOffsetSize:]))
}

// readText returns a text, cut to maxText.
func (x *Index) readText(section int, start, end uint32) (string, error) {
	if start > end {
		return "", refuseIndex("a text that ends before it begins")
	}
	text, err := x.readSection(section, int64(start), min(int64(end), int64(start)+maxText))
	return cleanText(text), err
}

// cleanText returns valid text: the text may be cut in the middle of a character, or contain any bytes of the map.
func cleanText(text []byte) string {
	for cut := 1; cut < utf8.UTFMax && cut <= len(text); cut++ {
		if last := text[len(text)-cut:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				text = text[:len(text)-cut]
			}
			break
		}
	}
	if utf8.Valid(text) { // several times as fast as the code below
		return string(text)
	}
	return strings.ToValidUTF8(string(text), "\ufffd")
}
