package ingest_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// encodings are the ways to compress a body: the Content-Encoding and a writer.
var encodings = map[string]struct {
	header string
	open   func(io.Writer) (io.WriteCloser, error)
}{
	"gzip":    {"gzip", func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }},
	"zlib":    {"deflate", func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil }},
	"deflate": {"deflate", func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) }},
	"br":      {"br", func(w io.Writer) (io.WriteCloser, error) { return brotli.NewWriterLevel(w, 4), nil }},
	"br window": {"br", func(w io.Writer) (io.WriteCloser, error) {
		return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: 2, LGWin: 24}), nil
	}},
	"zstd": {"zstd", func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }},
	"zstd window": {"zstd", func(w io.Writer) (io.WriteCloser, error) {
		return zstd.NewWriter(w, zstd.WithWindowSize(32<<20), zstd.WithEncoderLevel(zstd.SpeedFastest))
	}},
}

func packText(t testing.TB, encoding string, text io.WriterTo) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := encodings[encoding].open(&packed)
	require.NoError(t, err)
	_, err = text.WriteTo(w)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return packed.Bytes()
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	n := 0

	for name, encoding := range encodings {
		// Sizes around which buffers grow, and larger ones.
		for _, size := range []int{0, 1, 8<<10 - 200, 8 << 10, 40_000, 300_000, 1<<20 + 5} {
			n++
			payload := fmt.Sprintf(`{"event_id":"%032x","message":"boom","ignored":%q}`, n, strings.Repeat("x", size))
			packed := packText(t, name, bytes.NewBuffer(envelopeOf("{}", itemOf("event", payload))))
			a := s.postBody(envelopes, packed, byKey, "Content-Encoding: "+encoding.header)
			require.Equal(t, http.StatusOK, a.status, "%s, %d bytes: %s", name, size, a.text)
			require.Equal(t, fmt.Sprintf("%032x", n), a.body["id"], name)
			require.Empty(t, a.header.Get("X-Sentry-Error"), name)
		}
		n++
		for path, key := range map[string]string{events: byKey, native: nativeByKey} {
			a := s.postBody(path, packText(t, name, strings.NewReader(eventText(n))), key, "Content-Encoding: "+strings.ToUpper(encoding.header))
			require.Equal(t, http.StatusOK, a.status, "%s at %s: %s", name, path, a.text)
		}
	}

	require.EqualValues(t, n, s.eventsCounted())
}

func TestNamesOfEncodings(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	plain := envelopeOf("{}", eventItem(1))
	zipped := packText(t, "gzip", bytes.NewBuffer(plain))
	for _, encoding := range []string{"", "identity", " Identity ", "identity, identity", ","} {
		require.Equal(t, http.StatusOK, s.postBody(envelopes, plain, byKey, "Content-Encoding: "+encoding).status, encoding)
	}
	for _, encoding := range []string{"gzip", "x-gzip", "GZIP", "gzip, identity", "identity,gzip"} {
		require.Equal(t, http.StatusOK, s.postBody(envelopes, zipped, byKey, "Content-Encoding: "+encoding).status, encoding)
	}
	for encoding, message := range map[string]string{
		"compress": "must be gzip, deflate, br, zstd or identity", "gzip;q=1": "must be gzip, deflate, br, zstd or identity",
		"lzma": "must be gzip, deflate, br, zstd or identity", "gzip, gzip": "must be one encoding, not several",
		"br, gzip": "must be one encoding, not several",
	} {
		a := s.postBody(native, zipped, nativeByKey, "Content-Encoding: "+encoding)
		require.Equal(t, http.StatusBadRequest, a.status, encoding)
		require.Equal(t, object{"error": "invalid_request", "details": []any{object{"path": "content-encoding", "message": message}}}, a.body)
	}

	a := s.postBody(envelopes, zipped, byKey, "Content-Encoding: gzip", "Content-Encoding: br")

	require.Equal(t, "content-encoding: must be one encoding, not several", a.body["detail"])
}

