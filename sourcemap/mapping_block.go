package sourcemap

import "encoding/binary"

// mapping is the original position of a piece of generated code. Lines and columns are 0-based, as in maps.
type mapping struct {
	line, column uint32 // of the generated code

	hasSource, hasName           bool
	source, name                 uint32 // in the lists of the map
	originalLine, originalColumn uint32
}

// comesBefore reports whether m starts before line and column of the generated code.
func (m *mapping) comesBefore(line, column uint32) bool {
	return m.line < line || m.line == line && m.column < column
}

// blockMappings is how many mappings form a block: a look-up has to decode a block.
const blockMappings = 64

// maxBlockBytes bounds a block: a mapping has at most seven numbers, of at most five bytes each.
const maxBlockBytes = blockMappings * 7 * binary.MaxVarintLen32

// A block is a list of mappings. Each begins with a number: its two low bits are one of these tags, and the rest is the distance
// in columns from the previous mapping.
const (
	tagBare   = iota // no source
	tagSource        // source, original line and original column follow
	tagNamed         // the same, and the name follows
	tagLine          // the rest is a distance in lines; the mapping itself follows, its column counted from 0
	tagBits   = 2
)

// blockCoder is the base of the numbers in a block: the previous mapping, or in a new block only its first position, which is in
// the directory.
type blockCoder struct{ mapping }

func startBlock(line, column uint32) blockCoder {
	return blockCoder{mapping{line: line, column: column}}
}

// append appends a mapping to a block.
func (c *blockCoder) append(block []byte, m *mapping) []byte {
	if m.line != c.line {
		block = binary.AppendUvarint(block, uint64(m.line-c.line)<<tagBits|tagLine)
		c.line, c.column = m.line, 0
	}
	tag := uint64(tagBare)
	switch {
	case m.hasName:
		tag = tagNamed
	case m.hasSource:
		tag = tagSource
	}
	block = binary.AppendUvarint(block, uint64(m.column-c.column)<<tagBits|tag)
	c.column = m.column
	if !m.hasSource {
		return block
	}
	block = appendDifference(block, m.source, &c.source)
	block = appendDifference(block, m.originalLine, &c.originalLine)
	block = appendDifference(block, m.originalColumn, &c.originalColumn)
	if m.hasName {
		block = appendDifference(block, m.name, &c.name)
	}
	return block
}

// appendDifference writes the difference between value and before, with the sign in the lowest bit.
func appendDifference(block []byte, value uint32, before *uint32) []byte {
	difference := int32(value - *before)
	*before = value
	zigzag := uint32(difference<<1) ^ uint32(difference>>31)
	if zigzag < 0x80 {
		return append(block, byte(zigzag))
	}
	return binary.AppendUvarint(block, uint64(zigzag))
}

// next decodes the mapping at the start of a block into the coder, and returns the rest; ok is false when the block is broken.
func (c *blockCoder) next(block []byte) (rest []byte, ok bool) {
	head, block, ok := cutNumber(block)
	if ok && head&(1<<tagBits-1) == tagLine {
		c.line, c.column = c.line+uint32(head>>tagBits), 0
		head, block, ok = cutNumber(block)
	}
	tag := head & (1<<tagBits - 1)
	if !ok || tag == tagLine {
		return nil, false
	}
	c.column += uint32(head >> tagBits)
	c.hasSource, c.hasName = tag != tagBare, tag == tagNamed
	if !c.hasSource {
		return block, true
	}
	for _, field := range [...]*uint32{&c.source, &c.originalLine, &c.originalColumn, &c.name} {
		if field == &c.name && !c.hasName {
			break
		}
		var zigzag uint64
		if zigzag, block, ok = cutNumber(block); !ok {
			return nil, false
		}
		*field += uint32(zigzag>>1) ^ -uint32(zigzag&1)
	}
	return block, true
}

// cutNumber reads the number at the start of a block: at most 34 bits, as a column and a tag need.
func cutNumber(block []byte) (number uint64, rest []byte, ok bool) {
	if len(block) > 0 && block[0] < 0x80 {
		return uint64(block[0]), block[1:], true
	}
	number, length := binary.Uvarint(block)
	if length <= 0 || number >= 1<<(32+tagBits) {
		return 0, nil, false
	}
	return number, block[length:], true
}
