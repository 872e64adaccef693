package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"errand/core"
	"errand/sourcemap"
)

// SourceMapUpload is the upload of a build's source maps by a CI script: `errand sourcemaps upload`.
type SourceMapUpload struct {
	Dir       string `arg:"" help:"Folder of the build, as it is deployed."`
	Project   string `required:"" help:"Public id or slug of the app."`
	Release   string `required:"" help:"The version, as the app's events name it."`
	URLPrefix string `name:"url-prefix" default:"~/" help:"Where the folder is on the web, such as ~/assets; ~ is any host."`
	DryRun    bool   `name:"dry-run" help:"Only say what would be uploaded."`
}

// maxBuildFile is the largest file of a build that is read: a map, or JavaScript with its map in it.
const maxBuildFile = 256 << 20

// emittedMap is the source map of an emitted file.
type emittedMap struct {
	name string // of the file, for the upload
	text []byte
	kind string // of the body, as packMap makes it
	body []byte
}

// errNoMap is why a file has no map, in words.
type errNoMap string

func (e errNoMap) Error() string { return string(e) }

// Send uploads the maps of all files of the folder, and says on w what it does with each. It fails when a map could not be
// uploaded, or when there is none.
func (u SourceMapUpload) Send(ctx context.Context, c Client, w io.Writer) error {
	if err := c.check(); err != nil && !u.DryRun {
		return err
	}
	root, err := os.OpenRoot(u.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	files, err := listEmitted(root.FS())
	if err != nil {
		return err
	}
	uploaded, failed := 0, 0
	for i, file := range files {
		progress := fmt.Sprintf("[%d/%d] %s", i+1, len(files), file)
		found, err := u.findMap(root.FS(), file)
		if noMap := errNoMap(""); errors.As(err, &noMap) {
			fmt.Fprintf(w, "%s: skipped: %s\n", progress, noMap)
			continue
		}
		if err == nil {
			err = u.sendMap(ctx, c, found, w)
		}
		if isFinal(err) {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err != nil {
			failed++
			fmt.Fprintf(w, "%s: failed: %s\n", progress, err)
			continue
		}
		uploaded++
		fmt.Fprintf(w, "%s: %s as %s (%d KB)\n", progress, u.doneWord(), found.name, (len(found.text)+1023)>>10)
	}
	fmt.Fprintf(w, "%d source maps %s for release %s, %d files skipped, %d failed.\n",
		uploaded, u.doneWord(), u.Release, len(files)-uploaded-failed, failed)
	switch {
	case failed > 0:
		return fmt.Errorf("%d source maps were not uploaded", failed)
	case uploaded == 0:
		return fmt.Errorf("no JavaScript file in %s has a source map: does the build make them?", u.Dir)
	}
	return nil
}

// sendMap uploads a map, or only checks it.
func (u SourceMapUpload) sendMap(ctx context.Context, c Client, found emittedMap, w io.Writer) error {
	if err := found.packMap(w); err != nil {
		return err
	}
	if u.DryRun {
		return found.checkMap()
	}
	return c.uploadMap(ctx, u, found, w)
}

func (u SourceMapUpload) doneWord() string {
	if u.DryRun {
		return "found"
	}
	return "uploaded"
}

// isFinal reports whether an upload failed in a way in which all others would too.
func isFinal(err error) bool {
	var refused *refusedCall
	return errors.Is(err, context.Canceled) || errors.As(err, &refused) && (refused.code == core.StorageNotConfigured ||
		slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}, refused.status))
}

// listEmitted returns the JavaScript files of a build, by their paths in its folder.
func listEmitted(folder fs.FS) (files []string, err error) {
	err = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return fs.SkipDir
		case entry.Type().IsRegular() && slices.Contains([]string{".js", ".mjs", ".cjs"}, strings.ToLower(path.Ext(name))):
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

// findMap returns the map of a file: the one that its sourceMappingURL names or holds, else the one beside it, else the one with
// its debug id. It is an errNoMap when there is none.
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
	if found.text, err = readLinkedMap(folder, file, links); err != nil {
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

func readLinkedMap(folder fs.FS, file string, links sourcemap.Links) ([]byte, error) {
	why := "it names no source map, and there is none beside it"
	switch mapURL, err := url.Parse(links.MapURL); {
	case links.MapURL == "":
	case strings.HasPrefix(links.MapURL, "data:"):
		return sourcemap.DecodeInlineMap(links.MapURL)
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
			return text, err
		}
		why = "its source map " + named + " is not in the folder"
	}
	text, err := readWithin(folder, file+".map", maxBuildFile)
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	if text := findByDebugID(folder, links.DebugID); text != nil {
		return text, nil
	}
	return nil, errNoMap(why)
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

// mapDebugID is the debug id of a map, under its name in ECMA-426 and the one before that.
type mapDebugID struct {
	DebugID string `json:"debugId"`
	OldName string `json:"debug_id"`
}

// findByDebugID returns the map of the folder that has the debug id, nil when none has.
func findByDebugID(folder fs.FS, debugID string) (found []byte) {
	if debugID == "" {
		return nil
	}
	_ = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".map" {
			return nil //nolint:nilerr // what cannot be read is not it
		}
		text, err := readWithin(folder, name, maxBuildFile)
		var id mapDebugID
		if err == nil && json.Unmarshal(text, &id) == nil && (strings.EqualFold(id.DebugID, debugID) || strings.EqualFold(id.OldName, debugID)) {
			found = text
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// addDebugID puts the debug id of the file into a map that has none: some bundlers write it only into the file.
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
