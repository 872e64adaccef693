package tools_test

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/sourcemap"
	"errand/store"
)

// payMap maps the first position of a file to src/pay.js.
const payMap = `{"version":3,"sources":["src/pay.js"],"sourcesContent":["pay()"],"names":[],"mappings":"AAAA",
	"debugId":"85314830-023f-4cf1-a267-535f4e37bb17"}`

// upload sends a body as a source map of release 1.0.
func (h *fixture) upload(a core.Actor, name, kind, body string) (core.Answer, *core.Error) {
	h.Helper()
	args := map[string]any{"project": fmt.Sprint(shop), "release": "1.0", "name": name}
	call := core.Call{Actor: a, Body: &core.FileBody{Type: kind, Reader: strings.NewReader(body)}}
	return h.registry.Call(h.Context(), core.UploadSourceMap.Operation, call, args)
}

func (h *fixture) mustUpload(name, kind, body string) core.SourceMap {
	h.Helper()
	answer, failure := h.upload(core.NewBootstrapActor(), name, kind, body)
	require.Nil(h, failure, "%v", failure)
	var uploaded core.Data[core.SourceMap]
	decodeInto(h.T, string(answer.Body), &uploaded)
	return uploaded.Data
}

// blobKeys returns the keys of all blobs.
func (h *fixture) blobKeys() (keys []string) {
	h.Helper()
	for entry, err := range h.blobs.List(h.Context(), "") {
		require.NoError(h, err)
		keys = append(keys, entry.Key)
	}
	return keys
}

// TestMapOfABlankReleaseIsRefusedBeforeItIsStored has releases of which nothing is left when they are cleaned.
func TestMapOfABlankReleaseIsRefusedBeforeItIsStored(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	for _, release := range []string{" ", "\t\n", "\u202e", "\u200b \u200b", "\x00"} {
		body := strings.NewReader(payMap)
		call := core.Call{Actor: core.NewBootstrapActor(), Body: &core.FileBody{Type: core.SourceMapJSON, Reader: body}}
		args := map[string]any{"project": fmt.Sprint(shop), "release": release, "name": "~/app.js"}

		_, failure := h.registry.Call(h.Context(), core.UploadSourceMap.Operation, call, args)

		require.NotNil(t, failure, "%q", release)
		require.Equal(t, core.InvalidRequest, failure.Code, "%q", release)
		require.Equal(t, "release", failure.Details[0].Path, "%q", release)
		require.Empty(t, h.blobKeys(), "%q", release)
		require.Equal(t, len(payMap), body.Len(), "%q: nothing of the body is read", release)
	}
}

func TestUploadedMapReplacesTheOldOne(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	old := h.mustUpload("https://cdn.example/app.js", core.SourceMapJSON, payMap)
	other := h.mustUpload("~/other.js", core.SourceMapJSON, payMap)

	replacing := h.mustUpload("/app.js", core.SourceMapJSON, strings.Replace(payMap, "pay.js", "new.js", 1))

	require.NotEqual(t, old.ID, replacing.ID)
	require.ElementsMatch(t, []string{store.KeyOfSourceMap(shop, other.ID), store.KeyOfSourceMap(shop, replacing.ID)}, h.blobKeys())
	found, err := h.store.FindSourceMapsByPath(t.Context(), shop, "1.0", []string{"/app.js", "/none.js"})
	require.NoError(t, err)
	require.Equal(t, []store.FoundSourceMap{{ID: replacing.ID, Path: "/app.js", DebugID: "85314830-023f-4cf1-a267-535f4e37bb17"}}, found)
	body := h.mustCall(reader, core.ListSourceMaps.Operation, `{"project": "shop"}`)
	var page struct{ Data []core.SourceMap }
	decodeInto(t, body, &page)
	require.Equal(t, []core.SourceMap{replacing, other}, page.Data)
	require.Equal(t, []string{"sourcemap.upload", "sourcemap.upload", "sourcemap.upload"},
		queryTexts(h, `SELECT action FROM activity WHERE action LIKE 'sourcemap%'`))
}

