package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"errand/core"
	"errand/sourcemap"
)

// madeIndex is the index of an uploaded source map before it is stored.
type madeIndex struct {
	summary sourcemap.Summary
	sha256  string           // of the index's bytes
	reader  func() io.Reader // each starts at the beginning
	close   func()
}

// readIndex makes the index of the source map in a body, or reads and checks a finished one.
func readIndex(body *core.FileBody) (*madeIndex, error) {
	if body.Type == core.SourceMapIndex {
		return receiveIndex(body.Reader)
	}
	build := sourcemap.BuildIndex
	if body.IsOfBuild {
		build = sourcemap.BuildFlatIndex
	}
	built, err := build(body.Reader)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if _, err := built.WriteTo(sum); err != nil {
		return nil, err
	}
	return &madeIndex{summary: built.Summary(), sha256: hex.EncodeToString(sum.Sum(nil)), reader: built.Reader, close: func() {}}, nil
}

// receiveIndex reads an index into a temporary file, since it may be too large for memory.
func receiveIndex(body io.Reader) (_ *madeIndex, err error) {
	file, err := os.CreateTemp("", "errand-index-")
	if err != nil {
		return nil, err
	}
	index := &madeIndex{close: func() { _, _ = file.Close(), os.Remove(file.Name()) }}
	defer func() {
		if err != nil {
			index.close()
		}
	}()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(file, sum), body)
	if err != nil {
		return nil, err
	}
	if index.summary, err = sourcemap.CheckIndex(file, size); err != nil {
		return nil, err
	}
	index.sha256 = hex.EncodeToString(sum.Sum(nil))
	index.reader = func() io.Reader { return io.NewSectionReader(file, 0, size) }
	return index, nil
}
