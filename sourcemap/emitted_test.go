package sourcemap_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/sourcemap"
)

const debugID = "1aad9d9e-2b50-454f-a5f2-0dd5e95c154c"

func TestFindLinks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file    string
		mapURL, debug string
	}{
		{"the usual end", "f()\n//# sourceMappingURL=app.js.map", "app.js.map", ""},
		{"a newline after it", "f()\n//# sourceMappingURL=app.js.map\n\n", "app.js.map", ""},
		{"both, as bundler plugins write them", "f()\n//# debugId=" + debugID + "\n//# sourceMappingURL=app.js.map\n", "app.js.map", debugID},
		{"the other order", "f()\n//# sourceMappingURL=app.js.map\n//# debugId=" + strings.ToUpper(debugID), "app.js.map", debugID},
		{"a debug id alone", "f()\n//# debugId=" + debugID, "", debugID},
		{"the older form", "f()\n//@ sourceMappingURL=app.js.map", "app.js.map", ""},
		{"carriage returns", "f()\r\n//# sourceMappingURL=app.js.map\r\n", "app.js.map", ""},
		{"a line separator", "f()\u2028//# sourceMappingURL=app.js.map", "app.js.map", ""},
		{"only a comment", "//# sourceMappingURL=app.js.map", "app.js.map", ""},
		{"the last of two", "//# sourceMappingURL=a.map\n//# sourceMappingURL=b.map", "b.map", ""},
		{"another comment after it", "f()\n//# sourceMappingURL=app.js.map\n// build 7", "app.js.map", ""},
		{"an absolute URL", "f()\n//# sourceMappingURL=https://cdn.example/app.js.map?v=1", "https://cdn.example/app.js.map?v=1", ""},
		{"code after it", "//# sourceMappingURL=app.js.map\nf()", "", ""},
		{"within a string", "x = `\n//# sourceMappingURL=app.js.map`", "", ""},
		{"after code in a line", "f() //# sourceMappingURL=app.js.map", "", ""},
		{"no value", "f()\n//# sourceMappingURL=", "", ""},
		{"a space within", "f()\n//# sourceMappingURL=a b", "", ""},
		{"not a UUID", "f()\n//# debugId=123", "", ""},
		{"nothing", "", "", ""},
		{"no comment", "f()", "", ""},
		{"one line without an end", strings.Repeat("a", 1<<20), "", ""},
		{"more comments than are read", "//# sourceMappingURL=a\n" + strings.Repeat("//\n", 100_000), "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, sourcemap.Links{MapURL: test.mapURL, DebugID: test.debug}, sourcemap.FindLinks([]byte(test.file)))
		})
	}
}
