package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core/manage"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// management is a client of the management API of a running server.
type management struct {
	*server
	key      string
	problem  int64    // of the app web-shop
	document *openAPI // every answer is compared with it
	names    []string // of ids, each followed by its value: $ANN, 7
}

// allPermissions are the permissions of the key in most tests.
var allPermissions = strings.Split(manage.ListPermissions(), ", ")

// openManagement starts a server with the app web-shop, which has one problem with one notice.
func openManagement(t *testing.T, c app.Config) *management {
	t.Helper()
	m := &management{server: startServer(t, c)}
	m.problem = m.sendEvent(t, m.makeProject(t))
	m.key = m.makeKey(t, c, allPermissions...)
	return m
}

// makeKey makes a key as the command does, beside the running server.
func (m *management) makeKey(t *testing.T, c app.Config, permissions ...string) string {
	t.Helper()
	key, err := app.CreateAPIKey(t.Context(), &c, "dashboard", permissions, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	return key.Reveal()
}

// call sends a request of the form "POST /apps {body}", with the key in its header.
func (m *management) call(t *testing.T, key, request string) answer {
	t.Helper()
	request = strings.NewReplacer(append([]string{"PROBLEM", fmt.Sprint(m.problem)}, m.names...)...).Replace(request)
	method, rest, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(rest, " ")
	sent, err := http.NewRequestWithContext(t.Context(), method, "http://"+m.Addr()+"/api/v1"+path, strings.NewReader(body))
	require.NoError(t, err)
	if key != "" {
		sent.Header.Set("Service-API-Key", key)
	}
	got := m.doRequest(sent)
	require.NoError(t, got.err)
	if m.document == nil {
		m.document = readOpenAPI(t, m.server)
	}
	m.document.requireDescribed(t, method, path, got)
	return got
}

// exchange is a request and its answer, in the form of the document.
type exchange struct {
	name    string
	request string
	status  int
	body    string // contained in the body, unless empty
}

func (m *management) requireExchanges(t *testing.T, key string, table []exchange) {
	t.Helper()
	for _, e := range table {
		t.Run(e.name, func(t *testing.T) {
			got := m.call(t, key, e.request)

			require.Equal(t, e.status, got.status, got.body)
			require.Contains(t, got.body, strings.NewReplacer(m.names...).Replace(e.body))
			if e.status >= http.StatusBadRequest {
				require.Empty(t, got.header.Get("WWW-Authenticate"))
				requireFailure(t, got)
			}
		})
	}
}

// requireFailure requires an error to have the one shape, and 422 to have both keys that clients look for.
func requireFailure(t *testing.T, got answer) {
	t.Helper()
	var failure struct {
		Error, Message string
		Messages       []string
	}
	require.NoError(t, json.Unmarshal([]byte(got.body), &failure), got.body)
	require.NotEmpty(t, failure.Message)
	if got.status == http.StatusUnprocessableEntity {
		require.Equal(t, "validation_failed", failure.Error)
		require.Equal(t, failure.Message, strings.Join(failure.Messages, ", "))
	}
}

func TestManagementTransport(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	m := openManagement(t, c)
	reader := m.makeKey(t, c, "apps:read")

	m.requireExchanges(t, "", []exchange{
		{"health needs no key", "GET /health", 200, `{"status":"ok","timestamp":"20`},
		{"missing key", "GET /apps", 401, `{"error":"unauthorized","message":"Missing API key"}`},
		{"missing key at an unknown path", "GET /nothing", 401, `"unauthorized"`},
	})
	m.requireExchanges(t, "cka_"+strings.Repeat("a", 43), []exchange{
		{"unknown key", "GET /apps", 401, `{"error":"unauthorized","message":"Invalid or revoked API key"}`},
	})
	m.requireExchanges(t, adminToken, []exchange{{"a token is no key", "GET /apps", 401, `Invalid or revoked API key`}})
	m.requireExchanges(t, reader, []exchange{
		{"apps: permission first", "DELETE /apps/nothing", 403, `{"error":"forbidden","message":"Missing required permission: apps:write"}`},
		{"problems: look-up first", "GET /apps/nothing/problems", 404, `"not_found"`},
		{"a problem: look-up first", "GET /apps/web-shop/problems/999999", 404, `"not_found"`},
		{"then the permission", "GET /apps/web-shop/problems/PROBLEM", 403, `Missing required permission: problems:read`},
		{"then the input", "GET /apps/web-shop/problems?page=0", 403, `Missing required permission: problems:read`},
		{"notices", "GET /apps/web-shop/problems/PROBLEM/notices", 403, `notices:read`},
		{"tags", `POST /apps/web-shop/problems/PROBLEM/tags {"name":"a"}`, 403, `tags:write`},
		{"unknown path", "GET /nothing", 404, `"not_found"`},
		{"unknown method", "DELETE /apps", 405, `"method_not_allowed"`},
		{"NUL in a path", "GET /apps/%00", 404, `"not_found"`},
		{"a long slug", "GET /apps/" + strings.Repeat("s", 300), 404, `"not_found"`},
	})
}

func TestManagementKeyStandsInItsHeaderAlone(t *testing.T) {
	t.Parallel()
	m := openManagement(t, configOn(storetest.NewURL(t)))
	for _, header := range []string{"Authorization", "Checkend-API-Key", "X-Service-Key"} {
		sent, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+m.Addr()+"/api/v1/apps?api_key="+m.key, nil)
		require.NoError(t, err)
		sent.Header.Set(header, "Bearer "+m.key)

		require.Equal(t, http.StatusUnauthorized, m.doRequest(sent).status, header)
	}
	sent, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+m.Addr()+"/v1/projects", nil)
	require.NoError(t, err)
	sent.Header.Set("Authorization", "Bearer "+m.key)

	require.Equal(t, http.StatusUnauthorized, m.doRequest(sent).status, "a key of the management API opens nothing of /v1")
	require.NotContains(t, m.log.String(), m.key)
}

