package edge

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// chunks is a request whose body has no length.
const chunks = "POST / HTTP/1.1\r\nHost: errand\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"

// net/http reads beyond a body without a length, so that the next request begins unseen. It is still served, wherever that
// reading ends, and so is the request after it.
func TestRequestsBehindABodyWithoutLength(t *testing.T) {
	t.Parallel()
	_, address := startServer(t, readAll, nil)
	for name, next := range map[string]string{
		"a large body": postHead("/", 100_000) + strings.Repeat("x", 100_000),
		"empty lines":  postHead("/", 50_000) + strings.Repeat("\n", 50_000),
		"a small body": postHead("/", 5) + "hello",
		"no body":      get,
		"chunks":       chunks,
	} {
		client := dialServer(t, address)
		go func() { _, _ = client.Write([]byte(chunks + next + get)) }()
		for range 3 {
			client.requireStatus(http.StatusOK, name)
		}
		client.sendText(get)
		client.requireStatus(http.StatusOK, name+": the connection is kept")
	}
	for pad := 3800; pad < 4200; pad += 7 { // the header of the next request breaks off anywhere
		client := dialServer(t, address)
		chunk := strings.Replace(chunks, "Host: errand", "Host: errand\r\nA: "+strings.Repeat("a", pad), 1)
		go func() { _, _ = client.Write([]byte(chunk + postHead("/", 5000) + strings.Repeat("\n", 5000) + get)) }()
		for range 3 {
			client.requireStatus(http.StatusOK, "broken off")
		}
	}
}

// A refused client behind a body without a length is not waited for either.
func TestRefusalsBehindABodyWithoutLength(t *testing.T) {
	t.Parallel()
	_, address := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" {
			refuseAll(w, r)
			return
		}
		readAll(w, r)
	}, nil)
	for name, body := range map[string]string{"nothing of a body": "", "a part of it": "{", "much of it": strings.Repeat("x", 900)} {
		client := dialServer(t, address)
		require.NoError(t, client.SetDeadline(time.Now().Add(promptly)))
		client.sendText(chunks + postHead("/refused", 1000) + body)
		client.requireStatus(http.StatusOK, name)
		response, _ := client.readAnswer()
		require.Equal(t, http.StatusUnauthorized, response.StatusCode, name)
		require.True(t, response.Close, name)
		client.requireEnd(name)
	}
}
