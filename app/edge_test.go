package app_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// requestOf makes a request with headers, as name: value.
func (s *server) requestOf(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, strings.NewReader(body))
	require.NoError(t, err)
	for _, header := range headers {
		if name, value, ok := strings.Cut(header, ": "); ok {
			request.Header.Add(name, value)
		}
	}
	got := s.doRequest(request)
	require.NoError(t, got.err)
	return got
}

// Behind a trusted proxy the client's address is the one that the proxy names, for the event's user and in the log.
// Nobody else is believed.
func TestClientAddressBehindAProxy(t *testing.T) {
	t.Parallel()
	for proxies, want := range map[string]string{"": "127.0.0.1", "10.0.0.0/8": "127.0.0.1", "127.0.0.0/8, ::1/128": "198.51.100.4"} {
		c := configOn(storetest.NewURL(t))
		c.TrustedProxies = proxies
		s := startServer(t, c)
		key := s.makeProject(t)
		for _, header := range []string{
			"X-Forwarded-For: 1.2.3.4, 198.51.100.4:4711, 127.0.0.9", `Forwarded: for=1.2.3.4, for="198.51.100.4:_x";proto=https, for=127.0.0.9`,
		} {
			const withUser = `{"message":"cart cannot be loaded","user":{"ip_address":"{{auto}}"}}`
			got := s.requestOf(t, http.MethodPost, "/v1/ingest", withUser, header, "X-Service-Key: "+key)
			require.Equal(t, http.StatusOK, got.status, got.body)
			var receipt struct{ Data struct{ ID int64 } }
			require.NoError(t, json.Unmarshal([]byte(got.body), &receipt))
			event := s.requestOf(t, http.MethodGet, fmt.Sprintf("/v1/events/%d", receipt.Data.ID), "", "Authorization: Bearer "+adminToken)
			require.Contains(t, event.body, `"ip_address":"`+want+`"`)

			got = s.requestOf(t, http.MethodGet, "/v1/projects", "", header, "Authorization: Bearer wrong")
			require.Equal(t, http.StatusUnauthorized, got.status)
		}
		s.stopServer(t)
		require.Contains(t, s.log.String(), `"authentication failed","failures":2,"addresses":{"`+want+`":2}`)
		require.Contains(t, s.log.String(), `"client":"`+want+`"`)
	}
}

// Authentication that fails too often is answered with 429, on every surface. Good credentials stay good.
func TestFailedAuthenticationIsLimited(t *testing.T) {
	t.Parallel()
	s := startServer(t, configOn(storetest.NewURL(t)))
	key := s.makeProject(t)
	const rpc = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	calls := []struct {
		path, body, bad, good string
		status                int
	}{
		{"/v1/similar", `{"text":"boom"}`, "Authorization: Bearer ck_wrong", "Authorization: Bearer " + adminToken, 0},
		{"/mcp", rpc, "Authorization: Bearer ck_wrong", "Authorization: Bearer " + adminToken, http.StatusOK},
		{"/mcp/", rpc, "Authorization: Bearer wrong", "Authorization: Bearer " + adminToken, http.StatusOK},
		{"/v1/ingest", event, "X-Service-Key: wrong", "X-Service-Key: " + key, http.StatusOK},
		{"/api/1/envelope/", "{}\n", "X-Sentry-Auth: Sentry sentry_key=" + key, "", 0},
		{"/api/1/store/?sentry_key=wrong", event, "", "", 0},
	}
	const before = 100 // as many as may fail in a burst
	for n := range before {
		c := calls[n%len(calls)]
		got := s.requestOf(t, http.MethodPost, c.path, c.body, c.bad, "Content-Type: application/json")
		require.Equal(t, http.StatusUnauthorized, got.status, c.path)
	}
	for range 2 {
		for _, c := range calls {
			got := s.requestOf(t, http.MethodPost, c.path, c.body, c.bad, "Content-Type: application/json")
			require.Equal(t, http.StatusTooManyRequests, got.status, c.path)
			require.Contains(t, got.body, `"error":"limit"`, c.path)
			require.Contains(t, got.body, `"message":"too many failed authentications from this address"`, c.path)
			require.Regexp(t, "^[1-6]$", got.header.Get("Retry-After"), c.path)
			if c.status != 0 {
				got = s.requestOf(t, http.MethodPost, c.path, c.body, c.good, "Content-Type: application/json")
				require.Equal(t, c.status, got.status, "%s: %s", c.path, got.body)
			}
		}
	}
	for range 3 { // a request without a credential is not an attempt
		require.Equal(t, http.StatusUnauthorized, s.requestOf(t, http.MethodPost, "/v1/ingest", event).status)
		require.Equal(t, http.StatusUnauthorized, s.requestOf(t, http.MethodGet, "/v1/projects", "").status)
	}

	s.stopServer(t)

	require.Contains(t, s.log.String(), `"authentication failed","failures":112,"addresses":{"127.0.0.1":112}`)
}

