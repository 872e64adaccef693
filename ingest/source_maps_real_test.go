package ingest_test

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/similar"
)

// The stacks of two builds of one program, minified by esbuild, as V8 prints them. The maps are in testdata/minified.
var minifiedStacks = map[string]string{
	"main": `TypeError: Cannot read properties of null (reading 'name')
    at e (https://shop.example/main.js:1:141)
    at https://shop.example/main.js:1:90
    at Array.map (<anonymous>)
    at r.printLines (https://shop.example/main.js:1:83)
    at i (https://shop.example/main.js:1:189)
    at a (https://shop.example/main.js:1:285)
    at u (https://shop.example/main.js:1:322)
    at globalThis.pay (https://shop.example/main.js:1:345)`,
	"other": `TypeError: Cannot read properties of null (reading 'name')
    at c (https://shop.example/other.js:1:141)
    at https://shop.example/other.js:1:90
    at Array.map (<anonymous>)
    at r.printLines (https://shop.example/other.js:1:83)
    at i (https://shop.example/other.js:1:189)
    at p (https://shop.example/other.js:1:333)
    at s (https://shop.example/other.js:1:370)
    at globalThis.pay (https://shop.example/other.js:1:393)`,
}

// Two builds whose minifier chose different names share one issue, one culprit and the same features.
func TestFunctionsOfMinifiedBuilds(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	stored := map[string]core.Event{}
	for build, stack := range minifiedStacks {
		text, err := os.ReadFile("testdata/minified/" + build + ".js.map")
		require.NoError(t, err)
		s.upload(shop, build, "/"+build+".js", string(text))
		s.ForgetMaps()
		body, err := json.Marshal(object{"platform": "javascript", "release": build, "exception": object{
			"type": "TypeError", "value": "Cannot read properties of null (reading 'name')", "stack": stack,
		}})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, s.postBody(native, body, nativeByKey).status)
		detail, err := s.db.ReadEvent(t.Context(), s.queryNumber(`SELECT max(id) FROM events`))
		require.NoError(t, err)
		stored[build] = detail.Event
	}

	for build, event := range stored {
		var functions []core.Untrusted
		frames := event.Exceptions[0].Frames
		for i := range frames {
			if frames[i].Source != nil {
				functions = append(functions, core.ViewFrame(frames, i).Function)
			}
		}
		require.Equal(t, []core.Untrusted{
			"formatLine", "<anonymous>", "printLines", "payCart", "checkout", "clickPay", "globalThis.pay",
		}, functions, build)
		require.Equal(t, core.Untrusted("src/till in formatLine"), event.Culprit, build)
		require.Empty(t, event.Problems, build)
	}
	main, other := stored["main"], stored["other"]
	require.Equal(t, similar.FeaturesOfEvent(&main), similar.FeaturesOfEvent(&other))
	require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM issues`))
}

// TestPathsOfTurbopack maps a page of the application and the bundler's own code, with the names of Next.js 16.
func TestPathsOfTurbopack(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	s.upload(shop, "1.0", "/assets/app-3f.js", encodeMap(t, object{
		"version": 3, "names": []string{}, "mappings": "AAAA,qBCAA",
		"sources": []string{"turbopack:///[project]/src/app/page.tsx", "turbopack:///[turbopack]/browser/runtime/base.ts"},
	}))
	event := crash("1.0", "")
	setFrames(event,
		object{"function": "a", "abs_path": fileURL, "lineno": 1, "colno": 30, "in_app": true},
		object{"function": "b", "abs_path": fileURL, "lineno": 1, "colno": 1, "in_app": true})

	frames := s.send(event).Exceptions[0].Frames

	require.Equal(t, core.Untrusted("src/app/page.tsx"), frames[0].Source.Path)
	require.True(t, frames[0].InApp)
	require.Equal(t, core.Untrusted("[turbopack]/browser/runtime/base.ts"), frames[1].Source.Path)
	require.False(t, frames[1].InApp)
}