func TestRevokedAPIKeyStopsAtOnceOnTwoServers(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	m := openManagement(t, c)
	other := &management{server: startServer(t, c)}
	require.Equal(t, http.StatusOK, other.call(t, m.key, "GET /apps").status)
	keys, err := app.ListAPIKeys(t.Context(), &c, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	require.False(t, keys[0].LastUsedAt.IsZero())

	require.NoError(t, app.RevokeAPIKey(t.Context(), &c, keys[0].ID, (&logtext.Text{}).NewLogger()))

	require.Equal(t, http.StatusUnauthorized, m.call(t, m.key, "GET /apps").status)
	require.Equal(t, http.StatusUnauthorized, other.call(t, m.key, "GET /apps").status)
}

// object reads an answer that is an object.
func object(t *testing.T, got answer) (read map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(got.body), &read), got.body)
	return read
}

// requireMembers requires an object to have exactly these members.
func requireMembers(t *testing.T, read map[string]any, names string) {
	t.Helper()
	require.ElementsMatch(t, strings.Fields(names), collectNames(read))
}

func collectNames(read map[string]any) (names []string) {
	for name := range maps.Keys(read) {
		names = append(names, name)
	}
	return names
}

func TestManagementApps(t *testing.T) {
	t.Parallel()
	m := openManagement(t, configOn(storetest.NewURL(t)))

	made := object(t, m.call(t, m.key, `POST /apps {"app":{"name":"Web shop","environment":"staging","colour":"blue"}}`))

	requireMembers(t, made, `id name slug environment notify_on_new_problem notify_on_reoccurrence created_at updated_at
		unresolved_problems_count`)
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`, made["created_at"])
	require.Equal(t, "web-shop-1", made["slug"])
	m.requireExchanges(t, m.key, []exchange{
		{"list, newest first", "GET /apps", 200, fmt.Sprintf(`[{"id":%d,`, int64(made["id"].(float64)))},
		{"show by slug", "GET /apps/web-shop", 200, `"unresolved_problems_count":1`},
		{"show by id", fmt.Sprintf("GET /apps/%d", int64(made["id"].(float64))), 200, `"environment":"staging"`},
		{"not by name", "GET /apps/Web%20shop", 404, `"not_found"`},
		{"create flat", `POST /apps {"name":"Flat","notify_on_new_problem":false}`, 201, `"notify_on_new_problem":false`},
		{"name missing", `POST /apps {"app":{}}`, 422, `"messages":["Name can't be blank"]`},
		{"name blank", `POST /apps {"name":"  "}`, 422, `"messages":["Name can't be blank"]`},
		{"name of the wrong type", `POST /apps {"name":[1]}`, 422, `"Name must be`},
		{"name with NUL", `POST /apps {"name":"a\u0000"}`, 422, `"Name must`},
		{"name too long", `POST /apps {"name":"` + strings.Repeat("n", 101) + `"}`, 422, `100`},
		{"no JSON", `POST /apps nothing`, 422, `must be a JSON object`},
		{"change keeps the slug", `PATCH /apps/web-shop-1 {"environment":null}`, 200, `"slug":"web-shop-1","environment":null`},
		{"a name changes the slug", `PUT /apps/web-shop-1 {"app":{"name":"Back office"}}`, 200, `"slug":"back-office"`},
		{"the old slug is gone", "GET /apps/web-shop-1", 404, `"not_found"`},
		{"blank name", `PATCH /apps/back-office {"name":""}`, 422, `Name can't be blank`},
		{"unknown app", `PATCH /apps/nothing {"name":"x"}`, 404, `"not_found"`},
		{"delete", "DELETE /apps/back-office", 204, ""},
		{"deleted again", "DELETE /apps/back-office", 404, `"not_found"`},
	})
	require.Contains(t, m.sendRequest(t.Context(), http.MethodGet, "/v1/activity", "", nil).body, `"actor_name":"API key dashboard"`)
}

