package sourcemap

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
)

// An index is one file, all numbers little-endian:
//
//	header         headerSize bytes, see header
//	root           the first position (line, column) of every rootFanout'th block: what Open keeps in memory
//	sources        sourceEntrySize bytes for each, see sourceEntry
//	source text    the URLs of the sources, one after the other
//	content table  for each block of contents: its offset, and how many lines are before it
//	name offsets   for each name its offset in the text, and the end of the text
//	name text      the names, one after the other
//	directory      for each block of mappings, see blockEntry
//	blocks         the mappings, 64 to a block, see blockCoder
//	contents       the contents of the sources, each with a newline after it, cut every contentBlock bytes and
//	               compressed (zstd) block by block
//
// Look-ups share the sections at the front; of the large sections at the end they read one block.
const (
	formatMagic   = "errandsm"
	formatVersion = 1

	headerSize      = 192
	rootEntrySize   = 8
	sourceEntrySize = 24
	tableEntrySize  = 8
	nameOffsetSize  = 4
	blockEntrySize  = 16

	rootFanout = 128 // stretch of the directory that a look-up searches: 2 KB
)

// contentBlock is how many bytes of contents are compressed together: a look-up unpacks one block, rarely two.
const contentBlock = 32 << 10

// MaxIndexSize is the largest index that is opened, and maxContents the most bytes that its contents may unpack to: a map of 30
// MB stays below both.
const (
	MaxIndexSize = 128 << 20
	maxContents  = 128 << 20
)

// The sections of an index, in their order in the file.
const (
	rootSection = iota
	sourceSection
	sourceTextSection
	tableSection
	nameOffsetSection
	nameTextSection
	directorySection
	blockSection
	contentSection
	sectionCount
)

// The positions of the header's fields.
const (
	magicAt    = 0
	versionAt  = 8
	checksumAt = 12 // of the header from hashAt on, and of the root
	hashAt     = 16 // SHA-256 of everything from sizeAt on
	sizeAt     = 48
	debugIDAt  = 56
	flagsAt    = 72
	countsAt   = 76
	rawSizeAt  = 96
	offsetsAt  = 104 // of the sections; the end of the last one is the size
)

const hasDebugID = 1 // a flag of the header

// header is the start of an index.
type header struct {
	hash    [32]byte
	size    int64
	flags   uint32
	debugID [16]byte

	mappings, blocks, sources, names, contentBlocks uint32

	rawContents int64 // bytes of the contents before compression
	offsets     [sectionCount]int64
}

// encode writes the header without its hash and checksum.
func (h *header) encode() []byte {
	b := make([]byte, headerSize)
	copy(b[magicAt:], formatMagic)
	binary.LittleEndian.PutUint32(b[versionAt:], formatVersion)
	binary.LittleEndian.PutUint64(b[sizeAt:], uint64(h.size))
	copy(b[debugIDAt:], h.debugID[:])
	binary.LittleEndian.PutUint32(b[flagsAt:], h.flags)
	for i, count := range h.listCounts() {
		binary.LittleEndian.PutUint32(b[countsAt+4*i:], *count)
	}
	binary.LittleEndian.PutUint64(b[rawSizeAt:], uint64(h.rawContents))
	for i, offset := range h.offsets {
		binary.LittleEndian.PutUint64(b[offsetsAt+8*i:], uint64(offset))
	}
	return b
}

func (h *header) listCounts() [5]*uint32 {
	return [...]*uint32{&h.mappings, &h.blocks, &h.sources, &h.names, &h.contentBlocks}
}

// decodeHeader reads a header and checks that its sections match its counts and fit into size.
func decodeHeader(b []byte, size int64) (*header, error) {
	if len(b) < headerSize || string(b[:len(formatMagic)]) != formatMagic {
		return nil, refuseIndex("it does not begin as an index of Errand does")
	}
	if version := binary.LittleEndian.Uint32(b[versionAt:]); version != formatVersion {
		return nil, refuseIndex("it has version %d of the format, this is a reader of version %d", version, formatVersion)
	}
	h := &header{
		hash:        [32]byte(b[hashAt:]),
		size:        int64(binary.LittleEndian.Uint64(b[sizeAt:])),
		flags:       binary.LittleEndian.Uint32(b[flagsAt:]),
		debugID:     [16]byte(b[debugIDAt:]),
		rawContents: int64(binary.LittleEndian.Uint64(b[rawSizeAt:])),
	}
	for i, count := range h.listCounts() {
		*count = binary.LittleEndian.Uint32(b[countsAt+4*i:])
	}
	for i := range h.offsets {
		h.offsets[i] = int64(binary.LittleEndian.Uint64(b[offsetsAt+8*i:]))
	}
	if h.size != size {
		return nil, refuseIndex("it is %d bytes long, and says that it is %d", size, h.size)
	}
	return h, h.checkCounts()
}

