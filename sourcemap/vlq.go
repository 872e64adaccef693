package sourcemap

import "math"

// Classes of the characters in `mappings` that are not digits of base 64.
const (
	isComma     = 0x80
	isSemicolon = 0x81
	isForeign   = 0xff
)

// vlqDigits is the value of each character of `mappings`: a digit of base 64, or one of the classes above.
var vlqDigits = func() (table [256]byte) {
	for i := range table {
		table[i] = isForeign
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		table[c] = byte(i)
	}
	table[','], table[';'] = isComma, isSemicolon
	return table
}()

// The numbers of a mapping in the order of `mappings`; all but the first may be missing.
const (
	generatedColumn = iota
	originalSource
	originalLine
	originalColumn
	originalName
	mappingFields
)

var fieldNames = [mappingFields]string{"generated column", "source", "original line", "original column", "name"}

// mappingDecoder decodes `mappings` (ECMA-426, Mappings structure), which comes in chunks that may end anywhere.
type mappingDecoder struct {
	writer *mappingWriter

	line   uint32               // of the generated code, from 0
	fields [mappingFields]int64 // values of the previous mapping
	filled int                  // numbers of this mapping so far
	joined bool                 // a comma came before this mapping

	value     uint64 // of the current number
	shift     uint
	continues bool // the current number has more digits

	maxSource, maxName int64 // the largest indexes, -1 for none: the lists may come later

	// The start of a section, whose column counts on its first line; then the position of its last mapping.
	firstColumn            int64
	firstSource, firstName uint32
	end                    generatedPosition
	isUsed                 bool // there are mappings
}

// generatedPosition is a place in the generated code, both numbers from 0.
type generatedPosition struct{ line, column uint32 }

func (p generatedPosition) isBefore(other generatedPosition) bool {
	return p.line < other.line || p.line == other.line && p.column < other.column
}

func newMappingDecoder(writer *mappingWriter) *mappingDecoder {
	return &mappingDecoder{writer: writer, maxSource: -1, maxName: -1}
}

func (d *mappingDecoder) decode(chunk []byte) error {
	value, shift := d.value, d.shift
	for _, c := range chunk {
		digit := vlqDigits[c]
		switch {
		case digit < 64:
			if bits := uint64(digit & 31); shift < 35 {
				value |= bits << shift
				shift += 5
			} else if bits != 0 {
				return d.refuse("a number of more than 32 bits")
			}
			if d.continues = digit&32 != 0; d.continues {
				continue
			}
			if d.addPlain(value) {
				break
			}
			if err := d.addNumber(value); err != nil {
				return err
			}
		case digit == isForeign:
			return d.refuse("a character that is not base 64")
		case d.continues:
			return d.refuse("a number without an end")
		default:
			if err := d.endMapping(digit == isComma); err != nil {
				return err
			}
		}
		value, shift = 0, 0
	}
	d.value, d.shift = value, shift
	return nil
}

// finish ends the last line.
func (d *mappingDecoder) finish() error {
	if d.continues {
		return d.refuse("a number without an end")
	}
	return d.endMapping(false)
}

// addPlain is a version of addNumber for most numbers, short enough to be inlined; it reports whether it added the number.
func (d *mappingDecoder) addPlain(value uint64) bool {
	if d.filled >= mappingFields || value > math.MaxUint32 || value == 1 {
		return false
	}
	sum := d.fields[d.filled] + (int64(value>>1) ^ -int64(value&1)) + int64(value&1)
	if uint64(sum) > math.MaxInt32 {
		return false
	}
	d.fields[d.filled] = sum
	d.filled++
	return true
}

// addNumber adds a number to its field: each field counts from its value in the previous mapping.
func (d *mappingDecoder) addNumber(value uint64) error {
	if d.filled == mappingFields {
		return d.refuse("a mapping of more than five numbers")
	}
	if value > math.MaxUint32 {
		return d.refuse("a number of more than 32 bits")
	}
	difference := int64(value >> 1)
	if value&1 != 0 {
		if difference = -difference; difference == 0 {
			difference = math.MinInt32 // ECMA-426, VLQSignedValue
		}
	}
	sum := d.fields[d.filled] + difference
	if sum < 0 || sum > math.MaxInt32 {
		return d.refuse(fieldNames[d.filled] + " out of range")
	}
	d.fields[d.filled] = sum
	d.filled++
	return nil
}

// endMapping adds the mapping that ends at a comma, a semicolon or the end of `mappings`.
func (d *mappingDecoder) endMapping(atComma bool) error {
	switch d.filled {
	case 0:
		if atComma || d.joined {
			return d.refuse("an empty mapping")
		}
	case 1, 4, 5:
		column := d.fields[generatedColumn] + d.firstColumn
		if column > math.MaxInt32 || d.line > math.MaxInt32 {
			return d.refuse("a mapping beyond what can be looked up")
		}
		m := &mapping{line: d.line, column: uint32(column)}
		if position := (generatedPosition{m.line, m.column}); !d.isUsed || d.end.isBefore(position) {
			d.end, d.isUsed = position, true
		}
		if d.filled > 1 {
			m.hasSource, m.source = true, d.firstSource+uint32(d.fields[originalSource])
			m.originalLine, m.originalColumn = uint32(d.fields[originalLine]), uint32(d.fields[originalColumn])
			d.maxSource = max(d.maxSource, d.fields[originalSource])
		}
		if d.filled > 4 {
			m.hasName, m.name = true, d.firstName+uint32(d.fields[originalName])
			d.maxName = max(d.maxName, d.fields[originalName])
		}
		if err := d.writer.add(m); err != nil {
			return err
		}
	default:
		return d.refuse("a mapping of two or three numbers")
	}
	d.filled, d.joined = 0, atComma
	if !atComma {
		d.line++
		d.fields[generatedColumn], d.firstColumn = 0, 0
	}
	return nil
}

func (d *mappingDecoder) refuse(what string) error {
	return refuseMappings("%s in generated line %d", what, d.line+1)
}
