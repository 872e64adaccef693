package ingest_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/blob"
	"errand/core"
	"errand/ingest"
	"errand/store"
)

// Each reason why a frame is not mapped has its own mark, on the frame.
func TestMissingMapsAreMarked(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	s.upload(shop, "1.0", "/assets/app-3f.js", makeMap(t, paySource, buildID, paySegments))
	s.upload(shop, "2.0", "/assets/other.js", makeMap(t, paySource, "", paySegments))
	outside := crash("1.0", "")
	setFrames(outside, object{"function": "a", "abs_path": fileURL, "lineno": 99, "colno": 1, "in_app": true})
	ofServer := crash("2.0", "")
	setFrames(ofServer, object{"function": "a", "abs_path": "/app/dist/index.js", "lineno": 1, "colno": 1, "in_app": true})
	ofModule := crash("2.0", "")
	ofModule["platform"] = "node"
	setFrames(ofModule, object{"function": "a", "abs_path": "file:///app/dist/index.js", "lineno": 1, "colno": 1, "in_app": true})
	ofLibrary := crash("2.0", "")
	setFrames(ofLibrary, object{"function": "a", "abs_path": fileURL, "lineno": 1, "colno": 1, "in_app": false})

	for name, test := range map[string]struct {
		event object
		want  string
	}{
		"mapped":                           {crash("1.0", ""), ""},
		"release without maps":             {crash("3.0", ""), "no source map was uploaded for the release"},
		"release with maps of other files": {crash("2.0", ""), "the release has source maps, but none of this file"},
		"no release":                       {crash("", ""), "the event has neither a release nor a debug id"},
		"unknown debug id":                 {crash("", otherBuildID), "no source map with the debug id of the file"},
		"map of another build":             {crash("1.0", otherBuildID), "the source map of this path has another debug id"},
		"outside of the map":               {outside, "the source map of the file has nothing at this line and column"},
		"a server's own file":              {ofServer, ""},
		"a server's own module":            {ofModule, ""},
		"a library":                        {ofLibrary, ""},
	} {
		event := s.send(test.event)
		problem := event.FindMapProblem("exceptions", 0, 0)
		require.Equal(t, test.want == "", problem == "", "%s: %s", name, problem)
		require.True(t, strings.HasPrefix(problem, test.want), "%s: %s", name, problem)
	}
}

const otherBuildID = "00000000-0000-4000-8000-000000000000"

// setFrames replaces the frames of a crash.
func setFrames(event object, frames ...object) {
	event["exception"] = object{"values": []object{{"type": "E", "value": "v", "stacktrace": object{"frames": frames}}}}
}

// Where no map can be looked up, only frames that look minified are marked.
func TestMinifiedFramesWithoutAnyMap(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		server *mapServer
		want   string
	}{
		"no maps":    {startMapServer(t, nil), "the project has no source maps"},
		"no storage": {&mapServer{server: startServer(t)}, "this server has no storage for source maps"},
	} {
		event := crash("1.0", "")
		setFrames(event,
			object{"function": "loadCart", "abs_path": "https://shop.example/src/cart.js", "lineno": 12, "colno": 4, "in_app": true},
			object{"function": "e", "abs_path": "/app/cart.js", "lineno": 12, "colno": 4, "in_app": true},
			object{"function": "loadCart", "abs_path": "https://shop.example/cart.min.js", "lineno": 1, "colno": 4, "in_app": true},
			object{"function": "loadCart", "abs_path": fileURL, "lineno": 1, "colno": 70_123, "in_app": true},
			object{"function": "e", "abs_path": fileURL, "lineno": 1, "colno": 4, "in_app": true},
		)

		stored := test.server.send(event)

		require.Len(t, stored.Problems, 3, name)
		for frame := range 3 { // the most recent first
			require.True(t, strings.HasPrefix(stored.FindMapProblem("exceptions", 0, frame), test.want), name)
		}
	}
}

// A storage that is gone or too slow costs events their mapping and nothing more.
func TestEventsAreStoredWithoutTheirMaps(t *testing.T) {
	t.Parallel()
	gone := startMapServer(t, nil)
	gone.upload(shop, "1.0", "/assets/app-3f.js", makeMap(t, paySource, "", paySegments))
	index := store.NameBlob(strings.Repeat("0", 64), gone.queryNumber(`SELECT id FROM source_maps`))
	require.NoError(t, gone.blobs.Delete(t.Context(), store.KeyOfBlob(shop, index)))
	slow := startMapServer(t, func(i *ingest.Ingest) { i.SetMapWithin(time.Nanosecond) })
	slow.upload(shop, "1.0", "/assets/app-3f.js", makeMap(t, paySource, "", paySegments))

	ofGone, ofSlow := gone.send(crash("1.0", "")), slow.send(crash("1.0", ""))

	require.Nil(t, ofGone.Exceptions[0].Frames[0].Source)
	require.Equal(t, "the stored source map is gone or broken: upload it again", ofGone.FindMapProblem("exceptions", 0, 0))
	require.Contains(t, gone.log.String(), "a source map could not be read")
	require.Contains(t, ofSlow.FindMapProblem("exceptions", 0, 0), "the source map was not read within 200 ms")
}

