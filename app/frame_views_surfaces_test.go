package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// A bundle of many functions with names of three letters. The map has no identifiers, only places.
const (
	bundleSource = "function price(item) {\n\treturn item.price.amount;\n}\n" +
		"export class Cart { total(items) { return price(items[0]); } }\n"
	bundleCrash = `{"platform": "javascript", "release": "1.0", 
		"exception": {"type": "TypeError", "value": "no price", "stacktrace": {"frames": [
		{"function": "Eo.total", "abs_path": "https://shop.example/app.js", "lineno": 1, "colno": 51, "in_app": true},
		{"function": "Dae", "abs_path": "https://shop.example/app.js", "lineno": 1, "colno": 1, "in_app": true}]}}}`
)

// Every surface shows a frame alike: with the names from its source, not with the minifier's.
func TestSurfacesShowFramesAlike(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	c.Blobs = core.Secret("file://" + t.TempDir())
	m := &management{server: startServer(t, c)}
	key := m.makeProject(t)
	m.key = m.makeKey(t, c, allPermissions...)
	content, err := json.Marshal(bundleSource)
	require.NoError(t, err)
	uploaded := m.uploadMap(t, "1.0", "~/app.js",
		`{"version":3,"sources":["src/cart.ts"],"names":[],"mappings":"AACS,kDAE0B","sourcesContent":[`+string(content)+`]}`)
	require.Equal(t, http.StatusCreated, uploaded.status, uploaded.body)
	m.mapCrash(t, key, "1.0") // later lookups are in time
	taken := m.sendRequest(t.Context(), http.MethodPost, "/v1/ingest", key, strings.NewReader(bundleCrash))
	require.Equal(t, http.StatusOK, taken.status, taken.body)
	var sent struct{ Data struct{ ID, IssueID int64 } }
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(taken.body, "issue_id", "IssueID")), &sent))
	m.problem = sent.Data.IssueID

	var event core.EventDetail
	m.getJSON(t, fmt.Sprintf("/v1/events/%d", sent.Data.ID), &event)
	var brief core.Brief
	m.getJSON(t, fmt.Sprintf("/v1/issues/%d/brief", m.problem), &brief)
	notices := m.call(t, m.key, "GET /apps/web-shop/problems/PROBLEM/notices")

	frames := event.Event.Exceptions[0].Frames
	require.Equal(t, core.Untrusted("src/cart in price"), event.Event.Culprit)
	require.Equal(t, []core.Untrusted{"price", "total"}, []core.Untrusted{frames[0].Source.Function, frames[1].Source.Function})
	require.Equal(t, core.Untrusted("Dae"), frames[0].Function, "what was sent stays")
	require.Contains(t, brief.Markdown, "price at src/cart.ts:2 (mapped from app.js:1:1)")
	require.Contains(t, brief.Markdown, "total at src/cart.ts:4 (mapped from app.js:1:51)")
	require.Equal(t, core.Untrusted("price"), brief.JSON.Event.Exceptions[0].Frames[0].Function)
	require.Contains(t, notices.body,
		`"backtrace":[{"file":"src/cart.ts","line":2,"method":"price"},{"file":"src/cart.ts","line":4,"method":"total"}]`)
}

// A notice keeps the URL of a script without a map, as the browser named it.
func TestNoticesHaveURLsOfScripts(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	m := &management{server: startServer(t, c)}
	key := m.makeProject(t)
	m.key = m.makeKey(t, c, allPermissions...)
	taken := m.sendRequest(t.Context(), http.MethodPost, "/v1/ingest", key, strings.NewReader(bundleCrash))
	require.Equal(t, http.StatusOK, taken.status, taken.body)
	m.problem = int64(object(t, m.call(t, m.key, "GET /apps/web-shop/problems"))["data"].([]any)[0].(map[string]any)["id"].(float64))

	notices := m.call(t, m.key, "GET /apps/web-shop/problems/PROBLEM/notices")

	require.Contains(t, notices.body, `{"file":"https://shop.example/app.js","line":1,"method":"Dae"}`)
}