func TestDeletionOfAppWaitsForApproval(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	c.RequireApproval = "delete_project"
	m := openManagement(t, c)

	m.requireExchanges(t, m.key, []exchange{
		{"held", "DELETE /apps/web-shop", 202, `"approval_id":`},
		{"still there", "GET /apps/web-shop", 200, ""},
	})
}

func TestManagementProblems(t *testing.T) {
	t.Parallel()
	m := openManagement(t, configOn(storetest.NewURL(t)))
	const list = "GET /apps/web-shop/problems"
	none := `{"data":[],"pagination":{"page":1,"per_page":25,"total":0,"total_pages":0}}`

	shown := object(t, m.call(t, m.key, list+"/PROBLEM"))

	requireMembers(t, shown, `id app_id error_class error_message fingerprint status notices_count deduplicated_count first_noticed_at
		last_noticed_at resolved_at created_at updated_at tags`)
	require.Equal(t, "cart cannot be loaded", shown["error_message"])
	m.requireExchanges(t, m.key, []exchange{
		{"list", list, 200, `"pagination":{"page":1,"per_page":25,"total":1,"total_pages":1}}`},
		{"per_page is capped", list + "?per_page=10000", 200, `"per_page":100`},
		{"page behind the end", list + "?page=9", 200, `{"data":[],"pagination":{"page":9`},
		{"page 0", list + "?page=0", 422, `"Page must be`},
		{"page of no number", list + "?page=x", 422, `"Page must be`},
		{"a huge page", list + "?page=9007199254740991&per_page=100", 200, `"data":[]`},
		{"per_page -1", list + "?per_page=-1", 422, `"Per page must be`},
		{"min_notices", list + "?min_notices=2", 200, none},
		{"min_notices 0", list + "?min_notices=0", 422, `"Min notices must be`},
		{"search", list + "?search=CART", 200, `"total":1`},
		{"wildcards", list + "?search=c%25ca_not", 200, `"total":1`},
		{"a backslash is itself", list + `?search=cart%5C`, 200, none},
		{"search with NUL", list + `?search=%00`, 422, `NUL`},
		{"bad date", list + "?date_from=2026-02-30", 422, `"Date from must be a date, such as 2026-01-31"`},
		{"dates", list + "?date_from=2020-01-01&date_to=2020-12-31", 200, none},
		{"empty filters are none", list + "?status=&date_from=&search=&tags[]=", 200, `"total":1`},
		{"unknown filters are dropped", list + "?colour=blue&sort=anything&status=anything", 200, `"total":1`},
		{"resolved ones", list + "?status=resolved", 200, none},
		{"sorted", list + "?sort=notices", 200, `"total":1`},
		{"oldest", list + "?sort=oldest", 200, `"total":1`},
		{"an id of no number", list + "/abc", 404, `"not_found"`},
		{"resolve", "POST /apps/web-shop/problems/PROBLEM/resolve", 200, `"status":"resolved"`},
		{"resolve again", "POST /apps/web-shop/problems/PROBLEM/resolve", 200, `"resolved_at":"20`},
		{"now it is resolved", list + "?status=resolved", 200, `"total":1`},
		{"and no more counted", "GET /apps/web-shop", 200, `"unresolved_problems_count":0`},
		{"unresolve", "POST /apps/web-shop/problems/PROBLEM/unresolve", 200, `"status":"unresolved"`},
		{"unresolve again", "POST /apps/web-shop/problems/PROBLEM/unresolve", 200, `"resolved_at":null`},
		{"bulk", `POST /apps/web-shop/problems/bulk_resolve {"problem_ids":[PROBLEM,PROBLEM,999999]}`, 200,
			`{"message":"1 problem(s) marked as resolved","count":1}`},
		{"resolved ones count too", `POST /apps/web-shop/problems/bulk_resolve {"problem_ids":["PROBLEM"]}`, 200, `"count":1`},
		{"bulk of nothing", `POST /apps/web-shop/problems/bulk_resolve {"problem_ids":[]}`, 422, `"problem_ids is required"`},
		{"bulk without ids", `POST /apps/web-shop/problems/bulk_resolve`, 422, `"message":"problem_ids is required"`},
	})
	activity := m.sendRequest(t.Context(), http.MethodGet, fmt.Sprintf("/v1/issues/%d/activity", m.problem), "", nil).body
	require.Equal(t, 2, strings.Count(activity, `"issue.resolve"`), activity)
}

