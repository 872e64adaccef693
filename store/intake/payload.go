package intake

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"errand/core"
)

// maxPayload is far above 256 KB, the size of a trimmed event: anything larger is not ours.
const maxPayload = 4 << 20

// maxWindow bounds the memory of a compressor: no event is larger.
const maxWindow = 256 << 10

// The compressor and the reader that use no dictionary.
var (
	plainPacker   = mustSucceed(newPacker())
	plainUnpacker = mustSucceed(newUnpacker())
)

func newPacker(options ...zstd.EOption) (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, append(options, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(maxWindow), zstd.WithLowerEncoderMem(true))...)
}

func newUnpacker(options ...zstd.DOption) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, append(options, zstd.WithDecoderMaxMemory(maxPayload), zstd.WithDecoderConcurrency(1))...)
}

// mustSucceed is for constructors that fail only when the program passes wrong options.
func mustSucceed[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Payload is an event as it is stored.
type Payload struct {
	Bytes      []byte // compressed
	Dictionary int64  // the dictionary used; 0 for none

	text []byte // not compressed yet, because it will probably not be stored
}

// Size returns the bytes that the payload takes in memory.
func (p Payload) Size() int { return len(p.Bytes) + len(p.text) }

// PackPlain compresses the stored form of an event without a dictionary.
func PackPlain(event []byte) Payload { return packer{Encoder: plainPacker}.packText(event) }

// PackEvent sets the payload of an event: the stored form, compressed with the project's dictionary if there is one. If the
// event's issue has as many stored events as it keeps, compression waits until the event is sure to be stored.
func (w *Writer) PackEvent(ctx context.Context, e *NewEvent, text []byte) {
	if int64(w.memory.findIssue(e).stored) >= w.keep() {
		e.Payload = Payload{text: slices.Clone(text)}
		return
	}
	e.Payload = w.dictionaries.findPacker(ctx, w, e.ProjectID).packText(text)
}

// packWaiting compresses a payload that waited.
func (w *Writer) packWaiting(ctx context.Context, e *NewEvent) {
	if e.Payload.text != nil {
		e.Payload = w.dictionaries.findPacker(ctx, w, e.ProjectID).packText(e.Payload.text)
	}
}

// packed has buffers for compression: the compressed size is not known before.
var packed = sync.Pool{New: func() any { return new([]byte) }}

func (p packer) packText(event []byte) Payload {
	buffer := packed.Get().(*[]byte)
	defer packed.Put(buffer)
	*buffer = p.EncodeAll(event, (*buffer)[:0])
	return Payload{Bytes: slices.Clone(*buffer), Dictionary: p.dictionary}
}

// UnpackEvent decompresses and reads a stored event.
func (w *Writer) UnpackEvent(ctx context.Context, project int64, p Payload) (event core.Event, err error) {
	text, err := w.unpackText(ctx, project, p)
	if err == nil {
		event, err = core.ReadEvent(text)
	}
	if err != nil {
		return event, fmt.Errorf("store: a stored event cannot be read: %w", err)
	}
	return event, nil
}

// UnpackTags returns the tags of an event from its stored form, without reading the rest.
func (w *Writer) UnpackTags(ctx context.Context, project int64, p Payload) (tags core.EventTags, err error) {
	text, err := w.unpackText(ctx, project, p)
	if err == nil {
		tags, err = core.ReadEventTags(text)
	}
	if err != nil {
		return tags, fmt.Errorf("store: the tags of a stored event cannot be read: %w", err)
	}
	return tags, nil
}

func (w *Writer) unpackText(ctx context.Context, project int64, p Payload) ([]byte, error) {
	unpacker, err := w.dictionaries.findUnpacker(ctx, w, project, p.Dictionary)
	if err != nil {
		return nil, err
	}
	return unpacker.DecodeAll(p.Bytes, nil)
}
