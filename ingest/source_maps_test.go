package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/blob"
	"errand/core"
	"errand/ingest"
	"errand/sourcemap"
	"errand/store"
)

// mapServer is a server with a folder for source maps.
type mapServer struct {
	*server
	blobs blob.Store
}

func startMapServer(t testing.TB, change func(*ingest.Ingest)) *mapServer {
	t.Helper()
	blobs, err := blob.OpenStore("file://"+t.TempDir(), os.Getenv)
	require.NoError(t, err)
	return startMapServerWith(t, config{blobs: blobs, before: change})
}

// startMapServerWith starts a server whose events wait long enough for their maps, also on a busy machine.
func startMapServerWith(t testing.TB, c config) *mapServer {
	t.Helper()
	change := c.before
	c.before = func(i *ingest.Ingest) {
		i.SetMapWithin(time.Minute)
		if change != nil {
			change(i)
		}
	}
	return &mapServer{startServerWith(t, c), c.blobs}
}

// The original of the file that crashes, and its minified names: function a is charge, b is pay, c is of a library.
const paySource = "// The till.\nexport function charge(card) {\n  return card.number.trim(); // the crash\n}\n" +
	"export function pay(cart) {\n  return charge(cart.card);\n}\n"

// Its minified form is function a(n){return n.number.trim()}function b(n){return a(n.card)}

// mapSegment is the original position of a column in the first line of a minified file; a name of -1 is none.
type mapSegment struct{ column, source, line, sourceColumn, name int }

// paySegments are the positions of the minified file that the tests use.
var paySegments = []mapSegment{
	{0, 0, 1, 7, -1},   // function a
	{21, 0, 2, 9, -1},  // n.number
	{38, 0, 4, 7, -1},  // function b
	{59, 0, 5, 9, 0},   // a(n.card)
	{100, 1, 0, 0, -1}, // a library
	{200, 0, 4, 0, 1},  // b(...), by a page
}

// makeMap writes a map with the names charge and pay.
func makeMap(t testing.TB, source, debugID string, segments []mapSegment) string {
	t.Helper()
	var mappings strings.Builder
	var last mapSegment
	for i, s := range segments {
		if i > 0 {
			mappings.WriteByte(',')
		}
		for _, n := range []int{s.column - last.column, s.source - last.source, s.line - last.line, s.sourceColumn - last.sourceColumn} {
			writeVLQ(&mappings, n)
		}
		if s.name >= 0 {
			writeVLQ(&mappings, s.name-last.name)
		} else {
			s.name = last.name
		}
		last = s
	}
	return encodeMap(t, object{
		"version": 3, "sources": []string{"webpack://shop/./src/pay.js?1a2b",
			"../node_modules/till/index.js"}, "sourcesContent": []any{source, nil},
		"names": []string{"charge", "pay"}, "mappings": mappings.String(), "debugId": debugID,
	})
}

func encodeMap(t testing.TB, members object) string {
	t.Helper()
	text, err := json.Marshal(members)
	require.NoError(t, err)
	return string(text)
}

func writeVLQ(to *strings.Builder, n int) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	value := uint(n) << 1
	if n < 0 {
		value = uint(-n)<<1 | 1
	}
	for ; value >= 32; value >>= 5 {
		to.WriteByte(digits[value&31|32])
	}
	to.WriteByte(digits[value])
}

// upload stores a map as an upload does.
func (s *mapServer) upload(project int64, release, path, text string) {
	s.t.Helper()
	s.uploadOfDist(project, release, "", path, text)
}

// uploadOfDist is upload for the events of one dist.
func (s *mapServer) uploadOfDist(project int64, release, dist, path, text string) {
	s.t.Helper()
	ctx := context.Background()
	built, err := sourcemap.BuildIndex(strings.NewReader(text))
	require.NoError(s.t, err)
	id, err := s.db.TakeSourceMapID(ctx)
	require.NoError(s.t, err)
	index := store.NameBlob(strings.Repeat("0", 64), id)
	_, err = s.blobs.Put(ctx, store.KeyOfBlob(project, index), built.Reader(), sourcemap.MaxIndexSize)
	require.NoError(s.t, err)
	summary := built.Summary()
	_, replaced, err := s.db.PutSourceMap(ctx, core.NewBootstrapActor(), store.NewSourceMap{
		ProjectID: project, ID: id, Release: release, Dist: dist, Name: path, Path: path,
		DebugID: summary.DebugID, Size: summary.Size, Sources: summary.Sources, Blob: index,
	})
	require.NoError(s.t, err)
	for _, old := range replaced {
		require.NoError(s.t, s.blobs.Delete(ctx, store.KeyOfBlob(project, old)))
	}
}

