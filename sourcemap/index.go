package sourcemap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sort"
)

// pageSize is how much of an index is read at a time.
const pageSize = 16 << 10

// Index looks up positions in an index in a file or other storage. It holds only the root, a few hundred bytes; pages are in the
// Cache. It is safe for concurrent use if its reader is.
//
// Reading any bytes ends in a result or in an error: an *Invalid when the index is broken. A foreign index must pass CheckIndex
// before it is stored: the hash is checked only there.
type Index struct {
	reader io.ReaderAt
	cache  *Cache
	header *header
	root   []byte
}

// Open reads the head of an index of size bytes.
func Open(reader io.ReaderAt, size int64, cache *Cache) (*Index, error) {
	if size > MaxIndexSize {
		return nil, refuseIndex("it is longer than %d MB", MaxIndexSize>>20)
	}
	first, err := readExactly(reader, 0, min(size, pageSize))
	if err != nil {
		return nil, err
	}
	h, err := decodeHeader(first, size)
	if err != nil {
		return nil, err
	}
	head := first
	if h.headLength() > int64(len(first)) {
		if head, err = readExactly(reader, 0, h.headLength()); err != nil {
			return nil, err
		}
	}
	head = head[:h.headLength()]
	if binary.LittleEndian.Uint32(head[checksumAt:]) != checksumHead(head) {
		return nil, refuseIndex("the checksum of its header is wrong")
	}
	root := append([]byte(nil), head[headerSize:]...)
	return &Index{reader: reader, cache: cache, header: h, root: root}, nil
}

// Summary returns the index's own description of its contents.
func (x *Index) Summary() Summary { return x.header.summarize() }

// readExactly reads length bytes at offset. A file that ends earlier is a broken index, other errors are the reader's.
func readExactly(reader io.ReaderAt, offset, length int64) ([]byte, error) {
	data := make([]byte, length)
	count, err := reader.ReadAt(data, offset)
	switch {
	case int64(count) == length:
		return data, nil
	case err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, refuseIndex("it ends at byte %d", offset+int64(count))
	}
	return nil, fmt.Errorf("reading a source map's index: %w", err)
}

// readSection returns the bytes from start to end of a section. The caller must not change them.
func (x *Index) readSection(section int, start, end int64) ([]byte, error) {
	base, limit := x.header.offsets[section], x.header.sectionEnd(section)
	if start < 0 || start > end || end > limit-base {
		return nil, refuseIndex("an offset points outside of its section")
	}
	start, end = base+start, base+end
	if start/pageSize == max(start, end-1)/pageSize {
		page, err := x.readPage(start / pageSize)
		if err != nil {
			return nil, err
		}
		return page[start%pageSize:][:end-start], nil
	}
	data := make([]byte, 0, end-start)
	for start < end {
		page, err := x.readPage(start / pageSize)
		if err != nil {
			return nil, err
		}
		part := page[start%pageSize:]
		part = part[:min(int64(len(part)), end-start)]
		data = append(data, part...)
		start += int64(len(part))
	}
	return data, nil
}

func (x *Index) readPage(number int64) ([]byte, error) {
	return x.cache.findPage(pageKey{hash: x.header.hash, number: uint32(number)}, func() ([]byte, error) {
		start := number * pageSize
		return readExactly(x.reader, start, max(0, min(pageSize, x.header.size-start)))
	})
}

// findMapping returns the last mapping of the line that starts at or before the column, both 0-based.
func (x *Index) findMapping(line, column uint32) (m mapping, found bool, err error) {
	number, entry, end, err := x.findBlock(line, column)
	if err != nil || number < 0 {
		return mapping{}, false, err
	}
	if int64(entry.offset) > end || end-int64(entry.offset) > maxBlockBytes {
		return mapping{}, false, refuseIndex("block %d has a wrong length", number)
	}
	block, err := x.readSection(blockSection, int64(entry.offset), end)
	if err != nil {
		return mapping{}, false, err
	}
	if crc32.Checksum(block, checksums) != entry.checksum {
		return mapping{}, false, refuseIndex("the checksum of block %d is wrong", number)
	}
	err = walkBlock(block, entry, func(next *mapping) bool {
		if !next.comesBefore(line, column+1) {
			return false
		}
		m, found = *next, next.line == line
		return true
	})
	return m, found, err
}

// walkBlock calls visit with each mapping of a block, until it returns false.
func walkBlock(block []byte, entry blockEntry, visit func(*mapping) bool) error {
	coder := startBlock(entry.line, entry.column)
	for count := 0; len(block) > 0; count++ {
		var ok bool
		if block, ok = coder.next(block); !ok || count == blockMappings {
			return refuseIndex("a block of mappings is broken")
		}
		if !visit(&coder.mapping) {
			break
		}
	}
	return nil
}

// findBlock returns the last block that begins at or before the position, and where it ends; its number is -1 when there is none.
func (x *Index) findBlock(line, column uint32) (number int64, entry blockEntry, end int64, err error) {
	isAfter := func(position []byte) bool {
		first := mapping{line: binary.LittleEndian.Uint32(position), column: binary.LittleEndian.Uint32(position[4:])}
		return !first.comesBefore(line, column+1)
	}
	stretch := sort.Search(len(x.root)/rootEntrySize, func(i int) bool { return isAfter(x.root[i*rootEntrySize:]) }) - 1
	if stretch < 0 {
		return -1, entry, 0, nil
	}
	from := int64(stretch) * rootFanout
	to := min(from+rootFanout+1, int64(x.header.blocks)) // one more, for the end of the last block
	directory, err := x.readSection(directorySection, from*blockEntrySize, to*blockEntrySize)
	if err != nil {
		return -1, entry, 0, err
	}
	within := sort.Search(int(min(to-from, rootFanout)), func(i int) bool { return isAfter(directory[i*blockEntrySize:]) }) - 1
	if within < 0 {
		return -1, entry, 0, refuseIndex("its root does not match its directory")
	}
	entry = decodeBlockEntry(directory[within*blockEntrySize:])
	end = x.header.sectionEnd(blockSection) - x.header.offsets[blockSection]
	if next := (within + 1) * blockEntrySize; next < len(directory) {
		end = int64(decodeBlockEntry(directory[next:]).offset)
	}
	return from + int64(within), entry, end, nil
}
