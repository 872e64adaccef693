package sourcemap_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"errand/sourcemap"
)

// The positions of an index's fields. The format is an interface: indexes are stored, and made by other versions.
const (
	versionAt  = 8
	checksumAt = 12
	hashAt     = 16
	sizeAt     = 48
	flagsAt    = 72
	countsAt   = 76
	rawSizeAt  = 96
	offsetsAt  = 104
	headerSize = 192
)

// The sections that tests break, in their order.
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
)

func sectionStart(index []byte, section int) int {
	return int(binary.LittleEndian.Uint64(index[offsetsAt+8*section:]))
}

// sealIndex writes the right hash and checksum, so that a broken part is found by its content.
func sealIndex(index []byte) {
	binary.LittleEndian.PutUint64(index[sizeAt:], uint64(len(index)))
	hash := sha256.Sum256(index[sizeAt:])
	copy(index[hashAt:], hash[:])
	if end := sectionStart(index, sourceSection); end >= hashAt && end <= len(index) {
		sum := crc32.Checksum(index[hashAt:end], crc32.MakeTable(crc32.Castagnoli))
		binary.LittleEndian.PutUint32(index[checksumAt:], sum)
	}
}

func putNumber(at int, value uint32) func([]byte) []byte {
	return func(index []byte) []byte {
		binary.LittleEndian.PutUint32(index[at:], value)
		return index
	}
}

// putInSection writes a number at an offset of a section.
func putInSection(section, offset int, value uint32) func([]byte) []byte {
	return func(index []byte) []byte { return putNumber(sectionStart(index, section)+offset, value)(index) }
}

// spoiledIndexes are indexes of generateMap(2, 3000), each broken in one place.
var spoiledIndexes = []struct {
	name   string
	spoil  func(index []byte) []byte
	sealed bool // with the right hash and checksum
	detail string
}{
	{"nothing", func([]byte) []byte { return nil }, false, "does not begin"},
	{"a header cut off", func(b []byte) []byte { return b[:headerSize-1] }, false, "does not begin"},
	{"JSON", func([]byte) []byte { return bytes.Repeat([]byte("{}"), 200) }, false, "does not begin"},
	{"another version", putNumber(versionAt, 2), true, "version 2"},
	{"cut off", func(b []byte) []byte { return b[:len(b)-1] }, false, "says that it is"},
	{"more at the end", func(b []byte) []byte { return append(b, 0) }, false, "says that it is"},
	{"a wrong checksum", putNumber(checksumAt, 1), false, "checksum of its header"},
	{"a wrong hash", func(b []byte) []byte {
		b[hashAt] ^= 1
		sum := crc32.Checksum(b[hashAt:sectionStart(b, sourceSection)], crc32.MakeTable(crc32.Castagnoli))
		return putNumber(checksumAt, sum)(b)
	}, false, "its hash"},
	{"a changed byte", func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, false, "its hash"},
	{"unknown flags", putNumber(flagsAt, 2), true, "flags"},
	{"more mappings than blocks have", putNumber(countsAt, 64*100), true, "do not match"},
	{"fewer mappings than blocks have", putNumber(countsAt, 5999), true, "says that there are 5999"},
	{"more blocks", putNumber(countsAt+4, 1000), true, "section"},
	{"billions of blocks", putNumber(countsAt+4, math.MaxUint32), true, "section"},
	{"more sources", putNumber(countsAt+8, 3), true, "section"},
	{"billions of sources", putNumber(countsAt+8, math.MaxUint32), true, "too many"},
	{"billions of names", putNumber(countsAt+12, math.MaxUint32), true, "too many"},
	{"more blocks of contents", putNumber(countsAt+16, 1), true, "section"},
	{"contents of gigabytes", putNumber(rawSizeAt, math.MaxUint32), true, "contents are more than"},
	{"contents below zero", putNumber(rawSizeAt+4, math.MaxUint32), true, "contents are more than"},
	{"longer contents", putNumber(rawSizeAt, 1<<20), true, "contents do not match"},
	{"a section that begins in the header", putNumber(offsetsAt, 8), true, "root does not follow"},
	{"a section beyond the end", putNumber(offsetsAt+8*contentSection, 1<<30), true, "section"},
	{"a section far beyond the end", putNumber(offsetsAt+8*contentSection+4, 1<<31), true, "section"},
	{"a root of another directory", putInSection(rootSection, 4, 1), true, "root does not match"},
	{"a source with a text beyond the end", putInSection(sourceSection, 4, 1<<20), true, "a source with offsets"},
	{"a source with a content beyond the end", putInSection(sourceSection, 12, 1<<30), true, "a source with offsets"},
	{"a source that ends before it begins", putInSection(sourceSection, 8, 1<<30), true, "a source with offsets"},
	{"a source with flags", putInSection(sourceSection, 20, 255), true, "a source with offsets"},
	{"a name beyond the end", putInSection(nameOffsetSection, 4, 1<<30), true, "a name with offsets"},
	{"names out of order", putInSection(nameOffsetSection, 400, 0), true, "a name with offsets"},
	{"a first block that is not at the start", putInSection(directorySection, 8, 1), true, "not at the start"},
	{"a block beyond the end", putInSection(directorySection, 16+8, 1<<30), true, "wrong length"},
	{"blocks out of order", putInSection(directorySection, 5*16+8, 1), true, "wrong length"},
	{"a block with another position", putInSection(directorySection, 5*16+4, 1), true, "out of order"},
	{"a block with another checksum", putInSection(directorySection, 5*16+12, 1), true, "checksum of a block"},
	{"changed mappings", putInSection(blockSection, 0, math.MaxUint32), true, "checksum of a block"},
	{"contents that are not compressed", putInSection(contentSection, 0, 0), true, "does not unpack"},
	{"contents in the wrong place", putInSection(tableSection, 8, 7), true, "does not unpack"},
	{"contents beyond the end", putInSection(tableSection, 8, 1<<30), true, "wrong length"},
	{"a wrong count of lines", putInSection(tableSection, 12, 7), true, "table of the contents"},
}

