package sourcemap

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"strings"
)

// Built is an index in memory, to be written soon.
type Built struct {
	header   header
	sections []io.WriterTo // from the header on
}

// Summary describes the contents of the index.
func (b *Built) Summary() Summary { return b.header.summarize() }

// WriteTo writes the index, of Summary().Size bytes, to w. It can be called again.
func (b *Built) WriteTo(w io.Writer) (int64, error) {
	var written int64
	for _, section := range b.sections {
		count, err := section.WriteTo(w)
		if written += count; err != nil {
			return written, err
		}
	}
	return written, nil
}

// Reader returns a reader of the index.
func (b *Built) Reader() io.Reader {
	var parts []io.Reader
	for _, section := range b.sections {
		for _, chunk := range section.(*chunks).list {
			parts = append(parts, bytes.NewReader(chunk))
		}
	}
	return io.MultiReader(parts...)
}

// assemble puts an index together.
func (p *mapParser) assemble() *Built {
	p.contents.close()
	mappings := p.writer
	b := &Built{header: header{
		debugID: p.debugID, mappings: uint32(mappings.count), blocks: uint32(len(mappings.directory)),
		sources: uint32(len(p.sources.offsets)), names: uint32(len(p.names.offsets)),
		contentBlocks: uint32(len(p.contents.blocks)), rawContents: p.contents.size,
	}}
	if p.hasDebugID {
		b.header.flags = hasDebugID
	}
	sources, sourceText := p.encodeSources()
	table, packed := p.contents.encode()
	sections := [sectionCount]*chunks{
		rootSection: {}, sourceSection: sources, sourceTextSection: sourceText, tableSection: table, nameOffsetSection: {},
		nameTextSection: &p.names.text, directorySection: {}, blockSection: &mappings.blocks, contentSection: packed,
	}
	for i := range mappings.directory {
		entry := &mappings.directory[i]
		sections[directorySection].append(entry.append(nil))
		if i%rootFanout == 0 {
			sections[rootSection].append(entry.append(nil)[:rootEntrySize])
		}
	}
	for _, offset := range append(p.names.offsets, uint32(p.names.text.size)) {
		sections[nameOffsetSection].append(binary.LittleEndian.AppendUint32(nil, offset))
	}
	b.seal(sections)
	return b
}

// seal writes the header, with the hash of everything after it.
func (b *Built) seal(sections [sectionCount]*chunks) {
	b.header.size = headerSize
	for i, section := range sections {
		b.header.offsets[i] = b.header.size
		b.header.size += section.size
	}
	root := sections[rootSection].copyRange(0, sections[rootSection].size)
	head := append(b.header.encode(), root...)
	hash := sha256.New()
	hash.Write(head[sizeAt:])
	for _, section := range sections[sourceSection:] {
		_, _ = section.WriteTo(hash) // hashes do not fail
	}
	hash.Sum(b.header.hash[:0])
	copy(head[hashAt:], b.header.hash[:])
	binary.LittleEndian.PutUint32(head[checksumAt:], checksumHead(head))

	front := &chunks{}
	front.append(head)
	b.sections = []io.WriterTo{front}
	for _, section := range sections[sourceSection:] {
		b.sections = append(b.sections, section)
	}
}

// encodeSources returns the sections of the sources, made from the map's parallel lists.
func (p *mapParser) encodeSources() (entries, text *chunks) {
	ignored := map[int]bool{}
	for _, source := range p.ignored {
		ignored[source] = true
	}
	entries, text = &chunks{}, &chunks{}
	roots := p.roots
	for i, start := range p.sources.offsets {
		for len(roots) > 1 && i >= roots[1].firstSource {
			roots = roots[1:]
		}
		entry := sourceEntry{textStart: uint32(text.size)}
		if !p.nullSources[i] {
			url := p.sources.text.copyRange(int64(start), int64(p.sources.findEnd(i)))
			if !strings.Contains(string(url), "://") {
				text.append([]byte(roots[0].text))
			}
			text.append(url)
		}
		entry.textEnd = uint32(text.size)
		if ignored[i] {
			entry.flags |= sourceIgnored
		}
		if i < len(p.contents.ranges) && p.contents.ranges[i].given {
			r := p.contents.ranges[i]
			entry.rawStart, entry.rawEnd, entry.firstLine = r.start, r.end, r.firstLine
			entry.flags |= sourceHasContent
		}
		entries.append(entry.append(nil))
	}
	return entries, text
}
