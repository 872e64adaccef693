package tools_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/sourcemap"
	"errand/store"
	"errand/store/storetest"
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

// TestMapOfABlankReleaseIsRefusedBeforeItIsStored uses releases that are empty after cleaning.
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
	require.Len(t, h.blobKeys(), 2)
	found, err := h.store.FindSourceMapsByPath(t.Context(), shop, "1.0", "", []string{"/app.js", "/none.js"})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Contains(t, h.blobKeys(), store.KeyOfBlob(shop, found[0].Blob))
	found[0].Blob = ""
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
	require.Len(t, h.blobKeys(), 1, "what is refused leaves nothing")
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

// TestSectionsAreOfBuilds uploads a map with sections in both ways: through POST /v1/sourcemaps, and as a build tool.
func TestSectionsAreOfBuilds(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	text := `{"version": 3, "sections": [{"offset": {"line": 0, "column": 0}, "map": ` + payMap + `}]}`

	_, failure := h.upload(core.NewBootstrapActor(), "~/app.js", core.SourceMapJSON, text)
	require.NotNil(t, failure)
	require.Equal(t, []any{core.InvalidSourceMap, sourcemap.HasSections}, []any{failure.Code, failure.Extra["reason"]})

	body := &core.FileBody{Type: core.SourceMapJSON, Reader: strings.NewReader(text), IsOfBuild: true}
	args := map[string]any{"project": fmt.Sprint(shop), "release": "1.0", "name": "~/app.js"}
	_, failure = h.registry.Call(h.Context(), core.UploadSourceMap.Operation, core.Call{Actor: core.NewBootstrapActor(), Body: body}, args)
	require.Nil(t, failure, "%v", failure)
}

// TestDebugIDsOfTheFile uploads a map without a debug id, for a file with one.
func TestDebugIDsOfTheFile(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	const id, own = "0f1e2d3c-4b5a-4678-89ab-cdef01234567", "85314830-023f-4cf1-a267-535f4e37bb17"
	for name, text := range map[string]string{"~/a.js": `{"version":3,"sources":[],"mappings":""}`, "~/b.js": payMap} {
		body := &core.FileBody{Type: core.SourceMapJSON, Reader: strings.NewReader(text), IsOfBuild: true, DebugID: id}
		args := map[string]any{"project": fmt.Sprint(shop), "release": "1.0", "name": name}
		_, failure := h.registry.Call(h.Context(), core.UploadSourceMap.Operation, core.Call{Actor: core.NewBootstrapActor(), Body: body}, args)
		require.Nil(t, failure, "%v", failure)
	}

	found, err := h.store.FindSourceMapsByDebugID(t.Context(), shop, []string{id, own})

	require.NoError(t, err)
	require.Len(t, found, 2)
	require.Equal(t, []string{"/a.js", id, "/b.js", own}, []string{found[0].Path, found[0].DebugID, found[1].Path, found[1].DebugID})
}

func TestLongestPath(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	random := make([]byte, 750)
	_, err := rand.Read(random)
	require.NoError(t, err)
	path := hex.EncodeToString(random)[1:] // with its slash, 1500 bytes that do not compress

	h.mustUpload(path, core.SourceMapJSON, payMap)
	longest := map[string]any{
		"project": fmt.Sprint(shop), "name": path, "release": strings.Repeat("\U0001f6d2", core.MaxRelease),
		"dist": strings.Repeat("\U0001f4e6", core.MaxDist),
	}
	body := &core.FileBody{Type: core.SourceMapJSON, Reader: strings.NewReader(payMap)}
	_, tooLong := h.registry.Call(h.Context(), core.UploadSourceMap.Operation, core.Call{Actor: core.NewBootstrapActor(), Body: body}, longest)
	require.Nil(t, tooLong, "%v", tooLong)
	_, failure := h.upload(core.NewBootstrapActor(), path+"x", core.SourceMapJSON, payMap)

	require.NotNil(t, failure)
	require.Equal(t, core.InvalidRequest, failure.Code)
	require.Equal(t, "name", failure.Details[0].Path)
}

// TestBlobsAreKnownByTheirMaps covers present names of blobs and the names in the first versions, the ids of maps.
func TestBlobsAreKnownByTheirMaps(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.mustUpload("~/app.js", core.SourceMapJSON, payMap)
	kept := h.blobKeys()[0]
	storetest.ChangeRows(t, h.store, `INSERT INTO source_maps
		(project_id, id, uploaded_at, size, sources, release, name, path, debug_id, uploaded_by)
		SELECT project_id, 5000, uploaded_at, size, sources, 'old', name, path, '', '' FROM source_maps`)
	old := store.KeyOfBlob(shop, "5000")
	stray := []string{
		store.KeyOfBlob(shop, "999"), store.KeyOfBlob(7, "5000"), store.KeyOfBlob(shop, store.NameBlob(strings.Repeat("0", 64), 5000)),
	}

	others := []string{"sourcemaps/readme", "sourcemaps/07/1", "sourcemaps/7/x-1"}
	found, err := h.store.FindBlobs(t.Context(), slices.Concat([]string{kept, old}, others, stray))

	require.NoError(t, err)
	require.ElementsMatch(t, []string{kept, old}, found.Known)
	require.Equal(t, stray, found.Stray)
	require.Equal(t, old, store.KeyOfBlob(shop, mustFindMap(t, h, "old").Blob))
}

