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

// net/http reads beyond a body without a length, so that the next request begins unseen. It is served all the same, wherever
// that reading ends, and so is what follows it.
func TestRequestsBehindABodyWithoutLength(t *testing.T) {
	t.Parallel()
	_, address := startServer(t, readAll, nil)
	for name, next := range map[string]string{
		"a large body": post("/", 100_000) + strings.Repeat("x", 100_000),
		"empty lines":  post("/", 50_000) + strings.Repeat("\n", 50_000),
		"a small body": post("/", 5) + "hello",
		"no body":      get,
		"chunks":       chunks,
	} {
		client := dial(t, address)
		go func() { _, _ = client.Write([]byte(chunks + next + get)) }()
		for range 3 {
			client.requireStatus(http.StatusOK, name)
		}
		client.send(get)
		client.requireStatus(http.StatusOK, name+": the connection is kept")
	}
	for pad := 3800; pad < 4200; pad += 7 { // the header of the next request breaks off anywhere
		client := dial(t, address)
		chunk := strings.Replace(chunks, "Host: errand", "Host: errand\r\nA: "+strings.Repeat("a", pad), 1)
		go func() { _, _ = client.Write([]byte(chunk + post("/", 5000) + strings.Repeat("\n", 5000) + get)) }()
		for range 3 {
			client.requireStatus(http.StatusOK, "broken off")
		}
	}
}

// Whoever is refused behind a body without a length is not waited for either.
func TestRefusalsBehindABodyWithoutLength(t *testing.T) {
	t.Parallel()
	_, address := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" {
			refuse(w, r)
			return
		}
		readAll(w, r)
	}, nil)
	for name, body := range map[string]string{"nothing of a body": "", "a part of it": "{", "much of it": strings.Repeat("x", 900)} {
		client := dial(t, address)
		require.NoError(t, client.SetDeadline(time.Now().Add(promptly)))
		client.send(chunks + post("/refused", 1000) + body)
		client.requireStatus(http.StatusOK, name)
		response, _ := client.answer()
		require.Equal(t, http.StatusUnauthorized, response.StatusCode, name)
		require.True(t, response.Close, name)
		client.requireEnd(name)
	}
}
