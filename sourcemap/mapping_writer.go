package sourcemap

import (
	"hash/crc32"
	"slices"
)

// maxUnsorted bounds the mappings of an unsorted line: they are sorted in memory.
const maxUnsorted = 1_000_000

// checksums is the table of all CRCs of an index.
var checksums = crc32.MakeTable(crc32.Castagnoli)

// blockEntry is the directory's entry for one block.
type blockEntry struct {
	line, column uint32 // of its first mapping
	offset       uint32 // in the section of blocks
	checksum     uint32
}

// mappingWriter packs mappings into blocks. Mappings come line by line; within a line they may be in any order, though maps are
// rarely unsorted. Of several mappings for one position the first with a source stays.
type mappingWriter struct {
	blocks    chunks
	directory []blockEntry
	count     int

	pending []mapping // the block that is being filled
	scratch []byte

	lineBlock int       // the block in which the last line begins
	unsorted  []mapping // all mappings of the last line, when it is out of order
	sorting   bool
}

func newMappingWriter() *mappingWriter {
	return &mappingWriter{pending: make([]mapping, 0, blockMappings)}
}

func (w *mappingWriter) add(m *mapping) error {
	if w.sorting {
		if m.line == w.unsorted[0].line {
			return w.addUnsorted(m)
		}
		w.sortLine()
	}
	if len(w.pending) > 0 {
		last := &w.pending[len(w.pending)-1]
		switch {
		case last.line != m.line:
			w.lineBlock = len(w.directory)
			if len(w.pending) == blockMappings {
				w.lineBlock++
			}
		case last.column > m.column:
			if (len(w.directory)-w.lineBlock)*blockMappings > maxUnsorted {
				return refuseUnsorted(m.line)
			}
			w.reopenLine()
			return w.addUnsorted(m)
		case last.column == m.column:
			if !last.hasSource {
				*last = *m
			}
			return nil
		}
	}
	if len(w.pending) == blockMappings {
		w.flushBlock()
	}
	w.pending = append(w.pending, *m)
	return nil
}

// walkMappings calls visit with the mappings in blocks, starting at a block, until visit fails.
func (w *mappingWriter) walkMappings(from int, visit func(*mapping) error) error {
	for i := from; i < len(w.directory); i++ {
		entry, end := w.directory[i], w.blocks.size
		if i+1 < len(w.directory) {
			end = int64(w.directory[i+1].offset)
		}
		coder := startBlock(entry.line, entry.column)
		for block := w.blocks.copyRange(int64(entry.offset), end); len(block) > 0; {
			block, _ = coder.next(block)
			if err := visit(&coder.mapping); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *mappingWriter) addUnsorted(m *mapping) error {
	if len(w.unsorted) == maxUnsorted {
		return refuseUnsorted(m.line)
	}
	w.unsorted = append(w.unsorted, *m)
	return nil
}

func refuseUnsorted(line uint32) error {
	return refuseMappings("more than %d mappings out of order in generated line %d", maxUnsorted, line+1)
}

// flushBlock writes the pending mappings as a block.
func (w *mappingWriter) flushBlock() {
	if len(w.pending) == 0 {
		return
	}
	first := &w.pending[0]
	coder := startBlock(first.line, first.column)
	block := w.scratch[:0]
	for i := range w.pending {
		block = coder.append(block, &w.pending[i])
	}
	w.directory = append(w.directory, blockEntry{
		line: first.line, column: first.column, offset: uint32(w.blocks.size), checksum: crc32.Checksum(block, checksums),
	})
	w.blocks.append(block)
	w.count += len(w.pending)
	w.scratch, w.pending = block, w.pending[:0]
}

// reopenLine takes the last line back out of its blocks, so that it can be sorted. The mappings before it in its first block stay
// pending.
func (w *mappingWriter) reopenLine() {
	line := w.pending[len(w.pending)-1].line
	all := make([]mapping, 0, (len(w.directory)-w.lineBlock+1)*blockMappings)
	_ = w.walkMappings(w.lineBlock, func(m *mapping) error {
		all = append(all, *m)
		return nil
	})
	if w.lineBlock < len(w.directory) {
		w.blocks.truncate(int64(w.directory[w.lineBlock].offset))
		w.directory = w.directory[:w.lineBlock]
		w.count -= len(all)
	}
	all = append(all, w.pending...)
	begin := slices.IndexFunc(all, func(m mapping) bool { return m.line == line })
	w.pending = append(w.pending[:0], all[:begin]...)
	w.unsorted, w.sorting = append(w.unsorted[:0], all[begin:]...), true
}

// sortLine writes the last line, which was out of order.
func (w *mappingWriter) sortLine() {
	line := w.unsorted
	w.unsorted, w.sorting = nil, false
	slices.SortStableFunc(line, func(a, b mapping) int { return int(int64(a.column) - int64(b.column)) })
	for i := range line {
		_ = w.add(&line[i]) // sorted mappings cannot fail
	}
}

// finish writes the remaining mappings.
func (w *mappingWriter) finish() {
	if w.sorting {
		w.sortLine()
	}
	w.flushBlock()
}
