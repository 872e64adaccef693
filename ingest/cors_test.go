package ingest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const exposed = "x-sentry-error, x-sentry-rate-limits, retry-after"

func TestAnyOriginMaySendToAProjectWithoutOrigins(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, headers := range [][]string{{byKey}, {byKey, "Origin: https://anywhere.example"}, {byKey, "Origin: null"}} {
		a := s.postBody(envelopes, envelopeOf("{}", eventItem(1)), headers...)
		require.Equal(t, http.StatusOK, a.status, a.text)
		require.Equal(t, "*", a.header.Get("Access-Control-Allow-Origin"))
		require.Equal(t, exposed, a.header.Get("Access-Control-Expose-Headers"))
		require.Empty(t, a.header.Get("Vary"))
	}

	a := s.postBody(native, nil, "Origin: https://anywhere.example")

	require.Equal(t, http.StatusUnauthorized, a.status)
	require.Equal(t, "*", a.header.Get("Access-Control-Allow-Origin"), "a page can read why it was refused")
}

func startWithOrigins(t *testing.T) *server {
	s := startServer(t)
	s.execSQL(`UPDATE projects SET allowed_origins = '{https://shop.example,http://localhost:3000,https://odd.example:443}' WHERE id = $1`,
		shop)
	return s
}

func TestAllowedOrigins(t *testing.T) {
	t.Parallel()
	s := startWithOrigins(t)
	for _, origin := range []string{"https://shop.example", "HTTPS://Shop.Example", "http://localhost:3000", "https://odd.example",
		"https://shop.example:443"} {
		for path, key := range map[string]string{envelopes: byKey, native: nativeByKey} {
			body := []byte(eventText(1))
			if path == envelopes {
				body = envelopeOf("{}", eventItem(1))
			}
			a := s.postBody(path, body, key, "Origin: "+origin)
			require.Equal(t, http.StatusOK, a.status, "%s: %s", origin, a.text)
			require.Equal(t, []string{origin}, a.header.Values("Access-Control-Allow-Origin"), "as it was sent")
			require.Equal(t, "Origin", a.header.Get("Vary"))
			require.Equal(t, exposed, a.header.Get("Access-Control-Expose-Headers"))
		}
	}

	a := s.postBody(native, []byte(`{}`), nativeByKey, "Origin: https://shop.example")

	require.Equal(t, http.StatusBadRequest, a.status)
	require.Equal(t, "https://shop.example", a.header.Get("Access-Control-Allow-Origin"), "a page can read why it was refused")
}

func TestForeignOrigins(t *testing.T) {
	t.Parallel()
	s := startWithOrigins(t)
	s.makeProject(shop+1, "0ff1ce00000000000000000000000000")

	for _, origin := range []string{
		"https://evil.example", "null", "http://shop.example", "https://shop.example:8443", "https://shop.example.evil.example",
		"https://evil.example/https://shop.example", "https://shop.example/", "shop.example", "*", "http://localhost",
	} {
		t.Run(origin, func(t *testing.T) {
			for name, a := range map[string]answer{
				"header": s.postBody(envelopes, envelopeOf("{}", eventItem(1)), byKey, "Origin: "+origin),
				"query":  s.postBody(envelopes+"?sentry_key="+shopKey, envelopeOf("{}", eventItem(1)), "Origin: "+origin),
				"envelope": s.postBody(envelopes, envelopeOf(`{"dsn":"https://`+shopKey+`@x/1000000001"}`, eventItem(1)),
					"Origin: "+origin),
				"store":   s.postBody(events, []byte(eventText(1)), byKey, "Origin: "+origin),
				"native":  s.postBody(native, []byte(eventText(1)), nativeByKey, "Origin: "+origin),
				"ask":     s.sendRequest(http.MethodOptions, native+"?key="+shopKey, nil, "Origin: "+origin),
				"by path": s.sendRequest(http.MethodOptions, envelopes, nil, "Origin: "+origin),
				"by path, with another key": s.sendRequest(http.MethodOptions, events+"?sentry_key=0ff1ce00000000000000000000000000", nil,
					"Origin: "+origin),
			} {
				require.Equal(t, http.StatusForbidden, a.status, "%s, %s", origin, name)
				require.Equal(t, "forbidden_origin", a.body["error"], "%s, %s", origin, name)
				require.Empty(t, a.header.Get("Access-Control-Allow-Origin"), "%s, %s", origin, name)
				require.Equal(t, "Origin", a.header.Get("Vary"), "%s, %s", origin, name)
			}
		})
	}

	require.Zero(t, s.eventsCounted())
	require.Equal(t, object{"error": "forbidden_origin"}, s.postBody(native, nil, nativeByKey, "Origin: https://evil.example").body)
}

func TestServersSendWithoutAnOrigin(t *testing.T) {
	t.Parallel()
	s := startWithOrigins(t)
	a := s.postBody(envelopes, envelopeOf("{}", eventItem(1)), byKey)

	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Empty(t, a.header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "Origin", a.header.Get("Vary"), "caches must not give this answer to a page")
	require.EqualValues(t, 1, s.eventsCounted())
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	s := startWithOrigins(t)
	s.makeProject(shop+1, "0ff1ce00000000000000000000000000")
	const ours, asks = "Origin: https://shop.example", "Access-Control-Request-Method: POST"
	for name, c := range map[string]struct {
		path, allowed string
	}{
		"with the key in the query":        {envelopes + "?sentry_version=7&sentry_key=" + shopKey, "https://shop.example"},
		"without a key":                    {envelopes, "https://shop.example"},
		"store":                            {events + "?sentry_key=" + shopKey, "https://shop.example"},
		"native with a key":                {native + "?key=" + shopKey, "https://shop.example"},
		"native without a key":             {native, "*"},
		"a project without origins":        {"/api/1000000002/envelope/?sentry_key=0ff1ce00000000000000000000000000", "*"},
		"security":                         {"/api/1000000001/security/", "https://shop.example"},
		"an unknown key":                   {envelopes + "?sentry_key=ffffffffffffffffffffffffffffffff", "https://shop.example"},
		"an unknown project":               {"/api/1000000003/envelope/", "*"},
		"no project":                       {"/api/01000000001/envelope/", "*"},
		"a key that is not of the project": {"/api/1000000002/envelope/?sentry_key=" + shopKey, "*"},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.sendRequest(http.MethodOptions, c.path, nil, ours, asks)
			require.Equal(t, http.StatusNoContent, a.status, a.text)
			require.Empty(t, a.text)
			require.Equal(t, c.allowed, a.header.Get("Access-Control-Allow-Origin"))
			require.Contains(t, a.header.Get("Access-Control-Allow-Methods"), "POST")

			for _, header := range []string{"x-sentry-auth", "x-service-key", "content-type", "content-encoding", "authorization"} {
				require.Contains(t, a.header.Get("Access-Control-Allow-Headers"), header)
			}
			require.NotEmpty(t, a.header.Get("Access-Control-Max-Age"))
		})
	}
}
