package client

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// sourceTypes are the endings of the files that may be read into a map. A map can name any file of the repository,
// but files that are not code, such as .env, must stay there.
var sourceTypes = []string{".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".astro", ".coffee"}

// maxSource is the largest source that is read into a map.
const maxSource = 8 << 20

// mapText is the part of a map with its sources. The rest of the map stays unchanged.
type mapText map[string]json.RawMessage

// addSources reads the texts of sources into a map that lacks them (sourcesContent), from below a folder. It returns
// how many sources still have no text.
func (u SourceMapUpload) addSources(m *emittedMap, root *os.Root) (lacking int) {
	var members mapText
	if json.Unmarshal(m.text, &members) != nil {
		return 0 // it will be refused
	}
	at := filepath.Join(u.Dir, filepath.FromSlash(path.Dir(m.file)))
	isChanged, lacking := members.addSources(root, at)
	if isChanged {
		if text, err := json.Marshal(members); err == nil {
			m.text = text
		}
	}
	return lacking
}

// addSources reads the sources of a map, or of its sections.
func (t mapText) addSources(root *os.Root, at string) (isChanged bool, lacking int) {
	if t["sections"] != nil {
		return t.addToSections(root, at)
	}
	var sources []*string
	var contents []json.RawMessage
	var sourceRoot string
	if json.Unmarshal(t["sources"], &sources) != nil {
		return false, 0
	}
	if t["sourcesContent"] != nil && json.Unmarshal(t["sourcesContent"], &contents) != nil {
		return false, 0
	}
	_ = json.Unmarshal(t["sourceRoot"], &sourceRoot) // empty when missing
	for i, source := range sources {
		if i == len(contents) {
			contents = append(contents, json.RawMessage("null"))
		}
		if source == nil || *source == "" || !bytes.Equal(bytes.TrimSpace(contents[i]), []byte("null")) {
			continue
		}
		text, isFound := readSource(root, at, sourceRoot, *source)
		if !isFound {
			lacking++
			continue
		}
		if encoded, err := json.Marshal(text); err == nil {
			contents[i], isChanged = encoded, true
		}
	}
	if isChanged {
		t["sourcesContent"], _ = json.Marshal(contents) // decoded JSON can be encoded
	}
	return isChanged, lacking
}

func (t mapText) addToSections(root *os.Root, at string) (isChanged bool, lacking int) {
	var sections []map[string]json.RawMessage
	if json.Unmarshal(t["sections"], &sections) != nil {
		return false, 0
	}
	for _, section := range sections {
		var members mapText
		if json.Unmarshal(section["map"], &members) != nil || members["sections"] != nil {
			continue
		}
		changed, without := members.addSources(root, at)
		lacking += without
		if changed {
			section["map"], _ = json.Marshal(members) // decoded JSON can be encoded
			isChanged = true
		}
	}
	if isChanged {
		t["sections"], _ = json.Marshal(sections)
	}
	return isChanged, lacking
}

// readSource reads a source of a map in a folder, if the repository has the source below root.
func readSource(root *os.Root, at, sourceRoot, source string) (text string, isFound bool) {
	if sourceRoot != "" && !strings.Contains(source, "://") {
		source = strings.TrimSuffix(sourceRoot, "/") + "/" + source
	}
	name, isFound := findSource(root, at, source)
	if !isFound || !slices.Contains(sourceTypes, strings.ToLower(path.Ext(name))) {
		return "", false
	}
	data, err := readWithin(root.FS(), name, maxSource)
	return string(data), err == nil
}

// findSource returns the path of a source below root. Bundlers write it as a path relative to the map, or as a URL
// with the path in the repository: webpack://shop/./src/pay.ts?1a2b.
func findSource(root *os.Root, at, source string) (name string, isFound bool) {
	if scheme, rest, isURL := strings.Cut(source, "://"); isURL && scheme != "file" {
		_, name, _ = strings.Cut(rest, "/")
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "[project]/"), "?")
		name = path.Clean(name)
		return name, fs.ValidPath(name)
	}
	if unescaped, err := url.PathUnescape(strings.TrimPrefix(source, "file://")); err == nil {
		source = unescaped
	}
	whole, err := filepath.Abs(root.Name())
	if err != nil {
		return "", false
	}
	if !filepath.IsAbs(source) {
		source = filepath.Join(at, filepath.FromSlash(source))
	}
	if source, err = filepath.Abs(source); err != nil {
		return "", false
	}
	relative, err := filepath.Rel(whole, source)
	name = filepath.ToSlash(relative)
	return name, err == nil && fs.ValidPath(name)
}
