package sentryapi

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"io"
	"path"
	"slices"
	"strings"

	"errand/core"
	"errand/sourcemap"
)

// The bounds of a manifest, in bytes. The manifest of a build with inline source maps contains the maps too; they are
// cut out while it is read.
const (
	maxManifest         = 8 << 20
	maxUnpackedManifest = 512 << 20
	maxManifestText     = 16 << 10 // of one string
)

// The types of files in a bundle that matter here.
const (
	typeMinified = "minified_source"
	typeMap      = "source_map"
)

// manifest lists the contents of a bundle.
type manifest struct {
	Release string                  `json:"release"`
	Dist    string                  `json:"dist"`
	DebugID string                  `json:"debug_id"`
	Files   map[string]manifestFile `json:"files"`
}

type manifestFile struct {
	Type    string            `json:"type"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// header returns a header of a file. The case of its name does not matter.
func (f manifestFile) header(names ...string) string {
	for name, value := range f.Headers {
		if slices.Contains(names, strings.ToLower(name)) {
			return value
		}
	}
	return ""
}

func readManifest(file *zip.File, into *manifest) error {
	if file == nil {
		return refuseBundle("the bundle has no manifest.json")
	}
	opened, err := openFile(file, maxUnpackedManifest)
	if err != nil {
		return err
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(&stringCutter{json: opened}, maxManifest+1))
	if core.HasCode(err, core.InvalidRequest) || len(text) > maxManifest {
		return refuseBundle("the manifest.json of the bundle cannot be unpacked, or is too large")
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return refuseBundle("the manifest.json of the bundle cannot be read")
	}
	return nil
}

// listMaps finds the minified files of each source map: the file that contains it, the files that name it, else the
// file with its debug id, else the file with its name without .map. A map with only a debug id is named by that.
func listMaps(listed manifest, files map[string]*zip.File) []bundledMap {
	var maps []bundledMap
	byMap, byDebugID, inline := map[string][]string{}, map[string]string{}, map[string]bool{}
	for inZip, file := range listed.Files {
		if file.Type != typeMinified {
			continue
		}
		id := sourcemap.NormalizeDebugID(file.header("debug-id"))
		switch reference := file.header("sourcemap", "x-sourcemap"); {
		case strings.HasPrefix(reference, "data:") && files[inZip] != nil:
			maps = append(maps, bundledMap{file: files[inZip], name: nameMap(file.URL, id), debugID: id, isInline: true})
			inline[nameMap(file.URL, id)] = true
		case reference != "" && !strings.HasPrefix(reference, "data:"):
			byMap[joinURL(file.URL, reference)] = append(byMap[joinURL(file.URL, reference)], file.URL)
		}
		if id != "" {
			byDebugID[id] = file.URL
		}
	}
	for inZip, file := range listed.Files {
		if file.Type != typeMap || files[inZip] == nil {
			continue
		}
		id := sourcemap.NormalizeDebugID(cmp.Or(file.header("debug-id"), listed.DebugID))
		names := byMap[file.URL]
		if len(names) == 0 {
			names = []string{cmp.Or(byDebugID[id], strings.TrimSuffix(file.URL, ".map"))}
		}
		for _, name := range names {
			if name = nameMap(name, id); !inline[name] {
				maps = append(maps, bundledMap{file: files[inZip], name: name, debugID: id})
			}
		}
	}
	slices.SortFunc(maps, func(a, b bundledMap) int { return cmp.Compare(a.name, b.name) })
	return maps
}

// nameMap returns the name of a minified file. If its URL cannot be the name of a file, the debug id makes the name.
func nameMap(url, debugID string) string {
	if _, err := sourcemap.ResolveName(url); err != nil && debugID != "" {
		return "~/" + debugID + ".js"
	}
	return url
}

// joinURL resolves a reference of a minified file to its map: ~/js/app.js and app.js.map are ~/js/app.js.map.
func joinURL(file, reference string) string {
	if strings.Contains(reference, "://") || strings.HasPrefix(reference, "~") {
		return reference
	}
	root, rest := splitRoot(file)
	if strings.HasPrefix(reference, "/") {
		return root + path.Clean(reference)
	}
	return root + path.Join("/", path.Dir(rest), reference)
}

// splitRoot splits the host, or the ~ for any host, from the path of a URL.
func splitRoot(file string) (root, rest string) {
	if strings.HasPrefix(file, "~") {
		return "~", file[1:]
	}
	scheme, afterScheme, found := strings.Cut(file, "://")
	if !found {
		return "", file
	}
	host, rest, _ := strings.Cut(afterScheme, "/")
	return scheme + "://" + host, "/" + rest
}

// stringCutter passes JSON on, with its strings cut to maxManifestText bytes.
type stringCutter struct {
	json      io.Reader
	isInside  bool // in a string
	isEscaped bool // the next byte follows a backslash
	length    int  // of the string so far
}

func (c *stringCutter) Read(into []byte) (int, error) {
	n, err := c.json.Read(into)
	kept := into[:0]
	for _, b := range into[:n] {
		switch {
		case !c.isInside:
			c.isInside, c.length = b == '"', 0
		case c.isEscaped:
			c.isEscaped = false
			c.length++
		case b == '"':
			c.isInside = false
		default:
			c.isEscaped = b == '\\'
			c.length++
		}
		if !c.isInside || c.length <= maxManifestText {
			kept = append(kept, b)
		}
	}
	return len(kept), err
}
