package ingest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
)

// crashOf is a crash of a build of the release 1.0.
func crashOf(dist string) object {
	event := crash("1.0", "")
	if dist != "" {
		event["dist"] = dist
	}
	return event
}

// TestMapsOfBuilds maps events of two builds of a release, whose files have the same path.
func TestMapsOfBuilds(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	const path = "/assets/app-3f.js"
	for _, dist := range []string{"ios-1", "android-1"} {
		s.uploadOfDist(shop, "1.0", dist, path, makeMap(t, strings.ReplaceAll(paySource, "the crash", dist), "", paySegments))
	}

	for sent, want := range map[string]string{"ios-1": "ios-1", " android-1\n": "android-1", "ios-2": "", "": ""} {
		event := s.send(crashOf(sent))
		frame, problem := event.Exceptions[0].Frames[0], event.FindMapProblem("exceptions", 0, 0)
		if want == "" {
			require.Nil(t, frame.Source, sent)
			require.Contains(t, problem, "uploaded for other builds (dist) of the release", sent)
			continue
		}
		require.Empty(t, problem, sent)
		require.Contains(t, frame.ContextLine, want, sent)
	}
	listed, err := s.db.ListSourceMaps(t.Context(), store.SourceMapFilter{ProjectID: shop, Paging: core.Paging{Limit: 10}})
	require.NoError(t, err)
	require.Equal(t, []core.Text{"android-1", "ios-1"}, []core.Text{listed.Data[0].Dist, listed.Data[1].Dist})
	require.Equal(t, path, listed.Data[0].Path)
}

// TestMapsOfAllBuilds maps events when one map names no build and another one does.
func TestMapsOfAllBuilds(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	const path = "/assets/app-3f.js"
	s.uploadOfDist(shop, "1.0", "7", path, makeMap(t, strings.ReplaceAll(paySource, "the crash", "of 7"), "", paySegments))
	s.upload(shop, "1.0", path, makeMap(t, strings.ReplaceAll(paySource, "the crash", "of all"), "", paySegments))

	for sent, want := range map[string]string{"7": "of 7", "8": "of all", "": "of all"} {
		event := s.send(crashOf(sent))
		require.Contains(t, event.Exceptions[0].Frames[0].ContextLine, want, sent)
	}
}

// A debug id belongs to one build: the dist does not matter.
func TestDebugIDsGoBeforeBuilds(t *testing.T) {
	t.Parallel()
	s := startMapServer(t, nil)
	s.uploadOfDist(shop, "1.0", "7", "/assets/app-3f.js", makeMap(t, paySource, buildID, paySegments))
	event := crash("1.0", buildID)
	event["dist"] = "8"

	require.NotNil(t, s.send(event).Exceptions[0].Frames[0].Source)
}
