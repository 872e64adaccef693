package ingest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

func TestWaysToAuthenticate(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	dsn := func(key string) string { return fmt.Sprintf(`{"dsn":"https://%s@errors.example/1000000001"}`, key) }
	for name, c := range map[string]struct{ path, envelope, header string }{
		"header": {envelopes, "{}", byKey},
		"header, key first": {envelopes, "{}", "X-Sentry-Auth: Sentry sentry_key=" + shopKey +
			", sentry_version=7, sentry_client=x/1"},
		"header, key in the middle":    {envelopes, "{}", "X-Sentry-Auth: Sentry sentry_client=x/1,sentry_key=" + shopKey + ",sentry_secret=s"},
		"header with more room":        {envelopes, "{}", "X-Sentry-Auth:   sentry   sentry_version=7 ,  sentry_key = " + shopKey + " "},
		"header with quotes":           {envelopes, "{}", `X-Sentry-Auth: Sentry sentry_key="` + shopKey + `"`},
		"authorization":                {envelopes, "{}", "Authorization: Sentry sentry_version=7, sentry_key=" + shopKey},
		"another authorization beside": {envelopes + "?sentry_key=" + shopKey, "{}", "Authorization: Basic cm9vdDpyb290"},
		"query":                        {envelopes + "?sentry_version=7&sentry_key=" + shopKey + "&sentry_client=x%2F1", "{}", ""},
		"envelope":                     {envelopes, dsn(shopKey), ""},
		"envelope with an old DSN":     {envelopes, dsn(shopKey + ":secret"), ""},
		"without the last slash":       {"/api/1000000001/envelope", "{}", byKey},
		"query without the last slash": {"/api/1000000001/envelope?sentry_key=" + shopKey, "{}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.postBody(c.path, envelopeOf(c.envelope, eventItem(1)), nonEmpty(c.header)...)
			require.Equal(t, http.StatusOK, a.status, a.text)
			require.Equal(t, object{"id": fmt.Sprintf("%032x", 1)}, a.body)
		})
	}
	for name, c := range map[string]struct{ path, header string }{
		"header":                 {events, byKey},
		"query":                  {events + "?sentry_key=" + shopKey, ""},
		"without the last slash": {"/api/1000000001/store", byKey},
	} {
		a := s.postBody(c.path, []byte(eventText(1)), nonEmpty(c.header)...)
		require.Equal(t, http.StatusOK, a.status, "%s: %s", name, a.text)
	}

	for name, c := range map[string]struct{ path, header string }{
		"header": {native, nativeByKey},
		"query":  {native + "?key=" + shopKey, ""},
	} {
		a := s.postBody(c.path, []byte(eventText(1)), nonEmpty(c.header)...)
		require.Equal(t, http.StatusOK, a.status, "%s: %s", name, a.text)
	}

	require.EqualValues(t, 1, s.eventsCounted(), "it was the same event all the time")
}

func nonEmpty(header string) []string {
	if header == "" {
		return nil
	}
	return []string{header}
}

