package sourcemap_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/sourcemap"
)

// For every upload, an index is made and passes the check of uploads, or the map is refused for a
// reason.
func FuzzBuildIndex(f *testing.F) {
	for _, text := range []string{
		generateMap(2, 70),
		`{"version":3,"sources":["a.js",null],"names":["n"],"mappings":"UAAAA,LCACA,IDCD;A","sourcesContent":["a\r\nb",null],"ignoreList":[1]}`,
		`{"version":3,"sourceRoot":"x","debugId":"1aad9d9e-2b50-454f-a5f2-0dd5e95c154c","sources":["\ud83d\ude00"],"mappings":"+/////DAAA"}`,
		withSections(section(0, 3, twoSources), `{"map":`+twoSources+`,"offset":{"line":2,"column":0}}`), `{"version":3,"sections":[]}`,
		`[1,{"a":null}]`, ")]}'\n{}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		built, err := sourcemap.BuildFlatIndex(bytes.NewReader(text))
		if err != nil {
			invalid, ok := errors.AsType[*sourcemap.Invalid](err)
			require.True(t, ok, "%v", err)
			if invalid.Reason == sourcemap.NotJSON {
				require.False(t, json.Valid(text), "%v", err)
			}
			return
		}
		x := openBuilt(t, built)
		for column := range 40 {
			p, found, err := x.LookUp(1+column%4, 1+column)
			require.NoError(t, err)
			if found {
				_, _, err = x.CutContext(&p, 3)
				require.NoError(t, err)
			}
		}
	})
}

// Reading any stored bytes ends in a result or an error; an index that passes the check has no
// errors.
func FuzzReadIndex(f *testing.F) {
	for _, text := range []string{
		generateMap(2, 70), `{"version":3,"sources":["a"],"sourcesContent":["text\nmore"],"mappings":"AAAA;C"}`,
		`{"version":3,"sources":[],"mappings":""}`,
	} {
		index := encodeBuilt(f, buildMap(f, text))
		f.Add(index, false)
		f.Add(index, true)
	}
	f.Fuzz(func(t *testing.T, index []byte, sealed bool) {
		if sealed && len(index) >= headerSize {
			sealIndex(index)
		}
		readAll(index)
		if _, err := sourcemap.CheckIndex(bytes.NewReader(index), int64(len(index))); err != nil {
			return
		}
		x := openIndex(t, index, sourcemap.NewCache(testCache))
		for column := range 100 {
			p, found, err := x.LookUp(1+column%3, 1+column*7)
			require.NoError(t, err)
			if found {
				_, _, err = x.CutContext(&p, 5)
				require.NoError(t, err)
			}
		}
	})
}
