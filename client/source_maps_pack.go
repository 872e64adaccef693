package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"errand/core"
	"errand/sourcemap"
)

// packMap prepares a map for the upload: the map itself, or an index of it if the map is larger than the API takes or has
// sections, which the API refuses. The server makes the same index, and checks it.
func (m *emittedMap) packMap(w io.Writer) error {
	isLarge := len(m.text) > core.MaxSourceMap
	if !isLarge && !hasSections(m.text) {
		m.kind, m.body = core.SourceMapJSON, m.text
		return nil
	}
	if isLarge {
		fmt.Fprintf(w, "  its map has %d MB, an upload at most %d: an index is made of it here\n", len(m.text)>>20, core.MaxSourceMap>>20)
	}
	built, err := sourcemap.BuildFlatIndex(bytes.NewReader(m.text))
	if err != nil {
		return err
	}
	if size := built.Summary().Size; size > core.MaxSourceMap {
		return fmt.Errorf("its source map has %d MB, and even the index of it %d, more than the %d that can be uploaded: "+
			"let the build split the file, or leave out sourcesContent", len(m.text)>>20, size>>20, core.MaxSourceMap>>20)
	}
	var index bytes.Buffer
	if _, err := built.WriteTo(&index); err != nil {
		return err
	}
	m.kind, m.body = core.SourceMapIndex, index.Bytes()
	return nil
}

// hasSections reports whether a map consists of sections.
func hasSections(text []byte) bool {
	var m struct {
		Sections json.RawMessage `json:"sections"`
	}
	return json.Unmarshal(text, &m) == nil && m.Sections != nil
}

// checkMap finds the faults that the server would refuse the map for.
func (m *emittedMap) checkMap() error {
	if m.kind == core.SourceMapIndex {
		return nil // making it has checked the map
	}
	_, err := sourcemap.BuildIndex(bytes.NewReader(m.text))
	return err
}

// progressStep is how many bytes of a large upload are sent between two lines about its progress.
const progressStep = 8 << 20

// progressReader is a body that reports its progress while it is sent.
type progressReader struct {
	body        io.Reader
	w           io.Writer
	sent, total int
}

func newProgressReader(body []byte, w io.Writer) *progressReader {
	return &progressReader{body: bytes.NewReader(body), w: w, total: len(body)}
}

func (r *progressReader) Read(into []byte) (int, error) {
	count, err := r.body.Read(into)
	before := r.sent / progressStep
	if r.sent += count; r.sent/progressStep > before && r.sent < r.total {
		fmt.Fprintf(r.w, "  sent %d of %d MB\n", r.sent>>20, r.total>>20)
	}
	return count, err
}
