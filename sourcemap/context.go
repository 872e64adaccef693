package sourcemap

import (
	"bytes"
	"encoding/binary"
	"sort"
)

// The limits of CutContext: lines before and after, and bytes of a line.
const (
	maxContextLines = 20
	maxLineBytes    = 1 << 10
	maxLineBlocks   = 4 // blocks that are searched for the end of a line
)

// Context is source code around a line.
type Context struct {
	Before []string // at most as many lines as asked for, the one right before the line last
	Line   string
	After  []string
}

// CutContext returns the line of a position and up to lines (at most 20) lines before and after it, each cut to 1 KB, from the
// map's sourcesContent. It finds nothing when the map has no content for the source, or too little.
func (x *Index) CutContext(p *Position, lines int) (c Context, found bool, err error) {
	if !p.hasContent {
		return Context{}, false, nil
	}
	lines = max(0, min(lines, maxContextLines))
	first := uint32(max(0, int64(p.line)-int64(lines)))
	reader, found, err := x.seekLine(&p.source, first)
	if err != nil || !found {
		return Context{}, false, err
	}
	c.Before = make([]string, 0, p.line-first)
	c.After = make([]string, 0, lines)
	for number := first; number <= p.line+uint32(lines); number++ {
		text, ok, err := reader.nextLine()
		if err != nil {
			return Context{}, false, err
		}
		switch {
		case !ok && number <= p.line:
			return Context{}, false, nil
		case !ok:
			return c, true, nil
		case number < p.line:
			c.Before = append(c.Before, text)
		case number == p.line:
			c.Line = text
		default:
			c.After = append(c.After, text)
		}
	}
	return c, true, nil
}

// lineReader reads lines of a source, from block to block of the contents.
type lineReader struct {
	index *Index
	block int64  // the number of the next block
	text  []byte // the rest of the last block
	left  int64  // unread bytes of the source, beginning with text
}

// seekLine returns a reader at the start of a line of the source, 0-based.
func (x *Index) seekLine(source *sourceEntry, line uint32) (*lineReader, bool, error) {
	if source.rawStart > source.rawEnd || int64(source.rawEnd) > x.header.rawContents {
		return nil, false, refuseIndex("a source's content is outside of the contents")
	}
	begins := int64(source.rawStart) / contentBlock
	block, before, err := x.findContentBlock(uint64(source.firstLine)+uint64(line), begins)
	if err != nil {
		return nil, false, err
	}
	start, skip := int64(source.rawStart), int64(line)
	if block != begins {
		start, skip = block*contentBlock, int64(source.firstLine)+int64(line)-int64(before)
	}
	r := &lineReader{index: x, block: block, left: int64(source.rawEnd) - start}
	if r.left <= 0 {
		return nil, false, nil
	}
	if err := r.loadBlock(start % contentBlock); err != nil {
		return nil, false, err
	}
	return r, r.skipLines(skip), nil
}

// skipLines skips lines that end in the current block, and reports whether there were enough. Counting the line ends a kilobyte
// at a time is ten times as fast as finding each.
func (r *lineReader) skipLines(count int64) bool {
	const stride = 1 << 10
	for count > 0 {
		end := min(stride, len(r.text))
		if ends := int64(bytes.Count(r.text[:end], []byte{'\n'})); end == stride && ends < count {
			count -= ends
		} else {
			if end = bytes.IndexByte(r.text, '\n') + 1; end == 0 {
				return false
			}
			count--
		}
		r.text, r.left = r.text[end:], r.left-int64(end)
	}
	return true
}

// findContentBlock returns the block that contains the start of a line in all contents, at least the block number from, and how
// many lines are before that block.
func (x *Index) findContentBlock(line uint64, from int64) (block int64, before uint32, err error) {
	count := int64(x.header.contentBlocks)
	var failed error
	linesBefore := func(number int64) uint32 {
		entry, err := x.readTable(number)
		if err != nil {
			failed = err
		}
		return entry.lines
	}
	later := sort.Search(int(max(0, count-from-1)), func(i int) bool { return uint64(linesBefore(from+1+int64(i))) >= line })
	block = from + int64(later)
	if block < count {
		before = linesBefore(block)
	}
	return block, before, failed
}

