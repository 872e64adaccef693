package app_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// TestTheLogHasNoSecret takes a server through its life with known secrets, and searches its debug log for them.
func TestTheLogHasNoSecret(t *testing.T) {
	t.Parallel()
	const password, inEvent = "the-password-of-the-database", "the-password-in-the-event"
	u, err := url.Parse(storetest.NewURL(t))
	require.NoError(t, err)
	u.User = url.UserPassword(u.User.Username(), password)
	databaseURL := fmt.Sprint(u)
	s := startServer(t, configOn(databaseURL))
	key := s.makeProject(t)
	token := s.postAsAdmin(t, "/v1/tokens", `{"name": "agent", "scopes": ["admin"]}`)["token"].(string)
	live := func(patience time.Duration) {
		for _, r := range []struct{ method, path, header, value, body string }{
			{"GET", "/v1/projects", "Authorization", "Bearer " + token, ""},
			{"GET", "/v1/projects?key=" + token, "Authorization", "Bearer " + token, ""},
			{"GET", "/v1/projects", "Authorization", "Bearer " + token[:40], ""},
			{"GET", "/v1/" + token, "", "", ""},
			{"POST", "/v1/projects", "Authorization", "Bearer " + token, `{"name": "` + token + "\x00" + `"}`},
			{"POST", "/mcp", "Authorization", "Bearer " + token,
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_issues","arguments":{}}}`},
			{"POST", "/mcp", "Authorization", "Bearer " + token, `{"jsonrpc":"2.0","id":1,"method":"` + token + `"}`},
			{"POST", "/mcp", "Authorization", "Bearer " + token, `{"` + token},
			{"POST", "/v1/ingest", "X-Service-Key", key, `{"message": "failed", "extra": {"password": "` + inEvent + `"}}`},
			{"POST", "/v1/ingest?key=" + key, "", "", `{"message": "failed at postgres://ada:` + inEvent + `@db/shop"}`},
			{"POST", "/v1/ingest", "X-Service-Key", key, `{"message": "` + inEvent},
			{"POST", "/v1/ingest", "X-Service-Key", "wrong-" + key, event},
			{"POST", "/api/1/store/?sentry_key=" + key, "", "", event},
			{"POST", "/api/" + key + "/envelope/", "X-Sentry-Auth", "Sentry sentry_key=" + key, "{}\n{\"type\":\"event\"}\n" + event},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			request, err := http.NewRequestWithContext(ctx, r.method, "http://"+s.Addr()+r.path, strings.NewReader(r.body))
			require.NoError(t, err)
			request.Header.Set("Content-Type", "application/json")
			if r.header != "" {
				request.Header.Set(r.header, r.value)
			}
			require.NotContains(t, s.doRequest(request).body, password)
			cancel()
		}
	}
	live(atMost)
	setAway(t, databaseURL, true)
	live(200 * time.Millisecond) // events would wait for the database's return
	setAway(t, databaseURL, false)
	live(atMost)
	s.stopServer(t)

	log := s.log.String()
	for _, line := range []string{`"msg":"starting"`, `"route":"/v1/ingest"`, `"msg":"unavailable"`, `"msg":"stopped"`} {
		require.Contains(t, log, line)
	}
	for name, secret := range map[string]string{
		"ADMIN_TOKEN": adminToken, "password of DATABASE_URL": password, "token": token, "key of the DSN": key, "event": inEvent,
	} {
		require.NotContains(t, log, secret, name)
	}
}