// A refused request, and one that needs no body, is answered before its body is read, and its connection ends.
func TestRefusedConnectionsDoNotStay(t *testing.T) {
	t.Parallel()
	s := startServer(t, configOn(storetest.NewURL(t)))
	for _, request := range []string{
		"POST /v1/projects", "POST /mcp", "POST /v1/ingest", "POST /api/1/envelope/?sentry_key=wrong", "POST /api/1/store/", "POST /no/such/path",
		"PUT /v1/projects", "GET /healthz", "GET /docs", "GET /v1/openapi.json", "GET /", "OPTIONS /v1/ingest",
	} {
		for _, body := range []string{"Content-Length: 1000", "Content-Length: 1000000", "Transfer-Encoding: chunked"} {
			t.Run(request+" "+body, func(t *testing.T) {
				t.Parallel()
				conn, err := net.Dial("tcp", s.listenAddress())
				require.NoError(t, err)
				defer conn.Close()
				require.NoError(t, conn.SetDeadline(time.Now().Add(15*time.Second))) // half of the time for a body
				_, err = io.WriteString(conn, request+" HTTP/1.1\r\nHost: errand\r\n"+body+"\r\n\r\n")
				require.NoError(t, err)

				text, err := io.ReadAll(conn)
				require.NoError(t, err)

				require.True(t, strings.HasPrefix(string(text), "HTTP/1.1 "), "%.100s", text)
			})
		}
	}
}

// A refusal ends a client's connection only when much of its body is unread, on every surface.
func TestRefusedSendersKeepTheirConnection(t *testing.T) {
	t.Parallel()
	s := startServer(t, configOn(storetest.NewURL(t)))
	for _, head := range []string{
		"POST /v1/traces HTTP/1.1\r\nContent-Type: application/x-protobuf\r\n", "POST /v1/logs HTTP/1.1\r\nContent-Type: application/json\r\n",
		"POST /v1/ingest HTTP/1.1\r\n", "POST /api/1/envelope/?sentry_key=wrong HTTP/1.1\r\n", "POST /api/1/nothing/ HTTP/1.1\r\n",
	} {
		conn, err := net.Dial("tcp", s.listenAddress())
		require.NoError(t, err)
		defer conn.Close()
		require.NoError(t, conn.SetDeadline(time.Now().Add(15*time.Second)))
		answers := bufio.NewReader(conn)
		for _, size := range []int{10, 200_000, 10, 300_000} {
			_, err = fmt.Fprintf(conn, "%sHost: errand\r\nX-Service-Key: wrong\r\nContent-Length: %d\r\n\r\n%s", head, size,
				strings.Repeat("x", min(size, 200_000)))
			require.NoError(t, err)
			response, err := http.ReadResponse(answers, nil)
			require.NoError(t, err, head)
			_, err = io.Copy(io.Discard, response.Body)
			require.NoError(t, err)
			require.GreaterOrEqual(t, response.StatusCode, http.StatusBadRequest, head)
			require.Equal(t, size == 300_000, response.Close, "%s %d", head, size)
		}
	}
}
