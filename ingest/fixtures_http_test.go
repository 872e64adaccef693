package ingest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// answer is a response of the server.
type answer struct {
	status int
	header http.Header
	text   string
	body   object
	closed bool // the server ended the connection
}

// postBody sends a body; headers are written "Name: value".
func (s *server) postBody(path string, body []byte, headers ...string) answer {
	s.t.Helper()
	return s.sendRequest(http.MethodPost, path, bytes.NewReader(body), headers...)
}

// sendRequest sends a request.
func (s *server) sendRequest(method, path string, body io.Reader, headers ...string) answer {
	s.t.Helper()
	a, err := s.trySend(method, path, body, headers...)
	require.NoError(s.t, err)
	require.NotContains(s.t, a.text+a.header.Get("X-Sentry-Error"), shopKey, "no key may stand in an answer")
	require.NotContains(s.t, a.header, "Cache-Control", "browsers count such an answer against what a page may send")
	return a
}

// trySend is sendRequest without its checks.
func (s *server) trySend(method, path string, body io.Reader, headers ...string) (answer, error) {
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, body)
	if err != nil {
		return answer{}, err
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{status: response.StatusCode, header: response.Header, text: string(text), closed: response.Close}
	if len(text) > 0 && response.Header.Get("Content-Type") != "application/x-protobuf" {
		err = json.Unmarshal(text, &a.body)
	}
	return a, err
}

// chunkedBody is a body that is sent in chunks, without a Content-Length.
func chunkedBody(text string) io.Reader { return io.MultiReader(strings.NewReader(text)) }

// byKey is a header that authenticates at the Sentry endpoints; nativeByKey does at the native endpoint.
const (
	byKey       = "X-Sentry-Auth: Sentry sentry_version=7, sentry_key=" + shopKey
	nativeByKey = "X-Service-Key: " + shopKey
)

// postEvents sends an envelope with the items to the project shop.
func (s *server) postEvents(items ...string) answer {
	s.t.Helper()
	return s.postBody(envelopes, envelopeOf("{}", items...), byKey)
}

// untilTaken sends the n-th event until it is taken, for a server that gives up soon or whose database is coming back.
func (s *server) untilTaken(n int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.postEvents(eventItem(n)).status == http.StatusOK }, 10*time.Second, time.Millisecond)
}

// envelopeOf makes an envelope of its header and items.
func envelopeOf(header string, items ...string) []byte {
	return []byte(header + "\n" + strings.Join(items, "\n") + "\n")
}

// itemOf makes an item of a type.
func itemOf(kind, payload string) string {
	return fmt.Sprintf("{\"type\":%q,\"length\":%d}\n%s", kind, len(payload), payload)
}

// eventItem makes the n-th event as an item.
func eventItem(n int) string { return itemOf("event", eventText(n)) }

// eventText makes the n-th event.
func eventText(n int) string {
	return fmt.Sprintf(`{"event_id":"%032x","message":"boom","platform":"go","level":"error"}`, n)
}