func TestUnauthorized(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	const officeKey, oldKey = "0ff1ce00000000000000000000000000", "01d00000000000000000000000000000"
	s.makeProject(shop+1, officeKey)
	require.NoError(t, s.db.CreateProjectKey(t.Context(), core.NewBootstrapActor(), shop, oldKey))
	require.NoError(t, s.db.RevokeProjectKey(t.Context(), core.NewBootstrapActor(), shop, oldKey))
	s.makeProject(shop+2, "de1e7ed0000000000000000000000000")
	s.execSQL(`UPDATE projects SET deleted_at = created_at WHERE id = $1`, shop+2)

	keys := map[string]string{
		"none": "", "unknown": "ffffffffffffffffffffffffffffffff", "revoked": oldKey, "of a deleted project": "de1e7ed0000000000000000000000000",
		"overlong": strings.Repeat("f", 60_000), "in another case": strings.ToUpper(shopKey), "with a null byte": shopKey + "%00",
		"not UTF-8": "%ff%fe", "like SQL": "'%20OR%201=1%20--",
	}
	for name, key := range keys {
		for _, path := range []string{envelopes + "?sentry_key=" + key, events + "?sentry_key=" + key, native + "?key=" + key} {
			requireUnauthorized(t, s.postBody(path, envelopeOf("{}", eventItem(1))), name)
		}
		if !strings.Contains(key, "%") {
			requireUnauthorized(t, s.postBody(envelopes, envelopeOf("{}"), "X-Sentry-Auth: Sentry sentry_key="+key), name)
			requireUnauthorized(t, s.postBody(envelopes, envelopeOf(`{"dsn":"https://`+key+`@errors.example/1000000001"}`, eventItem(1))), name)
			requireUnauthorized(t, s.postBody(native, []byte(eventText(1)), "X-Service-Key: "+key), name)
		}
	}
	for _, project := range []string{"1000000002", "0", "shop", "01000000001", "-1", "99999999999999999999", ""} {
		t.Run("project "+project, func(t *testing.T) {
			a := s.postBody("/api/"+project+"/envelope/", envelopeOf("{}", eventItem(1)), byKey)
			requireUnauthorized(t, a, "project "+project)
		})
	}
	requireUnauthorized(t, s.postBody(envelopes, envelopeOf("{}", eventItem(1)), "X-Sentry-Auth: Sentry sentry_key="+officeKey),
		"the key of another project")
	requireUnauthorized(t, s.postBody(envelopes, envelopeOf(`{"dsn":"://"}`, eventItem(1))), "not a DSN")
	requireUnauthorized(t, s.postBody(events, []byte(eventText(1)), "Authorization: Bearer "+shopKey), "another scheme")
	require.Zero(t, s.eventsStored())
	require.NotContains(t, s.log.String(), `"level":"ERROR"`)
}

func requireUnauthorized(t *testing.T, a answer, name string) {
	t.Helper()
	require.Equal(t, http.StatusUnauthorized, a.status, "%.80s: %s", name, a.text)
	require.Equal(t, "unauthorized", a.body["error"], "%.80s", name)
	require.Equal(t, "Bearer", a.header.Get("WWW-Authenticate"), "%.80s", name)
	require.Equal(t, "*", a.header.Get("Access-Control-Allow-Origin"), "a page can read it: %.80s", name)
}

func TestUnauthorizedSaysItInBothWords(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	a := s.postBody(native, []byte(eventText(1)))
	require.Equal(t, object{"error": "unauthorized"}, a.body)
	require.Empty(t, a.header.Get("X-Sentry-Error"))

	a = s.postBody(envelopes, envelopeOf("{}"))
	const reason = "The DSN's key is missing, unknown or revoked, or it is of another project."
	require.Equal(t, object{"error": "unauthorized", "detail": reason}, a.body)
	require.Equal(t, reason, a.header.Get("X-Sentry-Error"))
}

func TestOtherMethods(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, path := range []string{envelopes, "/api/1000000001/envelope", events, native} {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodPatch, "BREW"} {
			a := s.sendRequest(method, path, nil, byKey)
			require.Equal(t, http.StatusMethodNotAllowed, a.status, "%s %s", method, path)
			require.Equal(t, "method_not_allowed", a.body["error"])
			require.Equal(t, "POST, OPTIONS", a.header.Get("Allow"))
			require.Equal(t, "application/json", a.header.Get("Content-Type"))
		}
	}

	require.Equal(t, http.StatusMethodNotAllowed, s.sendRequest(http.MethodHead, envelopes, nil).status)
}

func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, path := range []string{
		"/api/", "/api/1000000001", "/api/1000000001/", "/api/1000000001/minidump/", "/api/1000000001/envelope/x", "/api/1000000001/envelope//",
		"/api//1000000001/envelope/", "/api/1000000001%2F/envelope/", "/api/1000000001//envelope/", "/api/0/projects/",
		"/api/../v1/ingest", "/v1/ingest/", "/v1", "/",
	} {
		t.Run(path, func(t *testing.T) {
			for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodOptions} {
				a := s.sendRequest(method, path, nil, byKey)
				require.Equal(t, http.StatusNotFound, a.status, "%s: %s", method, a.text)
				require.Equal(t, "not_found", a.body["error"], method)
			}
		})
	}
}
