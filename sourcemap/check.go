package sourcemap

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
)

// CheckIndex reads a whole foreign index of size bytes, and returns its summary. The error is an *Invalid with the reason
// BrokenIndex unless BuildIndex could have made the index: it has the right hash, offsets within their sections, mappings in
// order and to existing sources and names, and contents that unpack to their declared size.
func CheckIndex(reader io.ReaderAt, size int64) (Summary, error) {
	x, err := Open(reader, size, NewCache(0))
	if err != nil {
		return Summary{}, err
	}
	for _, check := range []func() error{x.checkHash, x.checkSources, x.checkNames, x.checkBlocks, x.checkContents} {
		if err := check(); err != nil {
			return Summary{}, err
		}
	}
	return x.Summary(), nil
}

// streamSection returns a reader of a section from its start.
func (x *Index) streamSection(section int) *bufio.Reader {
	start := x.header.offsets[section]
	return bufio.NewReaderSize(io.NewSectionReader(x.reader, start, x.header.sectionEnd(section)-start), pageSize)
}

// readEntry reads the next entry of a section into b.
func readEntry(section *bufio.Reader, b []byte) error {
	_, err := io.ReadFull(section, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refuseIndex("it ends within a section")
	}
	return err
}

func (x *Index) checkHash() error {
	hash := sha256.New()
	_, err := io.Copy(hash, io.NewSectionReader(x.reader, sizeAt, x.header.size-sizeAt))
	if err == nil && [32]byte(hash.Sum(nil)) != x.header.hash {
		err = refuseIndex("its hash is not that of its contents")
	}
	return err
}

func (x *Index) checkSources() error {
	section := x.streamSection(sourceSection)
	textSize := x.header.sectionEnd(sourceTextSection) - x.header.offsets[sourceTextSection]
	encoded := make([]byte, sourceEntrySize)
	for range x.header.sources {
		if err := readEntry(section, encoded); err != nil {
			return err
		}
		e := decodeSourceEntry(encoded)
		if e.textStart > e.textEnd || int64(e.textEnd) > textSize || e.rawStart > e.rawEnd || int64(e.rawEnd) > x.header.rawContents ||
			e.flags&^(sourceIgnored|sourceHasContent) != 0 {
			return refuseIndex("a source with offsets that are not there")
		}
	}
	return nil
}

func (x *Index) checkNames() error {
	section := x.streamSection(nameOffsetSection)
	textSize := x.header.sectionEnd(nameTextSection) - x.header.offsets[nameTextSection]
	encoded := make([]byte, nameOffsetSize)
	last := uint32(0)
	for range x.header.names + 1 {
		if err := readEntry(section, encoded); err != nil {
			return err
		}
		offset := binary.LittleEndian.Uint32(encoded)
		if offset < last || int64(offset) > textSize {
			return refuseIndex("a name with offsets that are not there")
		}
		last = offset
	}
	return nil
}

// checkBlocks decodes every mapping.
func (x *Index) checkBlocks() error {
	directory, blocks := x.streamSection(directorySection), x.streamSection(blockSection)
	blocksSize := x.header.sectionEnd(blockSection) - x.header.offsets[blockSection]
	encoded := make([]byte, blockEntrySize)
	var entry blockEntry
	check := blockCheck{header: x.header}
	for number := range x.header.blocks + 1 {
		next := blockEntry{offset: uint32(blocksSize)}
		if number < x.header.blocks {
			if err := readEntry(directory, encoded); err != nil {
				return err
			}
			next = decodeBlockEntry(encoded)
			if number%rootFanout == 0 && !bytes.Equal(encoded[:rootEntrySize], x.root[number/rootFanout*rootEntrySize:][:rootEntrySize]) {
				return refuseIndex("its root does not match its directory")
			}
		}
		if number > 0 {
			if err := check.read(blocks, entry, next.offset); err != nil {
				return err
			}
		} else if next.offset != 0 {
			return refuseIndex("its first block is not at the start")
		}
		entry = next
	}
	if check.count != x.header.mappings {
		return refuseIndex("it has %d mappings, and says that there are %d", check.count, x.header.mappings)
	}
	return nil
}

// blockCheck decodes blocks in order.
type blockCheck struct {
	header *header
	last   mapping
	count  uint32
}

// read checks a block that ends at an offset of the section.
func (c *blockCheck) read(blocks *bufio.Reader, entry blockEntry, end uint32) error {
	if end <= entry.offset || end-entry.offset > maxBlockBytes {
		return refuseIndex("a block of mappings with a wrong length")
	}
	block := make([]byte, end-entry.offset)
	if err := readEntry(blocks, block); err != nil {
		return err
	}
	if crc32.Checksum(block, checksums) != entry.checksum {
		return refuseIndex("the checksum of a block of mappings is wrong")
	}
	var broken bool
	before := c.count
	err := walkBlock(block, entry, func(m *mapping) bool {
		starts := c.count > before || m.line == entry.line && m.column == entry.column
		broken = !starts || c.count > 0 && !c.last.comesBefore(m.line, m.column) || m.hasSource && m.source >= c.header.sources ||
			m.hasName && m.name >= c.header.names || max(m.line, m.column, m.originalLine, m.originalColumn) > math.MaxInt32
		c.last = *m
		c.count++
		return !broken
	})
	if broken {
		return refuseIndex("a mapping that is out of order or points to what is not there")
	}
	return err
}

// checkContents unpacks the contents block by block.
func (x *Index) checkContents() error {
	var lines uint32
	packed := x.header.offsets[contentSection]
	for number := range int64(x.header.contentBlocks) {
		entry, err := x.readTable(number)
		if err != nil {
			return err
		}
		start, end, err := x.findPacked(number)
		if err != nil {
			return err
		}
		if start != packed || entry.lines != lines {
			return refuseIndex("the table of the contents is wrong")
		}
		packed = end
		data, err := readExactly(x.reader, start, end-start)
		if err != nil {
			return err
		}
		raw, err := x.cache.unpackBlock(data, x.header.rawLength(number))
		if err != nil {
			return err
		}
		lines += uint32(bytes.Count(raw, []byte{'\n'}))
	}
	return nil
}
