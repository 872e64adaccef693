package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// hostileBodies are invalid as the input of every operation.
var hostileBodies = []string{
	`[]`, `null`, `7`, `"text"`, `{`, `{"name":}`, `{"name":"a"} {"name":"b"}`, "\xff\xfe", strings.Repeat(`{"a":`, 20000),
}

// hostileFields are bodies where every field that an operation knows has a wrong type.
var hostileFields = []string{
	`{"name":{},"owner_id":[],"user_id":1.5,"email_address":7.5,"password":{},"role":{},"app_id":{},"problem_ids":"x","environment":[]}`,
	`{"name":true,"owner_id":true,"user_id":{},"email_address":{},"password":[],"role":[],"app_id":[],"problem_ids":[{}],"environment":{}}`,
	`{"app":7,"team":[],"user":"x","name":[null],"owner_id":"9e99","user_id":"-","email_address":[],"problem_ids":[null]}`,
	`{"owner_id":9007199254740993,"user_id":-1,"email_address":"a@b.de\u0000","problem_ids":[9007199254740993],"name":"\u0000"}`,
}

// TestManagementHostileBodies sends these bodies to every operation with a body. Each answer must match the document.
func TestManagementHostileBodies(t *testing.T) {
	t.Parallel()
	m := openPeople(t, configOn(storetest.NewURL(t)))
	m.remember(t, "$FIRST", m.call(t, m.key, `POST /teams/$OFFICE/members {"user_id":$BOB}`))
	routes := []string{
		"POST /apps", "PATCH /apps/web-shop", "PUT /apps/web-shop", "POST /apps/web-shop/problems/bulk_resolve",
		"POST /apps/web-shop/problems/PROBLEM/tags", "POST /teams", "PATCH /teams/$OFFICE", "POST /teams/$OFFICE/apps",
		"POST /teams/$OFFICE/members", "PATCH /teams/$OFFICE/members/$FIRST", "POST /users", "PATCH /users/ann",
	}
	for _, route := range routes {
		for _, body := range append(hostileBodies, hostileFields...) {
			got := m.call(t, m.key, route+" "+body)
			if got.status == http.StatusUnprocessableEntity {
				requireFailure(t, got)
				continue
			}
			require.Less(t, got.status, http.StatusBadRequest, "%s %.80s: %s", route, body, got.body)
		}
		tooLong := m.call(t, m.key, route+` {"name":"`+strings.Repeat("n", 1<<20)+`"}`)
		require.Equal(t, http.StatusRequestEntityTooLarge, tooLong.status, route)
		requireFailure(t, tooLong)
	}
	require.Contains(t, m.call(t, m.key, "GET /users/ann").body, `"email_address":"ann@example.com"`, "nothing was changed")
	require.Contains(t, m.call(t, m.key, "GET /teams/$OFFICE").body, `"name":"Back office"`)
	require.NotContains(t, m.log.String(), "panic")
}

// TestManagementHostileQueries sends lists invalid pages, dates and numbers.
func TestManagementHostileQueries(t *testing.T) {
	t.Parallel()
	m := openManagement(t, configOn(storetest.NewURL(t)))
	var table []exchange
	for query, says := range map[string]string{
		"page=0": "Page must be", "page=-1": "Page must be", "page=1.5": "Page must be", "page=9007199254740993": "Page must be",
		"page=%00": "NUL", "per_page=0": "Per page must be", "per_page=-1": "Per page must be", "per_page=ten": "Per page must be",
		"date_from=2026-13-01": "Date from must be a date", "date_to=01/02/2026": "Date to must be a date", "date_from=now": "Date from must be",
		"date_to=" + strings.Repeat("1", 100): "Date to must", "page=%zz": "the query must be",
	} {
		table = append(table, exchange{"problems?" + query, "GET /apps/web-shop/problems?" + query, 422, says},
			exchange{"notices?" + query, "GET /apps/web-shop/problems/PROBLEM/notices?" + query, 422, says})
	}
	for _, query := range []string{
		"per_page=10000", "page=100000", "date_from=2026-01-31T10:00:00Z", "date_to=0001-01-01", "date_from=9999-12-31",
		"date_from=2026-02-01&date_to=2026-01-01", "tags[]=" + strings.Repeat("t", 51), "tags=日本", "search=%25%5F%5C", "sort=%3Bdrop",
		"page=7&page=1", "[]=1&&=&page[]=0",
	} {
		table = append(table, exchange{"problems?" + query, "GET /apps/web-shop/problems?" + query, 200, `"per_page":`})
	}
	m.requireExchanges(t, m.key, table)
}

// TestManagementHostilePaths sends paths that name nothing.
func TestManagementHostilePaths(t *testing.T) {
	t.Parallel()
	m := openPeople(t, configOn(storetest.NewURL(t)))
	names := []string{
		"%00", "%FF", "..%2F", "-1", "0", "9007199254740993", "%20", "%27%3B--", strings.Repeat("s", 1000), "%F0%9F%99%82",
	}
	paths := []string{
		"/apps/%s", "/apps/web-shop/problems/%s", "/teams/%s", "/teams/$OFFICE/members/%s", "/teams/$OFFICE/apps/%s", "/users/%s",
	}
	for _, name := range names {
		for _, path := range paths {
			for _, method := range []string{http.MethodGet, http.MethodPatch, http.MethodDelete} {
				got := m.call(t, m.key, method+" "+fmt.Sprintf(path, name)+" {}")
				require.Contains(t, []int{http.StatusNotFound, http.StatusMethodNotAllowed}, got.status, "%s %s: %s", method, path, got.body)
				requireFailure(t, got)
			}
		}
	}
}