const fileURL = "https://shop.example/assets/app-3f.js?v=1"

// crash is an event of a browser with a stack in the minified file: charge, called by pay, called by a page.
func crash(release, debugID string) object {
	frame := func(function string, column int) object {
		return object{"function": function, "filename": fileURL, "abs_path": fileURL, "lineno": 1, "colno": column, "in_app": true}
	}
	event := object{
		"platform": "javascript", "release": release, "sdk": object{"name": "sentry.javascript.browser", "version": "11.0.0"},
		"exception": object{"values": []object{{"type": "TypeError", "value": "x is undefined", "stacktrace": object{
			"frames": []object{frame("?", 201), frame("c", 101), frame("b", 60), frame("a", 22)},
		}}}},
	}
	if debugID != "" {
		event["debug_meta"] = object{"images": []object{{"type": "sourcemap", "code_file": fileURL, "debug_id": debugID}}}
	}
	return event
}

// send sends an event and returns it as it was stored.
func (s *mapServer) send(event object) core.Event {
	s.t.Helper()
	body, err := json.Marshal(event)
	require.NoError(s.t, err)
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+events+"?sentry_key="+shopKey, bytes.NewReader(body))
	require.NoError(s.t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	defer response.Body.Close()
	require.Equal(s.t, http.StatusOK, response.StatusCode)
	detail, err := s.db.ReadEvent(s.t.Context(), s.queryNumber(`SELECT max(id) FROM events`))
	require.NoError(s.t, err)
	return detail.Event
}

const buildID = "85314830-023f-4cf1-a267-535f4e37bb17"

func TestFramesAreMapped(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	s.upload(shop, "1.0", "/assets/app-3f.js", makeMap(t, paySource, buildID, paySegments))

	event := s.send(crash("1.0", ""))

	frames := event.Exceptions[0].Frames
	require.Equal(t, &core.SourcePosition{Function: "charge", Path: "src/pay.js", Line: 3, Column: 10}, frames[0].Source)
	require.Equal(t, core.Untrusted("  return card.number.trim(); // the crash"), frames[0].ContextLine)
	require.Equal(t, core.List[core.Untrusted]{"// The till.", "export function charge(card) {"}, frames[0].PreContext)
	require.Equal(t, core.Untrusted("a"), frames[0].Function, "what was sent stays")
	require.EqualValues(t, 22, frames[0].Colno)
	require.True(t, frames[0].InApp)
	require.Equal(t, &core.SourcePosition{Function: "pay", Name: "charge", Path: "src/pay.js", Line: 6, Column: 10},
		frames[1].Source, "it calls charge")
	require.Equal(t, core.Untrusted("node_modules/till/index.js"), frames[2].Source.Path)
	require.False(t, frames[2].InApp)
	require.Empty(t, event.Problems)
	require.Equal(t, core.Untrusted("src/pay in charge"), event.Culprit)
}

// TestMapsOfMaskedReleasesAreFound uploads maps for releases whose names are partly masked in events.
func TestMapsOfMaskedReleasesAreFound(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	const release, other = "app@1.0+378282246310005", "api_key_rotator=1.4"
	for _, name := range []string{release, other} {
		s.upload(shop, name+" ", "/assets/app-3f.js", makeMap(t, paySource, buildID, paySegments))
	}
	s.upload(shop, "app@1.0+371449635398431", "/assets/app-3f.js", makeMap(t, "nothing", "", nil)) // it is shown alike

	for _, name := range []string{release, other} {
		event := s.send(crash(name, ""))

		require.Contains(t, string(event.Release), "[Filtered]")
		require.Equal(t, &core.SourcePosition{Function: "charge", Path: "src/pay.js", Line: 3, Column: 10}, event.Exceptions[0].Frames[0].Source)
	}
}

func TestMapsOfOthersAreNotUsed(t *testing.T) {
	t.Parallel()
	const otherProject = shop + 1
	s := startMapServer(t, nil)
	s.makeProject(otherProject, "0ther000000000000000000000000000")
	text := makeMap(t, paySource, buildID, paySegments)
	s.upload(otherProject, "1.0", "/assets/app-3f.js", text)
	s.upload(shop, "0.9", "/assets/app-3f.js", makeMap(t, paySource, "00000000-0000-4000-8000-000000000000", paySegments))

	for name, event := range map[string]object{
		"a debug id of another project": crash("", buildID),
		"the path of another project":   crash("1.0", ""),
		"another build of the release":  crash("0.9", buildID),
	} {
		frames := s.send(event).Exceptions[0].Frames
		require.Nil(t, frames[0].Source, name)
	}
}