func TestManagementNotices(t *testing.T) {
	t.Parallel()
	m := openManagement(t, configOn(storetest.NewURL(t)))
	const list = "GET /apps/web-shop/problems/PROBLEM/notices"
	data := object(t, m.call(t, m.key, list))["data"].([]any)
	require.Len(t, data, 1)
	notice := data[0].(map[string]any)

	one := m.call(t, m.key, fmt.Sprintf("%s/%.0f", list, notice["id"]))

	require.Equal(t, notice, object(t, one), "the list has notices in full")
	requireMembers(t, notice, `id problem_id error_class error_message occurred_at created_at updated_at context request user_info notifier
		backtrace`)
	require.Contains(t, one.body, `"request":{},"user_info":{}`)
	require.Contains(t, one.body, `"backtrace":[]`)
	m.requireExchanges(t, m.key, []exchange{
		{"another problem's", "GET /apps/web-shop/problems/999999/notices", 404, `"not_found"`},
		{"unknown", list + "/999999", 404, `"not_found"`},
		{"dates", list + "?date_to=2020-01-01", 200, `"total":0`},
		{"bad date", list + "?date_to=yesterday", 422, `"Date to must be a date`},
		{"page 0", list + "?page=0", 422, `"Page must be`},
	})
}

const crash = `{"event_id": "0123456789abcdef0123456789abcdef", "platform": "go", "environment": "production",
	"exception": {"type": "KeyError", "value": "no <cart>", "stacktrace": {"frames": [
		{"filename": "main.go", "function": "main", "lineno": 7}, {"filename": "cart.go", "lineno": 12}]}},
	"request": {"url": "https://shop.example/cart", "method": "GET"}, "user": {"id": "u1"}, "extra": {"items": 3},
	"sdk": {"name": "sentry.go", "version": "1.0"}}`

