package ingest

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"errand/core"
)

// The largest bodies in bytes, as sent and after decompression (decisions 3).
const (
	maxEnvelope = 20 << 20
	maxNative   = 1 << 20
)

// readBodyAtMost is how long a client may take to send its body.
const readBodyAtMost = 30 * time.Second

// chunk is how many bytes of a body are read before more memory is asked for.
const chunk = 64 << 10

// readBody reads and decompresses the body of a request. Over limit bytes, as sent or decompressed, it is
// payload_too_large: a compression bomb is cut there.
func readBody(ctx context.Context, q *request, limit int64) ([]byte, error) {
	_ = http.NewResponseController(q.w).SetReadDeadline(time.Now().Add(readBodyAtMost)) // a recorder has none
	plain, err := decompress(http.MaxBytesReader(q.w, q.Body, limit), q.Header.Get("Content-Encoding"))
	if err == nil {
		var body []byte
		if body, err = readLimited(ctx, q.lease, plain, limit); err == nil {
			return body, nil
		}
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, errTooLarge(limit)
	case core.HasCode(err, core.PayloadTooLarge), core.HasCode(err, core.Unavailable), core.HasCode(err, core.InvalidRequest):
		return nil, err
	default:
		return nil, core.Invalid("", "the body is truncated, or not what its Content-Encoding says").Because(err)
	}
}

func errTooLarge(limit int64) error {
	return core.NewError(core.PayloadTooLarge).With("max_bytes", limit)
}

// readLimited reads to the end, asking for memory as it goes.
func readLimited(ctx context.Context, l *lease, r io.Reader, limit int64) ([]byte, error) {
	var body bytes.Buffer
	for {
		if err := l.grow(ctx, chunk); err != nil {
			return nil, err
		}
		_, err := io.CopyN(&body, r, chunk)
		if int64(body.Len()) > limit {
			return nil, errTooLarge(limit)
		}
		if errors.Is(err, io.EOF) {
			return body.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// decompress undoes a Content-Encoding.
func decompress(r io.Reader, encoding string) (io.Reader, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return r, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "deflate":
		return inflate(r)
	case "br":
		return brotli.NewReader(r), nil
	case "zstd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	default:
		return nil, core.Invalid("content-encoding", "must be gzip, deflate, br, zstd or identity")
	}
}

// inflate reads zlib, as the standard says, or raw deflate, as some clients send.
func inflate(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	head, err := buffered.Peek(2)
	if err != nil {
		return nil, err
	}
	if head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(buffered)
	}
	return flate.NewReader(buffered), nil
}

// unwrapBase64 undoes the base64 and zlib in which old SDKs send to the store endpoint without saying so.
func unwrapBase64(ctx context.Context, q *request, body []byte) ([]byte, error) {
	if body = bytes.TrimSpace(body); len(body) == 0 || body[0] == '{' {
		return body, nil
	}
	packed, err := base64.StdEncoding.DecodeString(string(body))
	if err != nil {
		return body, nil // not base64: the decoder says what is wrong with it
	}
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return packed, nil
	}
	return readLimited(ctx, q.lease, r, maxEnvelope)
}