// The first map of a project takes effect as soon as later ones do, though projects are remembered
// for longer.
func TestFirstMapCountsAfterSeconds(t *testing.T) {
	t.Parallel()
	start := time.Now()
	var passed atomic.Int64
	blobs, err := blob.OpenStore("file://"+t.TempDir(), func(string) string { return "" })
	require.NoError(t, err)
	s := startMapServerWith(t, config{blobs: blobs, clock: func() time.Time { return start.Add(time.Duration(passed.Load())) }})
	require.Nil(t, s.send(crash("1.0", "")).Exceptions[0].Frames[0].Source)
	s.upload(shop, "1.0", "/assets/app-3f.js", makeMap(t, paySource, "", paySegments))

	passed.Store(int64(5 * time.Second))

	require.NotNil(t, s.send(crash("1.0", "")).Exceptions[0].Frames[0].Source)
}

// The event is scrubbed before maps are looked up, and mapped text is scrubbed too.
func TestScrubbedBeforeAndAfterMapping(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	s.execSQL(`UPDATE projects SET scrub_patterns = ARRAY['cardholder[a-z]*'] WHERE id = $1`, shop)
	source := strings.Replace(paySource, "card.number.trim(); // the crash", `auth(cardholderone, "Bearer abcdefghijklmnop1234567890")`, 1)
	s.upload(shop, "1.0", "/assets/app-3f.js", makeMap(t, source, "", paySegments))
	s.upload(shop, "1.0", "/assets/cardholderjs.js", makeMap(t, source, "", paySegments))
	event := crash("1.0", "")
	event["exception"].(object)["values"].([]object)[0]["value"] = "no cardholdertwo"

	stored := s.send(event)
	frame := object{"function": "a", "abs_path": "https://shop.example/assets/cardholderjs.js", "lineno": 1, "colno": 22, "in_app": true}
	setFrames(event, frame)
	hidden := s.send(event)

	require.Equal(t, core.Untrusted("no [Filtered]"), stored.Exceptions[0].Value)
	line := string(stored.Exceptions[0].Frames[0].ContextLine)
	require.Contains(t, line, "auth([Filtered]")
	require.NotContains(t, line, "abcdefghijklmnop")
	require.Equal(t, core.Untrusted("src/pay.js"), stored.Exceptions[0].Frames[0].Source.Path)
	require.Nil(t, hidden.Exceptions[0].Frames[0].Source, "nothing is looked up by what is filtered")
}

// Files of bundlers are found by their names in every form: the scrubber leaves them whole.
func TestNamesOfBundlesStayWhole(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	for _, path := range []string{
		"/_next/static/chunks/pages/_app-8a3f1c2b9d4e5f60.js", "/static/js/main.0a1b2c3d.chunk.js", "/assets/auth-CkB3h2kX.js",
		"/js/session.3f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c.js", "/password/reset.5f2c.js", "/token/app.js", "/cookie-consent-v2.js",
		"/@fs/src/api_key/index.js",
	} {
		s.upload(shop, "1.0", path, makeMap(t, paySource, "", paySegments))
		event := crash("1.0", "")
		setFrames(event, object{"function": "a", "abs_path": "https://shop.example" + path + "?v=2", "lineno": 1, "colno": 22, "in_app": true})
		require.NotNil(t, s.send(event).Exceptions[0].Frames[0].Source, path)
		s.ForgetMaps()
	}
}

func TestMappingIsCounted(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	s.upload(shop, "1.0", "/assets/app-3f.js", makeMap(t, paySource, "", paySegments))

	for _, release := range []string{"1.0", "1.0", "2.0"} {
		s.send(crash(release, ""))
	}

	s.requireMetrics("errand_ingest_source_map_frames_total", map[string]float64{"mapped": 8, "missing": 4})
	require.EqualValues(t, 3, s.metricValue("errand_ingest_source_map_duration_seconds"))
	require.Positive(t, s.metricValue("errand_ingest_source_map_cache_hits_total"))
	require.Positive(t, s.metricValue("errand_ingest_source_map_cache_misses_total"))
	require.Equal(t, http.StatusOK, s.postEvents(eventItem(1)).status, "an event without frames is not counted")
	s.requireMetrics("errand_ingest_source_map_frames_total", map[string]float64{"mapped": 8, "missing": 4})
}
