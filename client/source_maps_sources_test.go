package client_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/client"
)

// writeFiles writes files below a folder.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
}

// TestSourceMapsCommandReadsSources uploads maps without sourcesContent, whose sources are in the repository or
// missing, and checks the lines that the events show.
func TestSourceMapsCommandReadsSources(t *testing.T) {
	t.Parallel()
	c := startServer(t, newConfig(t))
	key := c.makeProject(t)
	parent := t.TempDir()
	repository := filepath.Join(parent, "shop")
	bare := func(source string) string { return `{"version":3,"sources":["` + source + `"],"mappings":"AAAA"}` }
	writeFiles(t, parent, map[string]string{
		"secret.js": "outside", "shop/.env": "SECRET=1", "shop/src/pay.js": "of the repository",
		"shop/dist/relative.js": "", "shop/dist/relative.js.map": bare("../src/pay.js"),
		"shop/dist/webpack.js": "", "shop/dist/webpack.js.map": bare("webpack://shop/./src/pay.js?1a"),
		"shop/dist/turbopack.js": "", "shop/dist/turbopack.js.map": bare("turbopack:///[project]/src/pay.js"),
		"shop/dist/main.jsbundle": "", "shop/dist/main.jsbundle.map": bare("/src/../../pay.js"),
		"shop/dist/file.bundle": "", "shop/dist/file.bundle.map": bare("file://" + repository + "/src/pay.js"),
		"shop/dist/index.hbc": "\xc6\x1f\xbc\x03", "shop/dist/index.hbc.map": bare("none.js"),
		"shop/dist/above.js": "", "shop/dist/above.js.map": bare("../../secret.js"),
		"shop/dist/env.js": "", "shop/dist/env.js.map": bare("../.env"),
		"shop/dist/has.js": "", "shop/dist/has.js.map": strings.Replace(bare("../src/pay.js"), "{", `{"sourcesContent":["its own"],`, 1),
		"shop/dist/sections.js": "", "shop/dist/sections.js.map": `{"version":3,"sources":[],"sections":[` +
			`{"offset":{"line":0,"column":0},"map":` + bare("../src/pay.js") + `}]}`,
	})
	require.NoError(t, os.Symlink("../secret.js", filepath.Join(repository, "link.js")))
	writeFiles(t, repository, map[string]string{"dist/link.js": "", "dist/link.js.map": bare("../link.js")})

	var out strings.Builder
	upload := client.SourceMapUpload{
		Dir: filepath.Join(repository, "dist"), Sources: repository, Project: "web-shop", Release: "1.0", Dist: "7", URLPrefix: "~/",
	}
	require.NoError(t, upload.Send(t.Context(), c.caller(), &out), out.String())

	require.Equal(t, 5, strings.Count(out.String(), "1 of its sources have no text (sourcesContent)"), out.String())
	for file, want := range map[string]string{
		"relative.js": "of the repository", "webpack.js": "of the repository", "turbopack.js": "of the repository",
		"file.bundle": "of the repository", "sections.js": "of the repository", "has.js": "its own",
		"main.jsbundle": "", "index.hbc": "", "above.js": "", "env.js": "", "link.js": "",
	} {
		frame := `{"abs_path": "https://shop.example/` + file + `", "function": "a", "lineno": 1, "colno": 1, "in_app": true}`
		event := `{"message": "x", "platform": "javascript", "release": "1.0", "dist": "7",
			"exception": {"type": "E", "value": "` + file + `", "stacktrace": {"frames": [` + frame + `]}}}`
		shown := c.call(t, "get_event", "--id", c.sendEvent(t, key, event).EventID).out
		require.Contains(t, shown, `"source":{`, file)
		if want == "" {
			require.Contains(t, shown, `"context_line":null`, file)
			continue
		}
		require.Contains(t, shown, `"context_line":"`+want+`"`, file)
	}
}
