package sentryapi

import (
	"archive/zip"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"

	"errand/core"
)

// The bounds of a bundle: how much is unpacked, and how much is read to find its contents.
const (
	maxDirectory = 4 << 20
	maxUnpacked  = 1 << 30               // of all source maps
	maxInline    = 3 * core.MaxSourceMap // of a file that contains its map, which is a third longer in base 64
	maxMaps      = 5000
)

// The start of a bundle, before its zip archive.
const (
	bundleMagic   = "SYSB"
	bundleVersion = 2
	bundleHeader  = 8
)

// bundle is an opened artifact bundle: the files of a build, as sentry-cli uploads them.
type bundle struct {
	release, dist string
	maps          []bundledMap
}

// bundledMap is a source map in a bundle, with its minified file.
type bundledMap struct {
	file     *zip.File
	name     string // of the minified file
	debugID  string
	isInline bool // file is the minified file, which contains the map in a comment
}

// openBundle reads the contents of a bundle. It also accepts a plain zip archive. A broken one is a refusedBundle.
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
	b := &bundle{release: listed.Release, dist: listed.Dist, maps: listMaps(listed, files)}
	if len(b.maps) > maxMaps {
		return nil, refuseBundle("the bundle has %d source maps, at most %d are taken", len(b.maps), maxMaps)
	}
	left := int64(maxUnpacked)
	for _, m := range b.maps {
		if m.file.UncompressedSize64 > uint64(m.sizeLimit()) {
			return nil, refuseBundle("the source map of %s is larger than %d bytes", m.name, m.sizeLimit())
		}
		if left -= int64(m.file.UncompressedSize64); left < 0 {
			return nil, refuseBundle("the source maps are larger than %d bytes together", maxUnpacked)
		}
	}
	return b, nil
}

// openArchive reads the directory of the archive. It does not trust the archive's own sizes: it reads at most maxDirectory.
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
	failure error // an error of reading, not of what was read
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

// openFile opens a file of the archive. Reading fails beyond limit bytes, regardless of the size in the archive.
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

// isBrokenZip reports whether an error comes from the packed data rather than from reading it.
func isBrokenZip(err error) bool {
	if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	var corrupt flate.CorruptInputError
	return errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &corrupt)
}