func TestBodiesInSeveralMembers(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	text := string(envelopeOf("{}", eventItem(1), eventItem(2)))

	for _, encoding := range []string{"gzip", "zstd"} {
		var members []byte
		for part := range slices.Chunk([]byte(text), 50) {
			members = append(members, packText(t, encoding, bytes.NewBuffer(part))...)
		}
		a := s.postBody(envelopes, members, byKey, "Content-Encoding: "+encoding)
		require.Equal(t, http.StatusOK, a.status, "%s: %s", encoding, a.text)
	}

	require.EqualValues(t, 2, s.eventsCounted())
}

func TestTruncatedAndWrongBodies(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	text := envelopeOf("{}", eventItem(1))

	for name, encoding := range encodings {
		packed := packText(t, name, bytes.NewBuffer(text))
		bodies := map[string][]byte{"plain text": text, "another encoding": []byte("\x00\x01\x02\x03\x04"), "nothing": {}}
		for _, n := range []int{1, 2, len(packed) / 2, len(packed) - 1} {
			bodies[fmt.Sprintf("%d of %d bytes", n, len(packed))] = packed[:n]
		}
		if encoding.header != "deflate" { // which has no checksum, or need not have read it
			flipped := slices.Clone(packed)
			flipped[len(flipped)/2] ^= 0x55
			bodies["a flipped byte"] = flipped
		}
		for what, body := range bodies {
			a := s.postBody(envelopes, body, byKey, "Content-Encoding: "+encoding.header)
			require.Equal(t, http.StatusBadRequest, a.status, "%s, %s: %s", name, what, a.text)
			require.NotEmpty(t, a.body["detail"], "%s, %s", name, what)
		}
		require.Equal(t, http.StatusOK, s.postBody(envelopes, packed, byKey, "Content-Encoding: "+encoding.header).status,
			"%s works afterwards", name)
	}

	require.EqualValues(t, 1, s.eventsCounted())
}

func TestStoreTakesBase64WithoutSayingSo(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	wrap := func(n int) string {
		return base64.StdEncoding.EncodeToString(packText(t, "zlib", strings.NewReader(eventText(n))))
	}
	lines := func(text string) string { return text[:20] + "\r\n" + text[20:40] + "\n" + text[40:] + "\n" }
	for name, body := range map[string]string{
		"base64 of zlib": wrap(1), "in lines": lines(wrap(2)), "base64 of JSON": base64.StdEncoding.EncodeToString([]byte(eventText(3))),
		"JSON": eventText(4), "JSON after spaces": "\n  " + eventText(5), "JSON after a mark": "\ufeff" + eventText(6),
	} {
		t.Run(name, func(t *testing.T) {
			a := s.postBody(events, []byte(body), byKey)
			require.Equal(t, http.StatusOK, a.status, a.text)
		})
	}
	a := s.postBody(events, packText(t, "gzip", strings.NewReader(wrap(7))), byKey, "Content-Encoding: gzip")
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.EqualValues(t, 7, s.eventsCounted())

	for name, body := range map[string]string{
		"truncated": wrap(8)[:40], "of nothing": "", "spaces": "  ", "no base64": "boom!", "a list": "[]",
		"base64 of text": base64.StdEncoding.EncodeToString([]byte("boom")),
	} {
		t.Run(name, func(t *testing.T) {
			a := s.postBody(events, []byte(body), byKey)
			require.Equal(t, http.StatusBadRequest, a.status, a.text)
		})
	}
	require.Equal(t, http.StatusBadRequest, s.postBody(native, []byte(wrap(9)), nativeByKey).status, "at the store endpoint only")
}

func TestBodiesWithoutLengthAndType(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for n, size := range []int{0, 10_000, 100_000, 2 << 20} {
		payload := fmt.Sprintf(`{"event_id":"%032x","message":"boom","ignored":%q}`, n, strings.Repeat("x", size))
		a := s.sendRequest(http.MethodPost, envelopes, chunkedBody(string(envelopeOf("{}", itemOf("event", payload)))), byKey)
		require.Equal(t, http.StatusOK, a.status, a.text)
	}

	require.EqualValues(t, 4, s.eventsCounted())
}
