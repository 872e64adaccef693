package ingest

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"runtime"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"errand/core"
)

// largeBody is the size in bytes, after decompression, beyond which bodies are worked on one at a time: the pipeline takes many
// times the body's size.
const largeBody = 256 << 10

// keptOutput is the largest output after which an unpacker keeps its buffer and its decompressor for the next body.
const keptOutput = 512 << 10

// unpackers do the work between reading and storing that takes only processors: decompression and the pipeline. There are as many
// as can run at the same time, so that a waiting request holds its body as it was sent and nothing more. Projects share them
// fairly: bodies of a project that take long wait behind those from others.
type unpackers struct {
	idle  chan *unpacker
	any   *turns // for an unpacker
	large *turns // for a body of more than largeBody bytes
	first *firstLines
	trust time.Duration // trustedTime; tests that measure no time raise it
}

func newUnpackers() *unpackers {
	n := 2 * runtime.GOMAXPROCS(0)
	u := &unpackers{
		idle: make(chan *unpacker, n), any: newTurns(n, false), large: newTurns(1, true), first: newFirstLines(), trust: trustedTime,
	}
	for range n {
		u.idle <- new(unpacker)
	}
	return u
}

// errOutgrown says that a body is larger than its limit.
var errOutgrown = errors.New("ingest: the body is larger than its room")

// packedBody is a body as it was sent.
type packedBody struct {
	body         []byte
	encoding     string
	mayBeWrapped bool // base64 may be around it, as unwrapBase64 removes
	isEnvelope   bool // the items that are dropped are left out of a long one
	skipsLittle  bool // dropped items count towards the limit
	limit        int  // the largest size after decompression
	sender       sender
}

// openBody decompresses a body and calls work with its text, which is valid until work returns. A body over the limit, such as a
// compression bomb, is payload_too_large.
func (u *unpackers) openBody(ctx context.Context, packed packedBody, work func(text []byte) error) error {
	err := errOutgrown
	if packed.limit <= largeBody || len(packed.body) <= largeBody && !saysItIsLarge(packed.body, packed.encoding) {
		err = u.tryOpen(ctx, packed, min(packed.limit, largeBody), work)
	}
	if errors.Is(err, errOutgrown) && packed.limit > largeBody {
		end, busy := u.large.takeTurn(ctx, packed.sender)
		if busy != nil {
			return busy
		}
		defer end()
		packed.skipsLittle = u.large.hasUsedMuch(packed.sender, u.trust)
		err = u.tryOpen(ctx, packed, packed.limit, work)
	}
	if errors.Is(err, errOutgrown) {
		return errTooLarge(int64(packed.limit))
	}
	return err
}

// tryOpen waits for an unpacker and opens the body with it. It returns errOutgrown for a text of more than maxSize bytes.
func (u *unpackers) tryOpen(ctx context.Context, packed packedBody, maxSize int, work func(text []byte) error) error {
	end, err := u.any.takeTurn(ctx, packed.sender)
	if err != nil {
		return err
	}
	defer end()
	one := <-u.idle // there is one for each turn
	defer func() { u.idle <- one }()
	text, err := one.unpackBody(packed, maxSize)
	if err == nil && packed.mayBeWrapped {
		text, err = one.unwrapBase64(text, maxSize)
	}
	if err != nil {
		*one = unpacker{} // an attack may have blown up its buffers
		if errors.Is(err, errOutgrown) {
			return err
		}
		return errEncoding(err)
	}
	if cap(one.output) > keptOutput {
		defer func() { *one = unpacker{} }()
	}
	return work(text)
}

func errEncoding(err error) error {
	return core.RefuseField("", "the body is truncated, or not what its Content-Encoding says").Because(err)
}

// unpacker decompresses one body at a time. It makes its decompressors when they are needed, and uses them again.
type unpacker struct {
	gzip   *gzip.Reader
	zlib   io.Reader
	flate  io.Reader
	br     *brotli.Reader
	zstd   *zstd.Decoder
	output []byte
}

