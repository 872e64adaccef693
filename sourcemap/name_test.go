package sourcemap_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/sourcemap"
)

func TestResolveName(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"https://shop.example/js/app.js":            "/js/app.js",
		"HTTPS://shop.example:8443/js/app.js?v=2#x": "/js/app.js",
		"http://[::1]:3000/app.js":                  "/app.js",
		"~/js/app.js":                               "/js/app.js",
		"/js/app.js":                                "/js/app.js",
		"js/app.js":                                 "/js/app.js",
		"./js//app.js":                              "/js/app.js",
		"app:///main.jsbundle":                      "/main.jsbundle",
		"file:///srv/app/dist/server.mjs":           "/srv/app/dist/server.mjs",
		"/srv/app/dist/server.js":                   "/srv/app/dist/server.js",
		"/a%20b/caf%C3%A9.js":                       "/a b/café.js",
		"/a b/café.js":                              "/a b/café.js",
		"/_next/static/chunks/pages/%5Bid%5D.js":    "/_next/static/chunks/pages/[id].js",
		"chrome-extension://abcdef/background.js":   "/background.js",
		"/...js/..a/b..js":                          "/...js/..a/b..js",
		"js/a:b.js":                                 "/js/a:b.js",
		"~/100%25.js":                               "/100%.js",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := sourcemap.ResolveName(name)
			require.NoError(t, err)
			require.Equal(t, path, got)
		})
	}
}

func TestResolveNameRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, reason string }{
		{"", "empty"},
		{strings.Repeat("a", 2001), "longer"},
		{"../app.js", ".."},
		{"/js/../../etc/passwd", ".."},
		{"https://shop.example/js/..", ".."},
		{"/js/%2e%2e/app.js", ".."},
		{"/js/.%2E/app.js", ".."},
		{"/js/..%2fapp.js", ".."},
		{"/js/.. /app.js", ".."},
		{"/js/%252e%252e/app.js", "twice"},
		{"/js/%5c..%5capp.js", "backslash"},
		{`\\host\share\app.js`, "backslash"},
		{`C:\app.js`, "backslash"},
		{"C:/app.js", "scheme"},
		{"/js/%zz.js", "%"},
		{"/js/app%", "%"},
		{"/js/%00.js", "control"},
		{"/js/a\x00b.js", "control"},
		{"/js/a\nb.js", "control"},
		{"/js/a%0d%0ab.js", "control"},
		{"/js/\u202esj.app", "control"},
		{"/js/%ff.js", "UTF-8"},
		{"/js/\xff.js", "UTF-8"},
		{"//evil.example/app.js", "//"},
		{"javascript:alert(1)", "scheme"},
		{"data:text/javascript,1", "scheme"},
		{"blob:https://shop.example/1", "scheme"},
		{"https:app.js", "scheme"},
		{"https:/app.js", "scheme"},
		{"https:///app.js", "host"},
		{"https://user:secret@shop.example/app.js", "user"},
		{"https://shop.example", "no file"},
		{"https://shop.example/", "no file"},
		{"https://shop example/app.js", "broken host"},
		{"https://shop.example:port/app.js", "broken host"},
		{"file://fileserver/share/app.js", "another machine"},
		{"~/", "no file"},
		{"/", "no file"},
		{"/js/", "no file"},
		{"?v=1", "no file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path, err := sourcemap.ResolveName(test.name)
			require.ErrorContains(t, err, test.reason)
			require.Empty(t, path)
			require.NotContains(t, err.Error(), "secret")
		})
	}
}

func FuzzResolveName(f *testing.F) {
	for _, name := range []string{"https://shop.example/js/app.js?x#y", "~/a", "/a/%2e%2e/b", "app:///x", "a%25b", "file:///C:/x"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		path, err := sourcemap.ResolveName(name)
		if err != nil {
			return
		}
		require.True(t, strings.HasPrefix(path, "/"))
		require.NotContains(t, strings.Split(path, "/"), "..")
		require.NotContains(t, path, "\\")
		require.NotContains(t, path, "//")
	})
}
