package sourcemap_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"errand/sourcemap"
)

// withFields and withMappings write a map with one source and one name.
func withFields(fields string) string {
	return `{"version":3,"sources":["a.js"],"names":["n"],` + fields + `}`
}

func withMappings(mappings string) string { return withFields(`"mappings":"` + mappings + `"`) }

// refusedMaps have each reason of invalid_sourcemap.
var refusedMaps = []struct{ name, text, reason, detail string }{
	{"nothing", "", sourcemap.NotJSON, "byte 0"},
	{"text", "hello", sourcemap.NotJSON, "not a value"},
	{"HTML", "<!DOCTYPE html>", sourcemap.NotJSON, "not a value"},
	{"cut off in a string", `{"version":3,"mappings":"AAAA`, sourcemap.NotJSON, "without an end"},
	{"cut off in an object", `{"version":3,"sources":[]`, sourcemap.NotJSON, "expected"},
	{"cut off in a list", `{"version":3,"sources":["a"`, sourcemap.NotJSON, "expected"},
	{"a comma too much", `{"version":3,}`, sourcemap.NotJSON, "expected"},
	{"a comma too much in a list", `{"sources":["a",]}`, sourcemap.NotJSON, "not a value"},
	{"no colon", `{"version" 3}`, sourcemap.NotJSON, "expected"},
	{"a long number", `{"version":3,"sources":[],"mappings":"","x":1` + strings.Repeat("0", 70_000) + `}`, sourcemap.BrokenMappings, "digits"},
	{"single quotes", `{'version':3}`, sourcemap.NotJSON, "expected"},
	{"more after the map", withMappings("") + "{}", sourcemap.NotJSON, "more after"},
	{"a control character", "{\"a\":\"\n\"}", sourcemap.NotJSON, "control character"},
	{"a broken escape", `{"a":"\x41"}`, sourcemap.NotJSON, "escape"},
	{"a broken escape of four digits", `{"a":"\u00g0"}`, sourcemap.NotJSON, "escape"},
	{"an escape at the end", `{"a":"\u00`, sourcemap.NotJSON, "escape"},
	{"a number with a zero before it", `{"version":03}`, sourcemap.NotJSON, "number"},
	{"half a number", `{"version":3.}`, sourcemap.NotJSON, "number"},
	{"a sign", `{"version":+3}`, sourcemap.NotJSON, "not a value"},
	{"not null", `{"version":3,"file":nil}`, sourcemap.NotJSON, "not a value"},
	{"nested too deep", `{"x":` + strings.Repeat("[", 10_000), sourcemap.NotJSON, "too deep"},
	{"a list", `[]`, sourcemap.NotVersion3, "no version"},
	{"null", `null`, sourcemap.NotVersion3, "no version"},
	{"an empty map", `{}`, sourcemap.NotVersion3, "no version"},
	{"version 2", `{"version":2,"sources":[],"mappings":""}`, sourcemap.NotVersion3, "not the number 3"},
	{"version 4", `{"sources":[],"mappings":"","version":4}`, sourcemap.NotVersion3, "not the number 3"},
	{"a version in quotes", `{"version":"3","sources":[],"mappings":""}`, sourcemap.NotVersion3, "not the number 3"},
	{"version null", `{"version":null}`, sourcemap.NotVersion3, "not the number 3"},
	{"sections", `{"version":3,"sections":[]}`, sourcemap.HasSections, "index map"},
	{"sections beside mappings", withFields(`"mappings":"","sections":null`), sourcemap.HasSections, "index map"},
	{"no mappings", `{"version":3,"sources":[]}`, sourcemap.BrokenMappings, "no mappings"},
	{"no sources", `{"version":3,"mappings":""}`, sourcemap.BrokenMappings, "no list of sources"},
	{"mappings null", withFields(`"mappings":null`), sourcemap.BrokenMappings, "mappings is not a string"},
	{"sources null", `{"version":3,"mappings":"","sources":null}`, sourcemap.BrokenMappings, "sources is not a list"},
	{"a source that is a number", `{"version":3,"mappings":"","sources":[1]}`, sourcemap.BrokenMappings, "sources is not a string"},
	{"names that are an object", `{"version":3,"mappings":"","sources":[],"names":{}}`, sourcemap.BrokenMappings, "names is not a list"},
	{"a name that is null", `{"version":3,"mappings":"","sources":[],"names":[null]}`, sourcemap.BrokenMappings, "names is not a string"},
	{"contents that are text", withFields(`"sourcesContent":""`), sourcemap.BrokenMappings, "sourcesContent is not a list"},
	{"a content that is a number", withFields(`"sourcesContent":[1]`), sourcemap.BrokenMappings, "sourcesContent is not a string"},
	{"a sourceRoot that is a list", withFields(`"sourceRoot":[]`), sourcemap.BrokenMappings, "sourceRoot is not a string"},
	{"a sourceRoot without an end", withFields(`"sourceRoot":"` + strings.Repeat("a", 5000) + `"`), sourcemap.BrokenMappings, "longer"},
	{"a file that is a number", withFields(`"file":1`), sourcemap.BrokenMappings, "file is not a string"},
	{"an ignoreList out of range", withFields(`"mappings":"","ignoreList":[1]`), sourcemap.BrokenMappings, "source 2 of 1"},
	{"an ignoreList of halves", withFields(`"ignoreList":[0.5]`), sourcemap.BrokenMappings, "not the number of a source"},
	{"an ignoreList below zero", withFields(`"x_google_ignoreList":[-1]`), sourcemap.BrokenMappings, "not the number of a source"},
	{"a huge ignoreList", withFields(`"ignoreList":[1e999]`), sourcemap.BrokenMappings, "not the number of a source"},
	{"mappings twice", withFields(`"mappings":"","mappings":""`), sourcemap.BrokenMappings, "twice"},
	{"not base 64", withMappings("AA!A"), sourcemap.BrokenMappings, "not base 64 in generated line 1"},
	{"two numbers", withMappings(";;AA"), sourcemap.BrokenMappings, "two or three numbers in generated line 3"},
	{"six numbers", withMappings("AAAAAA"), sourcemap.BrokenMappings, "more than five"},
	{"an empty mapping", withMappings("AAAA,,AAAA"), sourcemap.BrokenMappings, "an empty mapping"},
	{"a comma at the end of a line", withMappings("AAAA,;A"), sourcemap.BrokenMappings, "an empty mapping"},
	{"a number cut off", withMappings("AAAg"), sourcemap.BrokenMappings, "without an end"},
	{"a number cut off by a comma", withMappings("AAAg,A"), sourcemap.BrokenMappings, "without an end"},
	{"more than 32 bits", withMappings("ggggggE"), sourcemap.BrokenMappings, "32 bits"},
	{"far more than 32 bits", withMappings("ggggggggggggggggC"), sourcemap.BrokenMappings, "32 bits"},
	{"minus zero", withMappings("B"), sourcemap.BrokenMappings, "generated column out of range"},
	{"a column below zero", withMappings("D"), sourcemap.BrokenMappings, "generated column out of range"},
	{"a sum of more than 31 bits", withMappings("+/////D,C"), sourcemap.BrokenMappings, "generated column out of range"},
	{"a source that is not there", withMappings("ACAA"), sourcemap.BrokenMappings, "source 2 of 1"},
	{"a name that is not there", withMappings("AAAAC"), sourcemap.BrokenMappings, "name 2 of 1"},
	{"a line below zero", withMappings("AADA"), sourcemap.BrokenMappings, "original line out of range"},
}

