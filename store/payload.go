package store

import (
	"encoding/json"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"errand/core"
)

// maxPayload is far above the 256 KB to which an event is trimmed: what is larger is not ours.
const maxPayload = 4 << 20

var (
	packer   = must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false)))
	unpacker = must(zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxPayload), zstd.WithDecoderConcurrency(0)))
)

// must is for constructors that fail only on options that are wrong in the program.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Pack compresses the stored form of an event.
func Pack(event []byte) []byte { return packer.EncodeAll(event, make([]byte, 0, len(event)/4)) }

// unpack reads what Pack made.
func unpack(payload []byte) (core.Event, error) {
	var event core.Event
	text, err := unpacker.DecodeAll(payload, nil)
	if err == nil {
		err = json.Unmarshal(text, &event)
	}
	if err != nil {
		return event, fmt.Errorf("store: a stored event cannot be read: %w", err)
	}
	return event, nil
}
