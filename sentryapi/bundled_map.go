package sentryapi

import (
	"encoding/base64"
	"errors"
	"io"

	"errand/core"
	"errand/sourcemap"
)

// sizeLimit returns the largest size of the file with the map, in bytes.
func (m bundledMap) sizeLimit() int64 {
	if m.isInline {
		return maxInline
	}
	return core.MaxSourceMap
}

// openMap opens the map for reading.
func (m bundledMap) openMap() (io.ReadCloser, error) {
	if !m.isInline {
		return openFile(m.file, core.MaxSourceMap)
	}
	start, err := m.findInline()
	if err != nil {
		return nil, err
	}
	file, err := openFile(m.file, maxInline)
	if err != nil {
		return nil, err
	}
	if _, err = io.CopyN(io.Discard, file, start); err == nil {
		var text io.Reader
		if text, err = sourcemap.NewInlineReader(file); err == nil {
			return &unpackedFile{inlineMap{text, file}, core.MaxSourceMap}, nil
		}
	}
	return nil, errors.Join(explainInline(err), file.Close())
}

// findInline returns the start of the map's data: URL. The file is unpacked twice, so that it need not be in memory.
func (m bundledMap) findInline() (int64, error) {
	file, err := openFile(m.file, maxInline)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	start, err := sourcemap.FindInlineMap(file)
	if err != nil {
		return 0, explainInline(err)
	}
	if start < 0 {
		return 0, refuseBundle("it says that its source map is in it, but has none")
	}
	return start, nil
}

// inlineMap is a map that is read from its minified file.
type inlineMap struct {
	text io.Reader
	io.Closer
}

func (m inlineMap) Read(into []byte) (int, error) {
	n, err := m.text.Read(into)
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	return n, explainInline(err)
}

// explainInline turns an error of the text into a refusal. An error of unpacking already is one.
func explainInline(err error) error {
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, sourcemap.ErrNotInline) {
		return core.RefuseField("", "the source map in the file is not a data: URL of JSON that can be decoded").Because(err)
	}
	return err
}