func TestUploadActivity(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	uploaded := h.mustUpload("~/app.js", core.SourceMapJSON, payMap)
	h.mustCall(core.NewBootstrapActor(), core.DeleteSourceMap.Operation, idArgs(uploaded.ID))

	rows := queryTexts(h, `SELECT action || ' ' || target_type || ' ' || target_id || ' ' || data::text FROM activity
		WHERE action LIKE 'sourcemap%' ORDER BY id`)

	require.Len(t, rows, 2)
	require.True(t, strings.HasPrefix(rows[0], fmt.Sprintf("sourcemap.upload project %d {", shop)), rows[0])
	require.Contains(t, rows[0], fmt.Sprintf(`"size": %d`, uploaded.Size))
	require.Equal(t, fmt.Sprintf(`sourcemap.delete project %d {"name": "~/app.js", "release": "1.0"}`, shop), rows[1])
	require.Empty(t, h.blobKeys())
	h.mustFail(core.NewBootstrapActor(), core.DeleteSourceMap.Operation, idArgs(uploaded.ID))
}

func TestUploadOfAnIndex(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	built, err := sourcemap.BuildIndex(strings.NewReader(payMap))
	require.NoError(t, err)
	var index bytes.Buffer
	_, err = built.WriteTo(&index)
	require.NoError(t, err)

	uploaded := h.mustUpload("~/app.js", core.SourceMapIndex, index.String())
	_, failure := h.upload(core.NewBootstrapActor(), "~/app.js", core.SourceMapIndex, index.String()[:index.Len()-1])

	require.EqualValues(t, index.Len(), uploaded.Size)
	require.NotNil(t, failure)
	require.Equal(t, core.InvalidSourceMap, failure.Code)
	require.Equal(t, "broken index", failure.Extra["reason"])
	require.Equal(t, []string{store.KeyOfSourceMap(shop, uploaded.ID)}, h.blobKeys(), "what is refused leaves nothing")
}

func TestDebugIDsAreFoundWithinTheProject(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	uploaded := h.mustUpload("~/app.js", core.SourceMapJSON, payMap)
	ids := []string{"85314830-023f-4cf1-a267-535f4e37bb17"}

	found, err := h.store.FindSourceMapsByDebugID(t.Context(), shop, ids)
	require.NoError(t, err)
	elsewhere, err := h.store.FindSourceMapsByDebugID(t.Context(), shop+1, ids)
	require.NoError(t, err)

	require.Len(t, found, 1)
	require.Equal(t, uploaded.ID, found[0].ID)
	require.Empty(t, elsewhere)
}

func TestLongestPath(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	random := make([]byte, 750)
	_, err := rand.Read(random)
	require.NoError(t, err)
	path := hex.EncodeToString(random)[1:] // with its slash 1500 bytes that do not compress

	h.mustUpload(path, core.SourceMapJSON, payMap)
	_, failure := h.upload(core.NewBootstrapActor(), path+"x", core.SourceMapJSON, payMap)

	require.NotNil(t, failure)
	require.Equal(t, core.InvalidRequest, failure.Code)
	require.Equal(t, "name", failure.Details[0].Path)
}

func TestStrayBlobs(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	uploaded := h.mustUpload("~/app.js", core.SourceMapJSON, payMap)
	kept := store.KeyOfSourceMap(shop, uploaded.ID)

	stray, err := h.store.ListStrayBlobs(t.Context(), []string{kept, store.KeyOfSourceMap(shop, 999), store.KeyOfSourceMap(7,
		uploaded.ID),
		"sourcemaps/readme", "sourcemaps/07/1"})

	require.NoError(t, err)
	require.Equal(t, []string{store.KeyOfSourceMap(shop, 999), store.KeyOfSourceMap(7, uploaded.ID)}, stray)
}