// A map is refused with a reason in the specification's words.
func TestBuildIndexRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range refusedMaps {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()

			built, err := sourcemap.BuildIndex(strings.NewReader(test.text))

			require.Nil(t, built)
			invalid, ok := errors.AsType[*sourcemap.Invalid](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, test.reason, invalid.Reason, err)
			require.ErrorContains(t, err, test.detail)
		})
	}
	require.Equal(t, []string{"not version 3", "a map with sections", "broken mappings", "broken index", "not JSON"},
		[]string{sourcemap.NotVersion3, sourcemap.HasSections, sourcemap.BrokenMappings, sourcemap.BrokenIndex, sourcemap.NotJSON})
}

// Maps that bundlers write against the letter of ECMA-426 are accepted.
func TestBuildIndexAccepts(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a byte order mark":        "\xef\xbb\xbf" + `{"version":3,"sources":[],"mappings":""}`,
		"the guard against script": ")]}'\n" + `{"version":3,"sources":[],"mappings":""}`,
		"white space":              " \t\r\n{ \"version\" : 3 , \"sources\" : [ ] , \"mappings\" : \"\" } \n",
		"a number in another form": `{"version":3.0e0,"sources":[],"mappings":""}`,
		"null for what is absent": `{"version":3,"sources":[null],"mappings":"","names":null,"sourcesContent":null,"sourceRoot":null,
			"file":null,"ignoreList":null,"debugId":null}`,
		"unknown fields":             `{"x_a":[{"b":[1,-2.5e+3,true,false,null,"\ud83d\ude00\/"]},{}],"version":3,"sources":[],"mappings":""}`,
		"more contents than sources": `{"version":3,"sources":["a"],"sourcesContent":["a","b"],"mappings":""}`,
		"a debug id that is none":    `{"version":3,"sources":[],"mappings":"","debugId":"x","debug_id":7}`,
		"escaped mappings":           `{"version":3,"sources":["a"],"mappings":"A\u0041AA,+\/\/\/\/\/DAAA"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			openMap(t, text)
		})
	}
}

// A map that arrives byte by byte is the same map, and an error of its sender is not an error of
// the map.
func TestBuildIndexReadsStreams(t *testing.T) {
	t.Parallel()
	text := generateMap(3, 400)

	slow, err := sourcemap.BuildIndex(iotest.OneByteReader(strings.NewReader(text)))

	require.NoError(t, err)
	require.Equal(t, encodeBuilt(t, buildMap(t, text)), encodeBuilt(t, slow))
	read, err := io.ReadAll(slow.Reader())
	require.NoError(t, err)
	require.Equal(t, encodeBuilt(t, slow), read)

	broken := errors.New("the line is cut")
	_, err = sourcemap.BuildIndex(io.MultiReader(strings.NewReader(text[:len(text)/2]), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	_, err = sourcemap.BuildIndex(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
}

// generateMap writes a map whose line l has a mapping at each tenth column, to source l, line
// column/10.
func generateMap(lines, mappings int) string {
	var sources, contents, text []string
	for line := range lines {
		sources = append(sources, fmt.Sprintf(`"src/%d.ts"`, line))
		var content strings.Builder
		for number := range mappings {
			fmt.Fprintf(&content, `line %d of source %d\n`, number, line)
		}
		contents = append(contents, `"`+content.String()+`"`)
		var segments []string
		for number := range mappings {
			switch {
			case number > 0:
				segments = append(segments, "UACAC")
			case line > 0:
				segments = append(segments, "AC"+encodeNumber(1-mappings)+"A"+encodeNumber(1-mappings))
			default:
				segments = append(segments, "AAAAA")
			}
		}
		text = append(text, strings.Join(segments, ","))
	}
	var names []string
	for number := range mappings {
		names = append(names, fmt.Sprintf(`"name%d"`, number))
	}
	return fmt.Sprintf(`{"version":3,"mappings":%q,"sources":[%s],"sourcesContent":[%s],"names":[%s]}`,
		strings.Join(text, ";"), strings.Join(sources, ","), strings.Join(contents, ","), strings.Join(names, ","))
}

func encodeNumber(value int) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	rest, text := max(value, -value)<<1, ""
	if value < 0 {
		rest++
	}
	for ; rest > 31; rest >>= 5 {
		text += string(digits[rest&31|32])
	}
	return text + string(digits[rest])
}