func TestNoticeHasWhatTheEventHad(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	m := &management{server: startServer(t, c)}
	project := m.makeProject(t)
	taken := m.sendRequest(t.Context(), http.MethodPost, "/v1/ingest", project, strings.NewReader(crash))
	require.Equal(t, http.StatusOK, taken.status, taken.body)
	m.key = m.makeKey(t, c, allPermissions...)
	m.problem = int64(object(t, m.call(t, m.key, "GET /apps/web-shop/problems"))["data"].([]any)[0].(map[string]any)["id"].(float64))

	got := m.call(t, m.key, "GET /apps/web-shop/problems/PROBLEM/notices")

	for _, part := range []string{
		`"error_class":"KeyError","error_message":"no <cart>"`,
		`"backtrace":[{"file":"cart.go","line":12,"method":"unknown"},{"file":"main.go","line":7,"method":"main"}]`,
		`"request":{"method":"GET","url":"https://shop.example/cart"}`,
		`"notifier":{"language":"go","name":"sentry.go","version":"1.0"}`,
		`"items":3`, `"environment":"production"`, `"user_info":{"id":"u1"}`,
	} {
		require.Contains(t, got.body, part)
	}
}

func TestManagementTags(t *testing.T) {
	t.Parallel()
	m := openManagement(t, configOn(storetest.NewURL(t)))
	const tags = " /apps/web-shop/problems/PROBLEM/tags"
	long := strings.Repeat("t", 50)

	m.requireExchanges(t, m.key, []exchange{
		{"none", "GET" + tags, 200, `[]`},
		{"add", "POST" + tags + ` {"name":" Critical "}`, 201, `"name":"critical"}`},
		{"add again", "POST" + tags + ` {"name":"CRITICAL"}`, 422, `"message":"Tag already added to this problem"`},
		{"blank", "POST" + tags + ` {"name":" "}`, 422, `"message":"Tag name is required"`},
		{"missing", "POST" + tags, 422, `"message":"Tag name is required"`},
		{"50 characters", "POST" + tags + ` {"name":"` + long + `"}`, 201, long},
		{"51 characters", "POST" + tags + ` {"name":"` + long + `t"}`, 422, `maximum is 50`},
		{"another script", "POST" + tags + ` {"name":"kritisch-ß"}`, 422, `Name only allows letters, numbers, hyphens, and underscores`},
		{"with the problem", "GET /apps/web-shop/problems/PROBLEM", 200, `"name":"critical"}`},
		{"as a filter", "GET /apps/web-shop/problems?tags=Critical", 200, `"total":1`},
		{"any of several", "GET /apps/web-shop/problems?tags[]=nothing&tags[]=critical", 200, `"total":1`},
		{"another filter", "GET /apps/web-shop/problems?tags=nothing", 200, `"total":0`},
		{"unknown tag", "DELETE" + tags + "/999999", 404, `{"error":"not_found","message":"Tag not found"}`},
	})
	var listed []struct{ ID int64 }
	require.NoError(t, json.Unmarshal([]byte(m.call(t, m.key, "GET"+tags).body), &listed))
	m.requireExchanges(t, m.key, []exchange{
		{"remove", fmt.Sprintf("DELETE%s/%d", tags, listed[0].ID), 204, ""},
		{"removed", "GET" + tags, 200, long},
	})
}
