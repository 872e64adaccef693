package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"errand/core"
	"errand/envelope"
	"errand/wire"
)

// How much of a body is read and opened before its sender is known, in bytes: the body as it was sent, the header of its
// envelope, and the window that its decompressor needs. A stream of 52 bytes can ask for a window of 16 MB.
const (
	maxUnknownBody    = 256 << 10
	maxFirstLine      = 64 << 10
	unknownWindowBits = 18
	maxUnknownWindow  = 1 << unknownWindowBits
	firstLineStep     = 4 << 10
)

// errWindow says that a body asks for a larger window than unknown senders get.
var errWindow = errors.New("ingest: the window is larger than that of an unknown sender")

// firstLines open bodies whose senders are not known yet, one at a time, so that senders without a key take no time from those
// with one. The address that has used the least time lately comes next.
type firstLines struct {
	turns    *turns
	unpacker unpacker      // used by the holder of the turn, like the fields below
	zstd     *zstd.Decoder // with the window of unknown senders
	line     []byte
}

func newFirstLines() *firstLines { return &firstLines{turns: newTurns(1, true)} }

// readLine waits for the sender's turn and returns the first line of a body. The beginning of the body is enough.
func (f *firstLines) readLine(ctx context.Context, of sender, body []byte, encoding string) ([]byte, error) {
	end, err := f.turns.takeTurn(ctx, of)
	if err != nil {
		return nil, err
	}
	defer end()
	source, err := f.openBody(body, encoding)
	if err != nil {
		return nil, err
	}
	if f.line == nil {
		f.line = make([]byte, 0, maxFirstLine)
	}
	for line := f.line; ; {
		n, err := source.Read(line[len(line):min(len(line)+firstLineStep, cap(line))])
		searched := len(line)
		line = line[:len(line)+n]
		if at := bytes.IndexByte(line[searched:], '\n'); at >= 0 {
			return bytes.Clone(line[:searched+at]), nil
		}
		switch {
		case errors.Is(err, zstd.ErrWindowSizeExceeded):
			return nil, errWindow
		case len(line) == 0 && err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case err != nil || len(line) == cap(line):
			return bytes.Clone(line), nil
		}
	}
}

// openBody returns a decompressor of the body. It returns errWindow before it takes any memory for the window.
func (f *firstLines) openBody(body []byte, encoding string) (io.Reader, error) {
	switch encoding {
	case "zstd":
		if f.zstd == nil {
			var err error
			f.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(maxUnknownWindow))
			if err != nil {
				return nil, err
			}
		}
		return f.zstd, f.zstd.Reset(struct{ io.Reader }{bytes.NewReader(body)}) // as a reader: bytes would be decompressed immediately
	case "br":
		if bits := brotliWindowBits(body); bits > unknownWindowBits {
			return nil, errWindow
		}
	}
	source, err := f.unpacker.newReader(body, nil, encoding)
	if err == nil && (encoding == "gzip" || encoding == "x-gzip") {
		f.unpacker.gzip.Multistream(false) // a body can have thousands of empty members
	}
	return source, err
}

// admitByDSN admits the sender of an envelope by the DSN in its header, as when a tunnel forwards it. A body without a DSN there
// counts as a failed authentication, and addresses that fail too often wait for each other.
func (i *Ingest) admitByDSN(r *httpRequest, body []byte) error {
	ctx, cancel := context.WithTimeout(r.Context(), i.waitAtMost)
	defer cancel()
	key, err := i.readDSNKey(ctx, r, body)
	if err == nil && key != "" {
		_, err = i.admitSender(r, key) // which also counts a bad key
		return err
	}
	if err != nil && !core.HasCode(err, core.InvalidRequest) {
		return err
	}
	refused := i.failures.RefuseCredential(r.Context())
	if refused.Code == core.Limit || err == nil {
		return refused
	}
	return err
}

// readDSNKey returns the key of the DSN in the header of an envelope, empty for none.
func (i *Ingest) readDSNKey(ctx context.Context, r *httpRequest, body []byte) (string, error) {
	end, err := i.failures.TakeTurn(ctx)
	if err != nil {
		return "", err
	}
	defer end()
	line, err := i.unpackers.first.readLine(ctx, sender{network: wire.NetworkOf(wire.ClientOf(r.Request))}, body, r.encoding)
	switch {
	case errors.Is(err, errWindow):
		return "", core.RefuseField("content-encoding", "must have a window of at most %d bytes where the key stands in the envelope alone: "+
			"send it in X-Sentry-Auth or as sentry_key", maxUnknownWindow)
	case core.HasCode(err, core.Unavailable):
		return "", err
	case err != nil:
		return "", errEncoding(err)
	}
	env, err := envelope.SplitEnvelope(line)
	if err != nil {
		return "", core.RefuseField("", "%s", err)
	}
	return keyOfDSN(env.Header.DSN), nil
}
