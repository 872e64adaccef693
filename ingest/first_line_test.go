package ingest_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/stretchr/testify/require"

	"errand/ingest"
)

// byDSN is the header of an envelope that itself names its sender.
const byDSN = `{"dsn":"https://` + shopKey + `@errors.example/1000000001"}`

// An envelope without a key in its HTTP header or query is opened up to its own header, in every encoding and at every size.
func TestEnvelopesThatNameTheirSender(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	encodings := map[string]func(text []byte) []byte{"": func(text []byte) []byte { return text }}
	for _, name := range []string{"gzip", "zlib", "deflate", "zstd"} {
		encodings[name] = func(text []byte) []byte { return packText(t, name, bytes.NewBuffer(text)) }
	}
	encodings["br"] = func(text []byte) []byte { return packBrotli(t, text, 18) }
	noise, n := randomText(3<<20), 0
	for name, pack := range encodings {
		for _, size := range []int{0, 200, 70_000, 200_000, 300_000, 3 << 20} {
			if name == "zstd" && size > 100_000 {
				continue // the encoder asks for a window of 4 MB
			}
			n++
			body := pack(envelopeOf(byDSN, eventItem(n), attachmentItem(noise[:size], true)))
			headers := []string{}
			if name != "" {
				headers = append(headers, "Content-Encoding: "+contentEncodingOf(name))
			}
			for _, from := range []io.Reader{bytes.NewReader(body), io.MultiReader(bytes.NewReader(body))} {
				a := s.sendRequest(http.MethodPost, envelopes, from, headers...)
				require.Equal(t, http.StatusOK, a.status, "%s, %d bytes: %s", name, size, a.text)
				require.Equal(t, eventIDOf(n), a.body["id"], name)
			}
		}
	}
	require.EqualValues(t, n, s.eventsStored())
}

// contentEncodingOf returns the Content-Encoding of a name in encodings.
func contentEncodingOf(name string) string {
	if name == "br" {
		return name
	}
	return encodings[name].header
}

func packBrotli(t *testing.T, text []byte, windowBits int) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := brotli.NewWriterOptions(&packed, brotli.WriterOptions{Quality: 4, LGWin: windowBits})
	_, err := w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return packed.Bytes()
}

// Only known senders get a window of more than 256 KB.
func TestWindowsOfUnknownSenders(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for bits := 10; bits <= 24; bits++ {
		body, want := packBrotli(t, envelopeOf(byDSN, eventItem(bits)), bits), http.StatusOK
		if bits > 18 {
			want = http.StatusBadRequest
		}
		a := s.postBody(envelopes, body, "Content-Encoding: br")
		require.Equal(t, want, a.status, "%d: %s", bits, a.text)
		if want != http.StatusOK {
			require.Contains(t, a.text, "X-Sentry-Auth or as sentry_key")
		}
		require.Equal(t, http.StatusOK, s.postBody(envelopes, body, byKey, "Content-Encoding: br").status, "%d, with the key", bits)
	}
	a := s.postBody(envelopes, packText(t, "zstd window", zeros{24 << 20}), "Content-Encoding: zstd")
	require.Contains(t, a.text, "X-Sentry-Auth or as sentry_key")
	require.Equal(t, http.StatusOK, s.postBody(envelopes, packText(t, "zstd", bytes.NewBuffer(envelopeOf(byDSN, eventItem(1)))),
		"Content-Encoding: zstd").status, "the same decompressor goes on")
}

// TestBombsWithoutAKeyCostNothing is not parallel: it measures the memory of the process.
func TestBombsWithoutAKeyCostNothing(t *testing.T) {
	s := startServer(t)
	for name, encoding := range encodings {
		bomb := packText(t, name, zeros{24 << 20})
		post := func() answer {
			return s.postBody(envelopes, bomb[:min(len(bomb), 50_000)], "Content-Encoding: "+encoding.header)
		}
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnauthorized}, post().status, name)
		before := allocatedBytes()
		for range 20 {
			post()
		}
		require.Less(t, (allocatedBytes()-before)/20, uint64(600<<10), name)
	}
}

// Thousands of empty members are not searched for a DSN.
func TestEmptyMembersBeforeADSN(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	empty := packText(t, "gzip", strings.NewReader(""))
	body := append(bytes.Repeat(empty, 1000), packText(t, "gzip", bytes.NewBuffer(envelopeOf(byDSN, eventItem(1))))...)
	a := s.postBody(envelopes, body, "Content-Encoding: gzip")
	require.Equal(t, "the envelope has no header line", a.body["detail"])
	require.Equal(t, http.StatusOK, s.postBody(envelopes, body, byKey, "Content-Encoding: gzip").status)
}

// Known senders never queue behind unknown ones.
func TestKnownSendersDoNotWaitForUnknownOnes(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	goOn := s.HoldFirstLines()
	answers := make(chan answer, 8)
	body := envelopeOf(byDSN, eventItem(1))
	for range cap(answers) {
		go func() {
			a, _ := s.trySend(http.MethodPost, envelopes, bytes.NewReader(body))
			answers <- a
		}()
	}
	for n := range 20 {
		require.Equal(t, http.StatusOK, s.postBody(envelopes, envelopeOf("{}", eventItem(10+n)), byKey).status, fmt.Sprint(n))
	}
	goOn()
	for range cap(answers) {
		require.Equal(t, http.StatusOK, (<-answers).status)
	}
}

// After a sender has sent some bombs, its next ones are opened no further than any other body.
func TestBombsOfAKnownSender(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	text := "{}\n" + eventItem(1) + "\n" + attachmentItem(strings.Repeat("x", ingest.MaxEnvelope), true)
	body := packText(t, "gzip", strings.NewReader(text))
	post := func() int { return s.postBody(envelopes, body, byKey, "Content-Encoding: gzip").status }
	require.Equal(t, http.StatusOK, post())
	bomb := packText(t, "br", zeros{24 << 20})
	for range 8 {
		requireTooLarge(t, s.postBody(envelopes, bomb, byKey, "Content-Encoding: br"), ingest.MaxEnvelope, "a bomb")
	}
	require.Equal(t, http.StatusRequestEntityTooLarge, post())
	require.Equal(t, http.StatusOK, s.postBody(envelopes, largeEvent(t, 2), byKey, "Content-Encoding: gzip").status, "large events go on")
}
