package sentryapi

import (
	"archive/zip"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"errand/core"
)

// The bounds of a bundle: what is unpacked of it, and how much is read to find out what is in it.
const (
	maxDirectory = 4 << 20
	maxManifest  = 8 << 20
	maxUnpacked  = 1 << 30 // of all source maps
	maxMaps      = 5000
)

// The start of a bundle, in front of its zip archive.
const (
	bundleMagic   = "SYSB"
	bundleVersion = 2
	bundleHeader  = 8
)

// The types of files in a bundle that matter here.
const (
	typeMinified = "minified_source"
	typeMap      = "source_map"
)

// bundle is an opened artifact bundle: the files of a build, as sentry-cli uploads them.
type bundle struct {
	release string
	maps    []bundledMap
}

// bundledMap is a source map in a bundle, with the minified file that it is for.
type bundledMap struct {
	file    *zip.File
	name    string // of the minified file
	debugID string
}

// manifest says what is in a bundle.
type manifest struct {
	Release string                  `json:"release"`
	DebugID string                  `json:"debug_id"`
	Files   map[string]manifestFile `json:"files"`
}

type manifestFile struct {
	Type    string            `json:"type"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// header returns a header of a file; their names are written in any case.
func (f manifestFile) header(names ...string) string {
	for name, value := range f.Headers {
		if slices.Contains(names, strings.ToLower(name)) {
			return value
		}
	}
	return ""
}

// openBundle reads what is in a bundle. A plain zip archive is taken too. One that is broken is a refusedBundle.
func openBundle(data io.ReaderAt, size int64) (*bundle, error) {
	archive, err := openArchive(data, size)
	if err != nil {
		return nil, err
	}
	files := map[string]*zip.File{}
	for _, file := range archive.File {
		files[file.Name] = file
	}
	var listed manifest
	if err := readManifest(files["manifest.json"], &listed); err != nil {
		return nil, err
	}
	b := &bundle{release: listed.Release, maps: listMaps(listed, files)}
	if len(b.maps) > maxMaps {
		return nil, refuseBundle("the bundle has %d source maps, at most %d are taken", len(b.maps), maxMaps)
	}
	left := int64(maxUnpacked)
	for _, m := range b.maps {
		if m.file.UncompressedSize64 > core.MaxSourceMap {
			return nil, refuseBundle("the source map of %s is larger than %d bytes", m.name, core.MaxSourceMap)
		}
		if left -= int64(m.file.UncompressedSize64); left < 0 {
			return nil, refuseBundle("the source maps are larger than %d bytes together", maxUnpacked)
		}
	}
	return b, nil
}

// openArchive reads the directory of the archive. What it says of itself is not believed: no more than maxDirectory is read.
func openArchive(data io.ReaderAt, size int64) (*zip.Reader, error) {
	if size < bundleHeader {
		return nil, refuseBundle("the bundle is not a zip archive")
	}
	header := make([]byte, bundleHeader)
	if _, err := data.ReadAt(header, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(header[:len(bundleMagic)]) == bundleMagic {
		if version := binary.LittleEndian.Uint32(header[len(bundleMagic):]); version != bundleVersion {
			return nil, refuseBundle("the bundle has version %d, not %d", version, bundleVersion)
		}
		data, size = io.NewSectionReader(data, bundleHeader, size-bundleHeader), size-bundleHeader
	}
	bounded := &boundedReader{data: data, left: maxDirectory}
	archive, err := zip.NewReader(bounded, size)
	switch {
	case err == nil:
		bounded.left = -1
		return archive, nil
	case errors.Is(err, errTooMuch):
		return nil, refuseBundle("the bundle has too many files")
	case bounded.failure != nil:
		return nil, bounded.failure
	}
	return nil, refuseBundle("the bundle is not a zip archive")
}

var errTooMuch = errors.New("more is read than is allowed")

// boundedReader reads a bounded number of bytes; any number when left is negative.
type boundedReader struct {
	data    io.ReaderAt
	left    int64
	failure error // of reading, not of what was read
}

func (r *boundedReader) ReadAt(into []byte, offset int64) (int, error) {
	if r.left < 0 {
		return r.data.ReadAt(into, offset)
	}
	if int64(len(into)) > r.left {
		return 0, errTooMuch
	}
	r.left -= int64(len(into))
	n, err := r.data.ReadAt(into, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		r.failure = err
	}
	return n, err
}

func readManifest(file *zip.File, into *manifest) error {
	if file == nil {
		return refuseBundle("the bundle has no manifest.json")
	}
	opened, err := openFile(file, maxManifest)
	if err != nil {
		return err
	}
	defer opened.Close()
	text, err := io.ReadAll(opened)
	if core.HasCode(err, core.InvalidRequest) {
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

// listMaps finds for each source map the minified files that it is for: those that name it, else the one with its debug id,
// else the one that has its name without .map.
func listMaps(listed manifest, files map[string]*zip.File) []bundledMap {
	byMap, byDebugID := map[string][]string{}, map[string]string{}
	for _, file := range listed.Files {
		if file.Type != typeMinified {
			continue
		}
		if reference := file.header("sourcemap", "x-sourcemap"); reference != "" && !strings.HasPrefix(reference, "data:") {
			byMap[joinURL(file.URL, reference)] = append(byMap[joinURL(file.URL, reference)], file.URL)
		}
		if id := file.header("debug-id"); id != "" {
			byDebugID[strings.ToLower(id)] = file.URL
		}
	}
	var maps []bundledMap
	for inZip, file := range listed.Files {
		if file.Type != typeMap || files[inZip] == nil {
			continue
		}
		id := strings.ToLower(cmp.Or(file.header("debug-id"), listed.DebugID))
		names := byMap[file.URL]
		if len(names) == 0 {
			names = []string{cmp.Or(byDebugID[id], strings.TrimSuffix(file.URL, ".map"))}
		}
		for _, name := range names {
			maps = append(maps, bundledMap{file: files[inZip], name: name, debugID: id})
		}
	}
	slices.SortFunc(maps, func(a, b bundledMap) int { return cmp.Compare(a.name, b.name) })
	return maps
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

// openMap opens the map for reading.
func (m bundledMap) openMap() (io.ReadCloser, error) { return openFile(m.file, core.MaxSourceMap) }

// openFile opens a file of the archive. Reading fails after a number of bytes, whatever size the archive says.
func openFile(file *zip.File, limit int64) (io.ReadCloser, error) {
	opened, err := file.Open()
	switch {
	case errors.Is(err, zip.ErrAlgorithm), errors.Is(err, zip.ErrFormat):
		return nil, refuseBundle("a file of the bundle cannot be unpacked")
	case err != nil:
		return nil, err
	}
	return &unpackedFile{ReadCloser: opened, left: limit}, nil
}

// unpackedFile is a file of an archive that is being unpacked.
type unpackedFile struct {
	io.ReadCloser
	left int64
}

func (f *unpackedFile) Read(into []byte) (int, error) {
	n, err := f.ReadCloser.Read(into)
	if f.left -= int64(n); f.left < 0 {
		return 0, core.RefuseField("", "a file of the bundle is larger than it may be")
	}
	if isBrokenZip(err) {
		return 0, core.RefuseField("", "a file of the bundle cannot be unpacked").Because(err)
	}
	return n, err
}

// isBrokenZip reports whether an error is of the packed data, not of reading it.
func isBrokenZip(err error) bool {
	if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	var corrupt flate.CorruptInputError
	return errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &corrupt)
}