func TestCheckIndexRefuses(t *testing.T) {
	t.Parallel()
	index := encodeBuilt(t, buildMap(t, generateMap(2, 3000)))
	for _, test := range spoiledIndexes {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			broken := test.spoil(bytes.Clone(index))
			if test.sealed {
				sealIndex(broken)
			}

			_, err := sourcemap.CheckIndex(bytes.NewReader(broken), int64(len(broken)))

			invalid, ok := errors.AsType[*sourcemap.Invalid](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, sourcemap.BrokenIndex, invalid.Reason)
			require.ErrorContains(t, err, test.detail)
			readAll(broken)
		})
	}
}

// readAll reads an index that may be broken in any way: it must end without a panic.
func readAll(index []byte) {
	x, err := sourcemap.Open(bytes.NewReader(index), int64(len(index)), sourcemap.NewCache(testCache))
	if err != nil {
		return
	}
	for _, position := range [][2]int{{1, 1}, {1, 400}, {1, 29_991}, {2, 1}, {2, 700}, {math.MaxInt32, math.MaxInt32}} {
		if p, found, err := x.LookUp(position[0], position[1]); err == nil && found {
			_, _, _ = x.CutContext(&p, 20)
		}
	}
	_, _ = x.ListSources()
}

// A block that unpacks to more than its declared size costs no more than that size.
func TestCheckIndexRefusesBombs(t *testing.T) {
	const bombSize, mostMemory = 64 << 20, 4 << 20
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	bomb := encoder.EncodeAll(make([]byte, bombSize), nil)
	index := encodeBuilt(t, buildMap(t, `{"version":3,"sources":["a"],"sourcesContent":["text"],"mappings":"AAAA"}`))
	index = append(index[:sectionStart(index, contentSection)], bomb...)
	sealIndex(index)

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = sourcemap.CheckIndex(bytes.NewReader(index), int64(len(index)))
	runtime.ReadMemStats(&after)

	require.ErrorContains(t, err, "does not unpack")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(mostMemory))
}

func TestOpenRefusesLargeFiles(t *testing.T) {
	t.Parallel()
	_, err := sourcemap.Open(bytes.NewReader(nil), sourcemap.MaxIndexSize+1, sourcemap.NewCache(0))
	require.ErrorContains(t, err, "longer than")
}

// failingReader fails after the head of an index is read.
type failingReader struct {
	io.ReaderAt
	err error
}

func (r *failingReader) ReadAt(into []byte, offset int64) (int, error) {
	if offset > 0 {
		return 0, r.err
	}
	return r.ReaderAt.ReadAt(into, offset)
}

// An error of the storage is not an error of the index: the map may be read again later.
func TestErrorsOfStorage(t *testing.T) {
	t.Parallel()
	index := encodeBuilt(t, buildMap(t, generateMap(2, 3000)))
	away := errors.New("the storage is away")
	reader := &failingReader{ReaderAt: bytes.NewReader(index), err: away}
	x, err := sourcemap.Open(reader, int64(len(index)), sourcemap.NewCache(testCache))
	require.NoError(t, err)

	_, _, err = x.LookUp(2, 100)

	require.ErrorIs(t, err, away)
	_, isInvalid := errors.AsType[*sourcemap.Invalid](err)
	require.False(t, isInvalid)
	_, err = sourcemap.CheckIndex(reader, int64(len(index)))
	require.ErrorIs(t, err, away)
}
