package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// sendNotice sends a notice as that tracker's clients do, and returns it as the management API shows it.
func (m *management) sendNotice(t *testing.T, key, body string) map[string]any {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+m.Addr()+"/ingest/v1/errors", strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Checkend-Ingestion-Key", key)
	sent := m.doRequest(request)
	require.NoError(t, sent.err)
	require.Equal(t, http.StatusCreated, sent.status, sent.body)
	listed := m.call(t, m.key, fmt.Sprintf("GET /apps/web-shop/problems/%.0f/notices", object(t, sent)["problem_id"]))
	require.Equal(t, http.StatusOK, listed.status, listed.body)
	return object(t, listed)["data"].([]any)[0].(map[string]any)
}

func TestManagementNoticeShowsTheRequestAsItWasSent(t *testing.T) {
	t.Parallel()
	m := &management{}
	c := configOn(storetest.NewURL(t))
	m.server = startServer(t, c)
	ingestionKey := m.makeProject(t)
	m.key = m.makeKey(t, c, allPermissions...)
	for n, row := range []struct{ sent, shown string }{
		{`{"url":"https://shop.example/cart?id=7&sort=up","path":"/cart","query":"id=7&sort=up"}`, ``},
		{`{"url":"https://shop.example/cart","path":"/cart","query":{"id":"7","sort":"up"}}`, ``},
		{`{"url":"https://shop.example/cart?id=7","query":{"page":"2"}}`, ``},
		{`{"url":"https://shop.example/cart?id=7#items","path":"/cart?id=7","query":"?id=7"}`, ``},
		{`{"url":"https://shop.example/cart?token=kT7wQz31LmXv9RbNcY5sHdPe&id=7#access_token=kT7wQz31LmXv9RbNcY5sHdPe",
			"query":"password=hunter2&id=7"}`,
			`{"url":"https://shop.example/cart?token=[Filtered]&id=7","query":"password=[Filtered]&id=7"}`},
	} {
		shown := m.sendNotice(t, ingestionKey, fmt.Sprintf(`{"error":{"class":"E%d"},"request":%s}`, n, row.sent))["request"]
		text, err := core.MarshalPlain(shown)
		require.NoError(t, err)
		want := row.shown
		if want == "" {
			want = row.sent
		}
		require.JSONEq(t, want, string(text))
	}
}

func TestManagementNoticeShowsFramesAsTheyWereSent(t *testing.T) {
	t.Parallel()
	m := &management{}
	c := configOn(storetest.NewURL(t))
	m.server = startServer(t, c)
	ingestionKey := m.makeProject(t)
	m.key = m.makeKey(t, c, allPermissions...)
	for n, row := range []struct{ language, frame, file, method string }{
		{"ruby", `"app/user.rb:12:in 'User#save'"`, "app/user.rb", "User#save"},
		{"ruby", `"app/user.rb:12:in 'Shop::User.find'"`, "app/user.rb", "Shop::User.find"},
		{"ruby", `"app/user.rb:12:in 'block in User#save'"`, "app/user.rb", "block in User#save"},
		{"ruby", `{"file":"app/user.rb","line":12,"method":"User#save"}`, "app/user.rb", "User#save"},
		{"go", `"/app/main.go:12 in main.(*T).run"`, "/app/main.go", "main.(*T).run"},
		{"go", `"/app/cart.go:12 in example.com/shop/cart.Add.func1"`, "/app/cart.go", "example.com/shop/cart.Add.func1"},
		{"go", `{"file":"/app/main.go","line":12,"function":"main.(*T).run"}`, "/app/main.go", "main.(*T).run"},
		{"java", `{"file":"User.java","line":12,"method":"com.shop.User.save"}`, "User.java", "com.shop.User.save"},
		{"csharp", `{"file":"/src/User.cs","line":12,"method":"Shop.User.Save"}`, "/src/User.cs", "Shop.User.Save"},
		{"elixir", `"lib/user.ex:12 in Elixir.Shop.User.save/2"`, "lib/user.ex", "Elixir.Shop.User.save/2"},
		{"python", `"/app/user.py:12 in User.save"`, "/app/user.py", "User.save"},
		{"javascript", `"save@https://shop.example/static/app.js?v=3:12:9"`, "https://shop.example/static/app.js?v=3", "save"},
		{"javascript", `"at User.save (https://shop.example/app.js:12:9)"`, "https://shop.example/app.js", "User.save"},
		{"javascript", `{"file":"https://shop.example/app.js","line":12,"function":"save"}`, "https://shop.example/app.js", "save"},
	} {
		notice := m.sendNotice(t, ingestionKey, fmt.Sprintf(`{"error":{"class":"E%d","backtrace":[%s]},"notifier":{"language":%q}}`,
			n, row.frame, row.language))
		require.Equal(t, []any{map[string]any{"file": row.file, "line": 12.0, "method": row.method}}, notice["backtrace"], row.frame)
	}
}
