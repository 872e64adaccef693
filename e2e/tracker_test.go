//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// managementAPI calls the management API with its own key.
type managementAPI struct {
	*server
	key string
}

// manageAs makes an API key with the command, as people do.
func (s *server) manageAs(permissions string) managementAPI {
	s.t.Helper()
	out, err := errandCommand(s.t, s.dataDir, nil, "api-key", "create", "--name", "clients", "--permission", permissions).Output()
	require.NoError(s.t, err)
	return managementAPI{s, strings.TrimSpace(string(out))}
}

// read decodes the answer of GET /api/v1<path>.
func (m managementAPI) read(path string, into any) {
	m.t.Helper()
	m.exchangeJSON("GET", m.url+"/api/v1"+path, "", http.StatusOK, into, "Service-API-Key: "+m.key)
}

func (s *server) exchangeJSON(method, address, body string, status int, into any, headers ...string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, address, strings.NewReader(body))
	require.NoError(s.t, err)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, status, answer.StatusCode, string(text))
	require.NoError(s.t, json.Unmarshal(text, into), string(text))
}

type problems struct {
	Data []struct {
		ID                int64
		ErrorClass        string `json:"error_class"`
		ErrorMessage      string `json:"error_message"`
		Status            string
		NoticesCount      int `json:"notices_count"`
		DeduplicatedCount int `json:"deduplicated_count"`
	}
	Pagination struct{ Total int }
}

type notices struct {
	Data []struct {
		ID                         int64
		Context, Request, Notifier map[string]any
		UserInfo                   map[string]any `json:"user_info"`
		Backtrace                  []struct {
			File, Method string
			Line         int
		}
	}
}

// TestTrackersPythonClient is an application with a published client of the tracker whose API the management API copies.
func TestTrackersPythonClient(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	dsn, slug := s.makeProject("Shop")
	parsed, err := url.Parse(dsn)
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), python, "sdk/tracker.py", s.url, parsed.User.Username()).CombinedOutput()
	require.NoError(t, err, string(out))
	api := s.manageAs("apps:read,problems:read,notices:read")

	var cart, sku problems
	api.read("/apps/"+slug+"/problems?search=CartError", &cart)
	require.Len(t, cart.Data, 1)
	found := cart.Data[0]
	require.Equal(t, []any{"CartError", "cart 1001 cannot be loaded", "unresolved", 1, 1},
		[]any{found.ErrorClass, found.ErrorMessage, found.Status, found.NoticesCount, found.DeduplicatedCount})
	var stored notices
	api.read(fmt.Sprintf("/apps/%s/problems/%d/notices", slug, found.ID), &stored)
	require.Len(t, stored.Data, 1)
	notice := stored.Data[0]
	require.Equal(t, fmt.Sprintf("%[1]d %[2]d False 1\n%[1]d None True 2\n", found.ID, notice.ID), string(out))
	require.Equal(t, "load_cart", notice.Backtrace[0].Method, "the most recent call comes first")
	require.Contains(t, notice.Backtrace[0].File, "tracker.py")
	require.Equal(t, 13, notice.Backtrace[0].Line)
	require.Equal(t, "staging", notice.Context["environment"])
	require.EqualValues(t, 1001, notice.Context["cart"])
	require.Equal(t, map[string]any{"checkout": "true"}, notice.Context["tags"])
	require.Equal(t, "https://shop.example/cart?step=2", notice.Request["url"])
	require.Equal(t, "u-17", notice.UserInfo["id"])
	require.Equal(t, "checkend-python", notice.Notifier["name"])
	api.read("/apps/"+slug+"/problems?search=KeyError", &sku)
	require.Equal(t, 1, sku.Pagination.Total, "what was sent in the background")
}

// TestTrackersOtherClients sends what clients outside of registries send. Each has its own form of a frame.
func TestTrackersOtherClients(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	api := s.manageAs("problems:read,notices:read")
	for name, c := range map[string]struct{ notifier, backtrace, file, method string }{
		"Ruby": {`"name":"checkend-ruby","language":"ruby"`, `["[PROJECT_ROOT]/app/cart.rb:12:in 'Shop::Cart#add'"]`,
			"app/cart.rb", "Shop::Cart#add"},
		"Node": {`"name":"@checkend/node","language":"javascript"`, `["at Cart.add (file://[PROJECT_ROOT]/src/cart.js:12:9)"]`,
			"src/cart.js", "Cart.add"},
		"Go": {`"name":"checkend-go","language":"go"`, `["/app/cart.go:12 in example.com/shop.(*Cart).Add"]`,
			"/app/cart.go", "example.com/shop.(*Cart).Add"},
		"Java": {`"name":"checkend-java","language":"java"`, `[{"file":"Cart.java","line":12,"method":"com.shop.Cart.add"}]`,
			"Cart.java", "com.shop.Cart.add"},
		"a page": {`"name":"@checkend/browser","language":"javascript"`, `["add@https://shop.example/cart.js:12:9"]`,
			"https://shop.example/cart.js", "add"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn, slug := s.makeProject(name)
			parsed, err := url.Parse(dsn)
			require.NoError(t, err)
			address, headers := s.url+"/ingest/v1/errors", []string{"Content-Type: application/json"}
			if name == "a page" { // a beacon has no headers
				address += "?key=" + parsed.User.Username()
			} else {
				headers = append(headers, "Checkend-Ingestion-Key: "+parsed.User.Username())
			}
			var sent struct {
				ID        int64
				ProblemID int64 `json:"problem_id"`
			}
			s.exchangeJSON("POST", address, `{"error":{"class":"CartError","message":"no cart","backtrace":`+c.backtrace+`,"tags":["slow"]},
				"context":{"environment":"production"},"notifier":{`+c.notifier+`}}`, http.StatusCreated, &sent, headers...)
			var stored notices
			api.read(fmt.Sprintf("/apps/%s/problems/%d/notices", slug, sent.ProblemID), &stored)
			require.Len(t, stored.Data, 1)
			require.Equal(t, sent.ID, stored.Data[0].ID)
			frame := stored.Data[0].Backtrace[0]
			require.Equal(t, []any{c.file, 12, c.method}, []any{frame.File, frame.Line, frame.Method})
		})
	}
}
