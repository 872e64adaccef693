package ingest

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"
)

// saysItIsLarge reports whether a packed body declares more than largeBody bytes. Such a body waits for its turn before it is
// opened, because a decompressor takes the memory that a body asks for.
func saysItIsLarge(body []byte, encoding string) bool {
	switch encoding {
	case "br":
		return brotliBlockSize(body) > largeBody
	case "zstd":
		var header zstd.Header
		return header.Decode(body) == nil && header.HasFCS && header.FrameContentSize > largeBody
	case "gzip", "x-gzip":
		return len(body) >= 18 && binary.LittleEndian.Uint32(body[len(body)-4:]) > largeBody // of its last member (RFC 1952, 2.3.1)
	}
	return false
}

// brotliBits are the first bits of a brotli stream (RFC 7932, 9), lowest first.
type brotliBits uint64

func (b *brotliBits) take(n int) int {
	value := *b & (1<<n - 1)
	*b >>= n
	return int(value)
}

func newBrotliBits(body []byte) brotliBits {
	var start [8]byte
	copy(start[:], body)
	return brotliBits(binary.LittleEndian.Uint64(start[:]))
}

// takeWindowBits returns the logarithm of the window's size (RFC 7932, 9.1: WBITS). The code of an extension that decoders refuse
// counts as the largest window.
func (b *brotliBits) takeWindowBits() int {
	if b.take(1) == 0 {
		return 16
	}
	if n := b.take(3); n != 0 {
		return 17 + n
	}
	switch n := b.take(3); n {
	case 0:
		return 17
	case 1:
		return 24
	default:
		return 8 + n
	}
}

// brotliWindowBits returns the logarithm of the window size that a stream asks for.
func brotliWindowBits(body []byte) int {
	bits := newBrotliBits(body)
	return bits.takeWindowBits()
}

// brotliBlockSize returns the size of a stream's first block in bytes after decompression (RFC 7932, 9.2: MLEN). It is 0 for a
// block without a size, such as an empty last block.
func brotliBlockSize(body []byte) int {
	bits := newBrotliBits(body)
	bits.takeWindowBits()
	isLast := bits.take(1) == 1
	if isLast && bits.take(1) == 1 {
		return 0
	}
	nibbles := 4 + bits.take(2)
	if nibbles == 7 { // metadata, which decoders skip
		return 0
	}
	return bits.take(4*nibbles) + 1
}
