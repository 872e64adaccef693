package client_test

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/client"
	"errand/core"
)

const (
	cliMap     = `{"version":3,"sources":["../src/pay.js"],"sourcesContent":["pay()"],"names":[],"mappings":"AAAA"}`
	cliDebugID = "85314830-023f-4cf1-a267-535f4e37bb17"
)

// writeBuild writes the files of a build.
func writeBuild(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"assets/app-3f.js":     "pay()\n//# sourceMappingURL=app-3f.js.map",
		"assets/app-3f.js.map": cliMap,
		"inline.mjs": "pay()\n//# sourceMappingURL=data:application/json;base64," +
			base64.StdEncoding.EncodeToString([]byte(cliMap)),
		"hidden.cjs":                "pay()\n//# debugId=" + cliDebugID,
		"maps/of-hidden.map":        strings.Replace(cliMap, "{", `{"debugId":"`+cliDebugID+`",`, 1),
		"beside.js":                 "pay()",
		"beside.js.map":             cliMap,
		"without.js":                "pay()",
		"lost.js":                   "pay()\n//# sourceMappingURL=gone.js.map",
		"far.js":                    "pay()\n//# sourceMappingURL=https://cdn.example/far.js.map",
		"climbing.js":               "pay()\n//# sourceMappingURL=../../etc/passwd",
		"node_modules/till/till.js": "till()",
		"style.css":                 "a{}",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return dir
}

func TestSourceMapsCommand(t *testing.T) {
	t.Parallel()
	c := startDemo(t)
	upload := client.SourceMapUpload{Dir: writeBuild(t), Project: "demo-shop", Release: "2.5.0", URLPrefix: "~/static/"}

	var dry, out strings.Builder
	upload.DryRun = true
	require.NoError(t, upload.Send(t.Context(), client.Client{}, &dry))
	upload.DryRun = false
	require.NoError(t, upload.Send(t.Context(), c.caller(), &out))

	require.Contains(t, dry.String(), "4 source maps found for release 2.5.0, 4 files skipped, 0 failed.")
	require.Contains(t, out.String(), "4 source maps uploaded for release 2.5.0, 4 files skipped, 0 failed.")
	for _, line := range []string{
		"assets/app-3f.js: uploaded as ~/static/assets/app-3f.js (1 KB)\n",
		"lost.js: skipped: its source map gone.js.map is not in the folder\n",
		"far.js: skipped: its source map is at cdn.example, not in the folder\n",
		"without.js: skipped: it names no source map, and there is none beside it\n",
		"climbing.js: skipped: its source map ../../etc/passwd is not in the folder\n",
	} {
		require.Contains(t, out.String(), line)
	}
	var maps []core.SourceMap
	c.callJSON(t, &maps, "list_source_maps", "--project=demo-shop", "--release=2.5.0")
	paths := []string{}
	for _, m := range maps {
		paths = append(paths, m.Path)
	}
	require.ElementsMatch(t, []string{"/static/assets/app-3f.js", "/static/inline.mjs", "/static/hidden.cjs", "/static/beside.js"}, paths)
}

func TestSourceMapsCommandTriesAgain(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		switch calls.Add(1) {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			panic(http.ErrAbortHandler) // breaks the connection
		case 3:
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			w.WriteHeader(http.StatusCreated)
		}
	}))
	defer busy.Close()
	caller := client.Client{URL: busy.URL, Token: "ck_x", Pause: time.Millisecond}

	var out strings.Builder
	err := client.SourceMapUpload{Dir: writeBuild(t), Project: "shop", Release: "1", URLPrefix: "~/"}.Send(t.Context(), caller, &out)

	require.NoError(t, err)
	require.EqualValues(t, 7, calls.Load())
	require.Contains(t, out.String(), "trying again in")
}

func TestSourceMapsCommandGivesUp(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer away.Close()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.js"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.js.map"), []byte(cliMap), 0o600))
	caller := client.Client{URL: away.URL, Token: "ck_x", Pause: time.Millisecond}

	err := client.SourceMapUpload{Dir: dir, Project: "shop", Release: "1", URLPrefix: "~/"}.Send(t.Context(), caller, &strings.Builder{})

	require.ErrorContains(t, err, "1 source maps were not uploaded")
	require.EqualValues(t, 5, calls.Load())
}

func TestSourceMapsCommandSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if r.URL.Query().Get("project") == "shop" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_sourcemap","reason":"broken mappings"}`)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"project_not_found"}`)
	}))
	defer refusing.Close()
	caller, dir := client.Client{URL: refusing.URL, Token: "ck_x", Pause: time.Millisecond}, writeBuild(t)
	send := func(u client.SourceMapUpload) (string, error) {
		var out strings.Builder
		u.Release, u.URLPrefix = "1", "~/"
		err := u.Send(t.Context(), caller, &out)
		return out.String(), err
	}

	out, err := send(client.SourceMapUpload{Dir: dir, Project: "shop"})
	require.ErrorContains(t, err, "4 source maps were not uploaded")
	require.Contains(t, out, "invalid_sourcemap; broken mappings")
	require.EqualValues(t, 4, calls.Load(), "nothing is tried again that cannot work")

	_, err = send(client.SourceMapUpload{Dir: dir, Project: "no-such-app"})
	require.ErrorContains(t, err, "project_not_found")
	require.EqualValues(t, 5, calls.Load(), "the others would fail too")

	_, err = send(client.SourceMapUpload{Dir: t.TempDir(), Project: "shop"})
	require.ErrorContains(t, err, "does the build make them?")
}

// A map that is too large for an upload is sent as its index, a smaller one unchanged.
func TestSourceMapsCommandSendsIndexesOfLargeMaps(t *testing.T) {
	t.Parallel()
	c := startDemo(t)
	dir := t.TempDir()
	random := make([]byte, core.MaxSourceMap*3/4+1000)
	_, _ = rand.Read(random)
	dense := base64.StdEncoding.EncodeToString(random)
	large := dense[:len(dense)/2] + strings.Repeat("const answer = compute(1, 2, 3);", core.MaxSourceMap/60)
	for name, text := range map[string]string{
		"large.js":      "pay()",
		"large.js.map":  strings.Replace(cliMap, "pay()", large, 1),
		"dense.js":      "pay()",
		"dense.js.map":  strings.Replace(cliMap, "pay()", dense, 1),
		"broken.js":     "pay()",
		"broken.js.map": `{"version":3,"sections":[{}]}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	upload := client.SourceMapUpload{Dir: dir, Project: "demo-shop", Release: "2.5.0", URLPrefix: "~/"}

	var out, dry strings.Builder
	err := upload.Send(t.Context(), c.caller(), &out)
	upload.DryRun = true
	dryErr := upload.Send(t.Context(), client.Client{}, &dry)

	require.ErrorContains(t, err, "2 source maps were not uploaded", out.String())
	require.ErrorContains(t, dryErr, "2 source maps were not uploaded")
	require.Contains(t, dry.String(), "broken.js: failed: a map with sections")
	require.Contains(t, out.String(), "broken.js: failed: a map with sections: section 1 has no offset")
	require.Contains(t, out.String(), "and even the index of it 30, more than the 30 that can be uploaded")
	require.Contains(t, out.String(), "an upload at most 30: an index is made of it here")
	require.Contains(t, out.String(), "sent 8 of ")
	require.Contains(t, out.String(), "large.js: uploaded as ~/large.js")
	var maps []core.SourceMap
	c.callJSON(t, &maps, "list_source_maps", "--project=demo-shop", "--release=2.5.0")
	require.Len(t, maps, 1)
}