func (h *header) checkCounts() error {
	if h.flags&^hasDebugID != 0 {
		return refuseIndex("unknown flags in the header")
	}
	if h.sources > MaxSources || h.names > MaxNames {
		return refuseIndex("too many sources or names")
	}
	if h.rawContents < 0 || h.rawContents > maxContents {
		return refuseIndex("its contents are more than %d MB", maxContents>>20)
	}
	if h.offsets[rootSection] != headerSize {
		return refuseIndex("the root does not follow the header")
	}
	lengths := [sectionCount]int64{
		rootSection:       rootEntrySize * ((int64(h.blocks) + rootFanout - 1) / rootFanout),
		sourceSection:     sourceEntrySize * int64(h.sources),
		sourceTextSection: -1,
		tableSection:      tableEntrySize * int64(h.contentBlocks),
		nameOffsetSection: nameOffsetSize * (int64(h.names) + 1),
		nameTextSection:   -1,
		directorySection:  blockEntrySize * int64(h.blocks),
		blockSection:      -1,
		contentSection:    -1,
	}
	for i, wanted := range lengths {
		if length := h.sectionEnd(i) - h.offsets[i]; length < 0 || wanted >= 0 && length != wanted {
			return refuseIndex("section %d of the index has not the length that the header's counts need", i)
		}
	}
	if int64(h.blocks) != (int64(h.mappings)+blockMappings-1)/blockMappings {
		return refuseIndex("the header's counts of mappings and blocks do not match")
	}
	if int64(h.contentBlocks) != (h.rawContents+contentBlock-1)/contentBlock {
		return refuseIndex("the header's counts of contents do not match")
	}
	return nil
}

func (h *header) sectionEnd(section int) int64 {
	if section+1 < sectionCount {
		return h.offsets[section+1]
	}
	return h.size
}

// headLength is how much of the index Open reads: the header and the root.
func (h *header) headLength() int64 { return h.sectionEnd(rootSection) }

// checksumHead returns the checksum for checksumAt of a header with its root.
func checksumHead(head []byte) uint32 { return crc32.Checksum(head[hashAt:], checksums) }

func (h *header) summarize() Summary {
	s := Summary{
		Size: h.size, Hash: hex.EncodeToString(h.hash[:]),
		Sources: int(h.sources), Names: int(h.names), Mappings: int(h.mappings),
	}
	if h.flags&hasDebugID != 0 {
		s.DebugID = formatDebugID(h.debugID)
	}
	return s
}

// sourceEntry is a source in the index.
type sourceEntry struct {
	textStart, textEnd uint32 // its URL, in the section of source text
	rawStart, rawEnd   uint32 // its content, in the contents before compression
	firstLine          uint32 // number of lines in the contents before its own
	flags              uint32
}

// Flags of a source.
const (
	sourceIgnored    = 1 << iota // in ignoreList
	sourceHasContent             // in sourcesContent, which may be empty
)

func (e *sourceEntry) append(b []byte) []byte {
	for _, field := range e.listFields() {
		b = binary.LittleEndian.AppendUint32(b, *field)
	}
	return b
}

func (e *sourceEntry) listFields() [6]*uint32 {
	return [...]*uint32{&e.textStart, &e.textEnd, &e.rawStart, &e.rawEnd, &e.firstLine, &e.flags}
}

func decodeSourceEntry(b []byte) (e sourceEntry) {
	for i, field := range e.listFields() {
		*field = binary.LittleEndian.Uint32(b[4*i:])
	}
	return e
}

func (e *blockEntry) append(b []byte) []byte {
	for _, field := range []uint32{e.line, e.column, e.offset, e.checksum} {
		b = binary.LittleEndian.AppendUint32(b, field)
	}
	return b
}

func decodeBlockEntry(b []byte) blockEntry {
	return blockEntry{
		line: binary.LittleEndian.Uint32(b), column: binary.LittleEndian.Uint32(b[4:]),
		offset: binary.LittleEndian.Uint32(b[8:]), checksum: binary.LittleEndian.Uint32(b[12:]),
	}
}

// parseDebugID reads a UUID, with or without hyphens.
func parseDebugID(text string) (id [16]byte, ok bool) {
	digits := bytes.ReplaceAll([]byte(text), []byte("-"), nil)
	if len(digits) != hex.EncodedLen(len(id)) || len(text) != len(digits) && len(text) != len(digits)+4 {
		return id, false
	}
	_, err := hex.Decode(id[:], digits)
	return id, err == nil
}

// NormalizeDebugID returns a debug id in lower case with hyphens, as in indexes; empty when it is not a UUID.
func NormalizeDebugID(text string) string {
	if id, ok := parseDebugID(text); ok {
		return formatDebugID(id)
	}
	return ""
}

func formatDebugID(id [16]byte) string {
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