// tableEntry is the line of the table for one block of contents.
type tableEntry struct{ offset, lines uint32 }

func (x *Index) readTable(number int64) (tableEntry, error) {
	b, err := x.readSection(tableSection, number*tableEntrySize, (number+1)*tableEntrySize)
	if err != nil {
		return tableEntry{}, err
	}
	return tableEntry{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}, nil
}

// nextLine returns the next line of the source, cut to maxLineBytes. A line that continues for several blocks is the last:
// finding its end costs more than the text after it is worth.
func (r *lineReader) nextLine() (line string, ok bool, err error) {
	if r.left <= 0 {
		return "", false, nil
	}
	var kept []byte
	for loads := 0; ; loads++ {
		end := bytes.IndexByte(r.text, '\n')
		if end >= 0 {
			kept = appendCut(kept, r.text[:end])
			r.text, r.left = r.text[end+1:], r.left-int64(end+1)
			break
		}
		kept = appendCut(kept, r.text)
		if r.left -= int64(len(r.text)); r.left <= 0 {
			break
		}
		if loads == maxLineBlocks {
			r.left = 0
			break
		}
		if err := r.loadBlock(0); err != nil {
			return "", false, err
		}
	}
	return cleanText(kept), true, nil
}

// appendCut appends a part of a line, up to the longest line.
func appendCut(kept, part []byte) []byte {
	part = part[:min(len(part), maxLineBytes-len(kept))]
	if len(kept) == 0 {
		return part // nearly always the whole line: no copy is needed
	}
	return append(kept[:len(kept):len(kept)], part...)
}

// loadBlock unpacks the next block and continues at start.
func (r *lineReader) loadBlock(start int64) error {
	raw, err := r.index.unpackBlock(r.block)
	if err != nil {
		return err
	}
	if start >= int64(len(raw)) {
		return refuseIndex("a source's content is outside of the contents")
	}
	r.block++
	r.text = raw[start:]
	r.text = r.text[:min(int64(len(r.text)), r.left)]
	return nil
}

// unpackBlock returns a block of contents, from the cache if it is there.
func (x *Index) unpackBlock(number int64) ([]byte, error) {
	key := pageKey{hash: x.header.hash, kind: contentPage, number: uint32(number)}
	return x.cache.findPage(key, func() ([]byte, error) {
		start, end, err := x.findPacked(number)
		if err != nil {
			return nil, err
		}
		packed, err := readExactly(x.reader, start, end-start)
		if err != nil {
			return nil, err
		}
		return x.cache.unpackBlock(packed, x.header.rawLength(number))
	})
}

// findPacked returns the position of a block of contents in the file.
func (x *Index) findPacked(number int64) (start, end int64, err error) {
	entry, err := x.readTable(number)
	if err != nil {
		return 0, 0, err
	}
	base, limit := x.header.offsets[contentSection], x.header.size
	start, end = base+int64(entry.offset), limit
	if number+1 < int64(x.header.contentBlocks) {
		next, err := x.readTable(number + 1)
		if err != nil {
			return 0, 0, err
		}
		end = base + int64(next.offset)
	}
	const mostPacked = contentBlock + contentBlock/8 + 64 // incompressible text grows a little
	if start > end || end > limit || end-start > mostPacked {
		return 0, 0, refuseIndex("block %d of the contents has a wrong length", number)
	}
	return start, end, nil
}

// rawLength is how long a block of contents is before compression.
func (h *header) rawLength(number int64) int64 {
	return min(contentBlock, h.rawContents-number*contentBlock)
}

// unpackBlock decompresses a block that must be length bytes long. It never takes more memory than that.
func (c *Cache) unpackBlock(packed []byte, length int64) ([]byte, error) {
	if length <= 0 || length > contentBlock {
		return nil, refuseIndex("a block of the contents that is not there")
	}
	raw, err := c.decoder.DecodeAll(packed, make([]byte, 0, length))
	if err != nil || int64(len(raw)) != length {
		return nil, refuseIndex("a block of the contents does not unpack to its %d bytes", length)
	}
	return raw, nil
}