func TestDebugIDsWin(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	s.upload(shop, "1.0", "/elsewhere.js", makeMap(t, paySource, buildID, paySegments))
	s.upload(shop, "2.0", "/assets/app-3f.js", makeMap(t, "// moved\n"+paySource, "", []mapSegment{{0, 0, 0, 0, -1}}))

	for _, release := range []string{"", "2.0"} {
		event := s.send(crash(release, strings.ToUpper(strings.ReplaceAll(buildID, "-", ""))))
		require.NotNil(t, event.Exceptions[0].Frames[0].Source, release)
		require.EqualValues(t, 3, event.Exceptions[0].Frames[0].Source.Line, release)
	}
}

func TestReplacedMapIsUsed(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	s.upload(shop, "1.0", "/assets/app-3f.js", makeMap(t, paySource, "", paySegments))
	require.EqualValues(t, 3, s.send(crash("1.0", "")).Exceptions[0].Frames[0].Source.Line)
	s.upload(shop, "1.0", "/assets/app-3f.js", makeMap(t, "// one line more\n"+paySource, "", []mapSegment{{0, 0, 3, 9, -1}}))

	s.ForgetMaps() // as happens with time

	require.EqualValues(t, 4, s.send(crash("1.0", "")).Exceptions[0].Frames[0].Source.Line)
}

// A stack of many frames of many files is mapped up to the limits.
func TestMappingHasLimits(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	long := strings.Repeat(strings.Repeat("x", 400)+"\n", 40)
	for n := range 40 {
		s.upload(shop, "1.0", fmt.Sprintf("/%d.js", n), makeMap(t, long, "", []mapSegment{{0, 0, 20, 0, -1}}))
	}
	var frames []object
	for n := range 250 {
		frames = append(frames, object{"function": "f", "abs_path": fmt.Sprintf("https://shop.example/%d.js", n%40), "lineno": 1,
			"colno": 1, "in_app": true})
	}
	event := crash("1.0", "")
	event["exception"] = object{"values": []object{{"type": "E", "value": "v", "stacktrace": object{"frames": frames}}}}

	stored := s.send(event)

	mapped, lines := 0, 0
	for _, f := range stored.Exceptions[0].Frames {
		if f.Source != nil {
			mapped++
			lines += len(f.PreContext)
		}
	}
	require.Equal(t, 202, mapped, "those of 32 files: 8 of the 40 have 6 frames each")
	require.Less(t, lines, mapped)
	require.Contains(t, stored.FindMapProblem("exceptions", 0, 32), "of one event at most 250 frames of 32 files are mapped")
}

func TestHostileFrames(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	s.upload(shop, "1.0", "/assets/app-3f.js", makeMap(t, paySource, "", paySegments))
	event := crash("1.0", "nonsense")
	var frames []object
	for _, path := range []string{
		"https://shop.example/a/../assets/app-3f.js", "https://user:pw@shop.example/assets/app-3f.js", "data:text/javascript,1", "https://",
		"%zz", "//assets/app-3f.js", "\u202e.js", "<anonymous>", strings.Repeat("a/", 3000), "node:internal/process",
	} {
		frames = append(frames, object{"function": "f", "abs_path": path, "lineno": 1 << 30, "colno": 1 << 30, "in_app": true})
	}
	frames = append(frames, object{"function": "f", "abs_path": fileURL, "lineno": 1 << 30, "colno": 1, "in_app": true})
	event["exception"] = object{"values": []object{{"type": "E", "value": "v", "stacktrace": object{"frames": frames}}}}

	for _, f := range s.send(event).Exceptions[0].Frames {
		require.Nil(t, f.Source, f.AbsPath)
	}
}

// BenchmarkMapping measures events of a browser with a stack of four frames, in a project without maps and in one with.
func BenchmarkMapping(b *testing.B) {
	for _, isMapped := range []bool{false, true} {
		b.Run(fmt.Sprintf("mapped=%v", isMapped), func(b *testing.B) {
			s := startMapServer(b, nil)
			if isMapped {
				s.upload(shop, "1.0", "/assets/app-3f.js", makeMap(b, paySource, buildID, paySegments))
			}
			body, err := json.Marshal(crash("1.0", ""))
			require.NoError(b, err)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.url+events+"?sentry_key="+shopKey, bytes.NewReader(body))
					require.NoError(b, err)
					response, err := http.DefaultClient.Do(request)
					require.NoError(b, err)
					require.NoError(b, response.Body.Close())
					require.Equal(b, http.StatusOK, response.StatusCode)
				}
			})
		})
	}
}
