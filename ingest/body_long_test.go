package ingest_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/ingest"
)

// attachmentItem makes an item that is dropped, with or without its length in the header.
func attachmentItem(payload string, length bool) string {
	if length {
		return itemOf("attachment", payload)
	}
	return "{\"type\":\"attachment\",\"filename\":\"dump\"}\n" + payload
}

// A crash is taken even with large attachments.
func TestLargeAttachments(t *testing.T) {
	t.Parallel()
	s := startServerWith(t, config{before: func(i *ingest.Ingest) { i.TrustSendersFor(time.Hour) }})
	text := strings.Repeat("0123456789abcdef", 25<<16)

	require.Greater(t, len(text), ingest.MaxEnvelope)

	n := 0
	post := func(name string, encoding string, items ...string) {
		n++
		events := []string{}
		for k, i := range items {
			if i == "event" {
				items[k] = eventItem(10*n + k)
				events = append(events, eventIDOf(10*n+k))
			}
		}
		body, headers := envelopeOf("{}", items...), []string{byKey}
		if encoding != "" {
			body, headers = packText(t, encoding, bytes.NewBuffer(body)), append(headers, "Content-Encoding: "+encodings[encoding].header)
		}
		for _, a := range []answer{
			s.postBody(envelopes, body, headers...),
			s.sendRequest(http.MethodPost, envelopes, io.MultiReader(bytes.NewReader(body)), headers...),
		} {
			require.Equal(t, http.StatusOK, a.status, "%s %s: %s", name, encoding, a.text)
			require.Equal(t, object{"id": events[0]}, a.body, name)
			require.Empty(t, a.header.Get("X-Sentry-Error"), name)
		}
		for _, event := range events {
			require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM events WHERE event_id = $1`, event), "%s %s", name, encoding)
		}
	}
	for _, length := range []bool{true, false} {
		post("after the event", "", "event", attachmentItem(text, length))
		post("before it", "", attachmentItem(text, length), "event")
		post("between", "", "event", attachmentItem(text[:6<<20], length), "event", attachmentItem(text, length), itemOf("session", "{}"),
			"event")
	}
	for name := range encodings {
		if name == "zstd window" { // which is larger than every decoder must have
			continue
		}
		post("packed", name, "event", attachmentItem(text, n%2 == 0), "event")
	}
	noise := randomText(25 << 20)
	post("of noise", "", "event", attachmentItem(noise, true), "event")
	for _, name := range []string{"gzip", "zlib", "deflate"} {
		post("of noise", name, "event", attachmentItem(noise, true), "event")
	}
}

func TestTooMuchThatIsDropped(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	event := "{}\n" + eventItem(1) + "\n"
	large := padTo(eventText(2), ingest.MaxEnvelope)
	requireTooLarge(t, s.postBody(envelopes, []byte(event+itemOf("event", large)), byKey), ingest.MaxEnvelope, "an event over the limit")
	requireTooLarge(t, s.postBody(envelopes, []byte(event+itemOf("attachment", large)+"\n"+itemOf("event", large)), byKey),
		ingest.MaxEnvelope, "after an attachment")

	stream := func(kind string) io.Reader {
		return io.MultiReader(strings.NewReader(event+"{\"type\":\""+kind+"\"}\n"), io.LimitReader(spaces{}, ingest.MaxStream))
	}
	a, err := s.trySend(http.MethodPost, envelopes, stream("attachment"), byKey)
	if err == nil { // the server may end the connection before all is sent
		requireTooLarge(t, a, ingest.MaxEnvelope, "more than is read")
	}
	for name, encoding := range encodings {
		for _, kind := range []string{"attachment", "event"} {
			a := s.postBody(envelopes, packText(t, name, writerTo{stream(kind)}), byKey, "Content-Encoding: "+encoding.header)
			requireTooLarge(t, a, ingest.MaxEnvelope, name+" of "+kind)
		}
	}
	requireTooLarge(t, s.postBody(events, []byte(padTo(eventText(1), ingest.MaxEnvelope+1)), byKey), ingest.MaxEnvelope,
		"of one event nothing is skipped")
	require.Zero(t, s.eventsCounted())
}

// From a sender without a good key the server reads no more than it keeps, also when the envelope names its DSN.
func TestStrangersSendNoLongBodies(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	header := `{"dsn":"https://` + shopKey + `@errors.example/1000000001"}`
	long := envelopeOf(header, eventItem(1), attachmentItem(strings.Repeat("x", ingest.MaxEnvelope), true))
	requireTooLarge(t, s.postBody(envelopes, long), ingest.MaxEnvelope, "with a length")

	a, err := s.trySend(http.MethodPost, envelopes, io.MultiReader(bytes.NewReader(long)))
	if err == nil { // the server may end the connection before all is sent
		requireTooLarge(t, a, ingest.MaxEnvelope, "without a length")
	}
	require.Zero(t, s.eventsCounted())

	a = s.postBody(envelopes, long, byKey)
	require.Equal(t, http.StatusOK, a.status, a.text)

	large := envelopeOf(header, eventItem(2), attachmentItem(strings.Repeat("x", ingest.MaxEnvelope/2), true))
	a = s.postBody(envelopes, large)
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.EqualValues(t, 2, s.eventsCounted())
}

// writerTo is a text for pack.
type writerTo struct{ io.Reader }

func (w writerTo) WriteTo(to io.Writer) (int64, error) { return io.Copy(to, w.Reader) }

// Skipped items take no memory. The test is not parallel: it measures the memory of the process.
func TestSkippedItemsTakeNoMemory(t *testing.T) {
	s := startServer(t)
	body := []byte("{}\n" + eventItem(1) + "\n" + attachmentItem(strings.Repeat("x", 60<<20), true))
	packed := packText(t, "gzip", bytes.NewBuffer(body))
	for name, send := range map[string]func() answer{
		"plain": func() answer { return s.postBody(envelopes, body, byKey) },
		"gzip":  func() answer { return s.postBody(envelopes, packed, byKey, "Content-Encoding: gzip") },
	} {
		before := allocatedBytes()
		a := send()
		require.Equal(t, http.StatusOK, a.status, "%s: %s", name, a.text)
		require.Less(t, allocatedBytes()-before, uint64(4<<20), name)
	}
}

func TestLongBodiesThatBreakOff(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	event := "{}\n" + eventItem(1) + "\n"
	body := event + attachmentItem(strings.Repeat("x", 1<<20), true)
	a := s.postBody(envelopes, []byte(body[:len(body)/2]), byKey)
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Contains(t, a.header.Get("X-Sentry-Error"), "the item's length of 1048576 is beyond the end of the envelope")

	packed := packText(t, "gzip", strings.NewReader(event+attachmentItem(randomText(1<<20), true)))
	a = s.postBody(envelopes, packed[:len(packed)/2], byKey, "Content-Encoding: gzip")
	require.Equal(t, http.StatusBadRequest, a.status)

	conn, reader := s.openConnection(t)
	_, err := io.WriteString(conn, requestHead(envelopes, byKey, "Content-Length: 2000000")+body)
	require.NoError(t, err)
	require.NoError(t, conn.(interface{ CloseWrite() error }).CloseWrite())
	response, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	_ = response.Body.Close()
	require.Equal(t, http.StatusBadRequest, response.StatusCode, "it was to be longer")
}

// randomText makes bytes that cannot be compressed.
func randomText(n int) string {
	random, text := rand.New(rand.NewPCG(1, 2)), make([]byte, n)
	for i := range text {
		text[i] = byte(random.Uint32())
	}
	return string(text)
}

// largeEvent makes the n-th event as an envelope of more than 300 KB, packed.
func largeEvent(t *testing.T, n int) []byte {
	t.Helper()
	return packText(t, "gzip", strings.NewReader(envelopeOfSize(n, 300<<10)))
}

func TestRefusalOfABusyServer(t *testing.T) {
	t.Parallel()
	s := startServerWith(t, config{before: func(i *ingest.Ingest) { i.WaitAtMost(300 * time.Millisecond) }})
	goOn := s.HoldLarge()
	a := s.postBody(envelopes, largeEvent(t, 1), byKey, "Content-Encoding: gzip")
	require.Equal(t, http.StatusServiceUnavailable, a.status, a.text)

	const reason = "The server is busy: send it again in a few seconds."
	require.Equal(t, object{"error": "unavailable", "detail": reason}, a.body)
	require.Equal(t, reason, a.header.Get("X-Sentry-Error"))
	require.Equal(t, "5", a.header.Get("Retry-After"))
	require.Contains(t, s.log.String(), "the server is busy")

	goOn()
	s.untilTaken(2)
}

// Large bodies of one project do not keep another project waiting. Nobody takes a turn before the server knows who sends.
func TestLargeBodiesTakeTurns(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	const officeKey = "0ff1ce00000000000000000000000000"
	s.makeProject(shop+1, officeKey)
	requireTooLarge(t, s.postBody(envelopes, packText(t, "br", zeros{24 << 20}), byKey, "Content-Encoding: br"), ingest.MaxEnvelope, "a bomb")
	goOn := s.HoldLarge()
	var all sync.WaitGroup
	for n, sender := range []struct{ path, key string }{
		{envelopes, shopKey}, {envelopes, shopKey}, {envelopes, shopKey}, {"/api/1000000002/envelope/", officeKey},
	} {
		all.Go(func() {
			a, err := s.trySend(http.MethodPost, sender.path, bytes.NewReader(largeEvent(t, n)), "X-Sentry-Auth: Sentry sentry_key="+sender.key,
				"Content-Encoding: gzip")
			assert.NoError(t, err)
			assert.Equal(t, http.StatusOK, a.status, a.text)
		})
		require.Eventually(t, func() bool { return s.WaitingForTurn() == n+1 }, 10*time.Second, time.Millisecond)
	}
	goOn()
	all.Wait()
	last := s.queryNumber(`SELECT project_id FROM events ORDER BY id DESC LIMIT 1`) // ids rise as events come out of their turns
	require.EqualValues(t, shop, last, "it asked first, but has sent a bomb before")

	defer s.HoldLarge()()
	text := `{"dsn":"https://ffffffffffffffffffffffffffffffff@x/1000000001"}` + "\n" + strings.Repeat(" ", 18<<20)
	body := packText(t, "gzip", strings.NewReader(text))
	requireUnauthorized(t, s.postBody(envelopes, body, "Content-Encoding: gzip"), "an unknown sender")
}
