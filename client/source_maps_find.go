package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"errand/sourcemap"
)

// emittedTypes are the endings of files that a build emits: JavaScript, and the bundles of React Native, which may be bytecode.
var emittedTypes = []string{".js", ".mjs", ".cjs", ".bundle", ".jsbundle", ".hbc"}

// listEmitted returns the JavaScript files of a build, by their paths in its folder.
func listEmitted(folder fs.FS) (files []string, err error) {
	err = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return fs.SkipDir
		case entry.Type().IsRegular() && slices.Contains(emittedTypes, strings.ToLower(path.Ext(name))):
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

// findMap returns the map of a file: the map that its sourceMappingURL names or contains, else the one beside it,
// else the one with its debug id. The error is an errNoMap when there is none.
func (u SourceMapUpload) findMap(folder fs.FS, file string) (emittedMap, error) {
	found := emittedMap{name: u.nameOf(file)}
	if _, err := sourcemap.ResolveName(found.name); err != nil {
		return found, err
	}
	code, err := readWithin(folder, file, maxBuildFile)
	if err != nil {
		return found, err
	}
	links := sourcemap.FindLinks(code)
	if found.text, found.file, err = readLinkedMap(folder, file, links); err != nil {
		return found, err
	}
	found.text = addDebugID(found.text, links.DebugID)
	return found, nil
}

// nameOf returns the name of a file on the web.
func (u SourceMapUpload) nameOf(file string) string {
	parts := strings.Split(filepath.ToSlash(file), "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.TrimRight(u.URLPrefix, "/") + "/" + strings.Join(parts, "/")
}

// readLinkedMap returns the map that a file links to, and where it is.
func readLinkedMap(folder fs.FS, file string, links sourcemap.Links) (text []byte, at string, err error) {
	why := "it names no source map, and there is none beside it"
	switch mapURL, err := url.Parse(links.MapURL); {
	case links.MapURL == "":
	case strings.HasPrefix(links.MapURL, "data:"):
		text, err := sourcemap.DecodeInlineMap(links.MapURL)
		return text, file, err
	case err != nil || mapURL.Path == "":
		why = "its sourceMappingURL is broken"
	case mapURL.Host != "":
		why = "its source map is at " + mapURL.Host + ", not in the folder"
	default:
		named := path.Join(path.Dir(file), mapURL.Path)
		if strings.HasPrefix(mapURL.Path, "/") {
			named = strings.TrimPrefix(path.Clean(mapURL.Path), "/")
		}
		if text, err := readWithin(folder, named, maxBuildFile); !errors.Is(err, fs.ErrNotExist) && fs.ValidPath(named) {
			return text, named, err
		}
		why = "its source map " + named + " is not in the folder"
	}
	text, err = readWithin(folder, file+".map", maxBuildFile)
	if !errors.Is(err, fs.ErrNotExist) {
		return text, file + ".map", err
	}
	if text, at = findByDebugID(folder, links.DebugID); text != nil {
		return text, at, nil
	}
	return nil, "", errNoMap(why)
}

func readWithin(folder fs.FS, name string, limit int64) ([]byte, error) {
	opened, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, limit+1))
	if err == nil && int64(len(text)) > limit {
		return nil, fmt.Errorf("%s has more than %d MB", name, limit>>20)
	}
	return text, err
}

// mapDebugID is the debug id of a map, under its name in ECMA-426 and the earlier name.
type mapDebugID struct {
	DebugID string `json:"debugId"`
	OldName string `json:"debug_id"`
}

// findByDebugID returns the map in the folder with the debug id, and where it is; nil when none has it.
func findByDebugID(folder fs.FS, debugID string) (found []byte, at string) {
	if debugID == "" {
		return nil, ""
	}
	_ = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".map" {
			return nil //nolint:nilerr // an unreadable file is not the map
		}
		text, err := readWithin(folder, name, maxBuildFile)
		var id mapDebugID
		if err == nil && json.Unmarshal(text, &id) == nil && (strings.EqualFold(id.DebugID, debugID) || strings.EqualFold(id.OldName, debugID)) {
			found, at = text, name
			return fs.SkipAll
		}
		return nil
	})
	return found, at
}

// addDebugID adds the debug id of the file to a map without one: some bundlers write it only into the file.
func addDebugID(text []byte, debugID string) []byte {
	var members map[string]json.RawMessage
	if debugID == "" || json.Unmarshal(text, &members) != nil || members["debugId"] != nil || members["debug_id"] != nil {
		return text
	}
	members["debugId"] = json.RawMessage(`"` + debugID + `"`)
	if changed, err := json.Marshal(members); err == nil {
		return changed
	}
	return text
}