// unpackBody undoes a Content-Encoding. It returns errOutgrown for a text of more than maxSize bytes.
func (u *unpacker) unpackBody(packed packedBody, maxSize int) ([]byte, error) {
	switch packed.encoding {
	case "":
		return packed.body, nil
	case "zstd":
		text, err := u.unpackZstd(packed.body, maxSize)
		if maxSize > largeBody && packed.isEnvelope && errors.Is(err, errOutgrown) {
			return u.unpackLong(packed, maxSize)
		}
		return text, err
	}
	if maxSize > largeBody {
		return u.unpackLong(packed, maxSize)
	}
	source, err := u.newReader(packed.body, nil, packed.encoding)
	if err != nil {
		return nil, err
	}
	return u.readAll(source, maxSize)
}

// newReader returns a decompressor that reads the body and then more, unless that is nil.
func (u *unpacker) newReader(body []byte, more io.Reader, encoding string) (decompressor io.Reader, err error) {
	var source io.Reader = bytes.NewReader(body)
	if more != nil {
		source = io.MultiReader(source, more)
	}
	switch {
	case encoding == "":
		return source, nil
	case encoding == "zstd":
		return zstd.NewReader(source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	case encoding == "br":
		if u.br == nil {
			u.br = new(brotli.Reader)
		}
		return u.br, u.br.Reset(source)
	case encoding != "deflate":
		if u.gzip == nil {
			u.gzip = new(gzip.Reader)
		}
		return u.gzip, u.gzip.Reset(source)
	case isZlib(body):
		if u.zlib == nil {
			u.zlib, err = zlib.NewReader(source)
			return u.zlib, err
		}
		return u.zlib, u.zlib.(zlib.Resetter).Reset(source, nil)
	default: // raw, as some clients send
		if u.flate == nil {
			u.flate = flate.NewReader(source)
			return u.flate, nil
		}
		return u.flate, u.flate.(flate.Resetter).Reset(source, nil)
	}
}

// isZlib reports whether the body is zlib, which the standard calls deflate, and not raw deflate.
func isZlib(body []byte) bool {
	return len(body) >= 2 && body[0]&0x0f == 8 && (int(body[0])<<8|int(body[1]))%31 == 0
}

// readAll reads to the end into the unpacker's buffer.
func (u *unpacker) readAll(source io.Reader, maxSize int) ([]byte, error) {
	text := u.output[:0]
	defer func() { u.output = text[:0] }()
	for {
		if len(text) == cap(text) {
			text = growBuffer(text, -1, int64(maxSize))
		}
		n, err := source.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case len(text) > maxSize:
			return nil, errOutgrown
		case errors.Is(err, io.EOF):
			return text, nil
		case err != nil:
			return nil, err
		}
	}
}

// zstdWindow is the largest window for a text that does not fit into the buffer: every decoder should support this size.
const zstdWindow = 8 << 20

// zstdBlocks is the size of two blocks: the decoder of zstd writes a block at a time.
const zstdBlocks = 2 * 128 << 10

// unpackZstd decompresses into the buffer, which is also the window: a stream may ask for a window that is far larger than its
// text. How far the decoder came shows whether the text fits into the buffer: its errors are not reliable about that.
func (u *unpacker) unpackZstd(body []byte, maxSize int) (_ []byte, err error) {
	if u.zstd == nil {
		u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return nil, err
		}
	}
	for size := maxSize / 4; ; size = maxSize {
		if cap(u.output) < size+zstdBlocks {
			u.output = make([]byte, 0, size+zstdBlocks)
		}
		text, err := u.zstd.DecodeAll(body, u.output[:0:size+zstdBlocks])
		switch {
		case len(text) <= size && !errors.Is(err, zstd.ErrDecoderSizeExceeded):
			return text, err
		case size == maxSize:
			return nil, errOutgrown
		}
	}
}

// unwrapBase64 undoes base64 and zlib: old SDKs wrap what they send to the store endpoint in them, without saying so.
func (u *unpacker) unwrapBase64(text []byte, maxSize int) ([]byte, error) {
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] == '{' {
		return text, nil
	}
	wrapped := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(wrapped, text)
	if err != nil {
		return text, nil // not base64: the decoder says what is wrong with it
	}
	if wrapped = wrapped[:n]; !isZlib(wrapped) {
		return wrapped, nil
	}
	return u.unpackBody(packedBody{body: wrapped, encoding: "deflate"}, maxSize)
}