func mustFindMap(t *testing.T, h *fixture, release string) store.FoundSourceMap {
	t.Helper()
	found, err := h.store.FindSourceMapsByPath(t.Context(), shop, release, "", []string{"/app.js"})
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}

// TestSameContentIsStoredOnce uploads one map under the many names that a bundle can give it.
func TestSameContentIsStoredOnce(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	var uploaded []core.SourceMap
	for i := range 20 {
		uploaded = append(uploaded, h.mustUpload(fmt.Sprintf("~/app%d.js", i), core.SourceMapJSON, payMap))
	}
	require.Len(t, h.blobKeys(), 1)
	key := h.blobKeys()[0]

	h.mustUpload("~/app0.js", core.SourceMapJSON, strings.Replace(payMap, "pay.js", "new.js", 1))
	require.Len(t, h.blobKeys(), 2, "others have the blob of the one that is replaced")
	for _, m := range uploaded[1:] {
		require.Contains(t, h.blobKeys(), key)
		h.mustCall(core.NewBootstrapActor(), core.DeleteSourceMap.Operation, idArgs(m.ID))
	}

	require.Len(t, h.blobKeys(), 1)
	require.NotContains(t, h.blobKeys(), key, "the last map that had it is deleted")
	again := h.mustUpload("~/app1.js", core.SourceMapJSON, payMap)
	require.NoError(t, h.blobs.Delete(t.Context(), store.KeyOfBlob(shop, store.NameBlob(contentOf(t, payMap), again.ID))))
	h.mustUpload("~/app2.js", core.SourceMapJSON, payMap)
	require.Len(t, h.blobKeys(), 2, "a blob that got lost is stored again")
}

// contentOf returns the SHA-256 of the index of a map.
func contentOf(t *testing.T, text string) string {
	t.Helper()
	built, err := sourcemap.BuildIndex(strings.NewReader(text))
	require.NoError(t, err)
	sum := sha256.New()
	_, err = built.WriteTo(sum)
	require.NoError(t, err)
	return hex.EncodeToString(sum.Sum(nil))
}

// TestUploadsAtOnceShareABlob uploads the same content while it is being deleted: each recorded map has its blob.
func TestUploadsAtOnceShareABlob(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	var workers sync.WaitGroup
	for worker := range 4 {
		workers.Go(func() {
			for i := range 10 {
				answer, failure := h.upload(core.NewBootstrapActor(), fmt.Sprintf("~/app%d.js", (worker+i)%3), core.SourceMapJSON, payMap)
				if !assert.Nil(t, failure) {
					return
				}
				var uploaded core.Data[core.SourceMap]
				decodeInto(t, string(answer.Body), &uploaded)
				if i%2 == 0 { // another upload may have replaced it
					_, _ = h.registry.Call(t.Context(), core.DeleteSourceMap.Operation, core.Call{Actor: core.NewBootstrapActor()},
						map[string]any{"id": uploaded.Data.ID})
				}
			}
		})
	}
	workers.Wait()

	found, err := h.store.FindSourceMapsByPath(t.Context(), shop, "1.0", "", []string{"/app0.js", "/app1.js", "/app2.js"})
	require.NoError(t, err)
	for _, m := range found {
		require.Contains(t, h.blobKeys(), store.KeyOfBlob(shop, m.Blob))
	}
	blobs, err := h.store.FindBlobs(t.Context(), h.blobKeys())
	require.NoError(t, err)
	require.Empty(t, blobs.Stray)
}

func TestSourceMapsOfAProjectAreBounded(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	storetest.SaveSettings(t, h.store, map[string]string{"SOURCE_MAPS_MAX_MB": "1"})
	makeLarge := func() string {
		noise := make([]byte, 400<<10)
		_, err := rand.Read(noise)
		require.NoError(t, err)
		return strings.Replace(payMap, "pay()", hex.EncodeToString(noise), 1)
	}
	text := makeLarge()
	first := h.mustUpload("~/app.js", core.SourceMapJSON, text)
	require.Greater(t, first.Size, int64(512<<10))
	h.mustUpload("~/same.js", core.SourceMapJSON, text)
	before := h.blobKeys()

	_, failure := h.upload(core.NewBootstrapActor(), "~/other.js", core.SourceMapJSON, makeLarge())

	require.NotNil(t, failure)
	require.Equal(t, core.Limit, failure.Code)
	require.Equal(t, "the source maps of the project would have 2 MB, and SOURCE_MAPS_MAX_MB is 1: delete those of old releases, or raise it",
		failure.Extra["message"])
	require.Equal(t, before, h.blobKeys(), "what is refused leaves nothing")
	h.mustCall(core.NewBootstrapActor(), core.DeleteSourceMap.Operation, idArgs(first.ID))
	h.mustUpload("~/same.js", core.SourceMapJSON, makeLarge())
}
