package wire

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"errand/core"
)

// OpenFileBody returns the body of a request that is a file, to be read as it comes in, up to maxBytes. One that is too large is
// payload_too_large, as the error of the reader.
func OpenFileBody(w http.ResponseWriter, r *http.Request, maxBytes int64) *core.FileBody {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		kind = "" // which no operation takes
	}
	return &core.FileBody{Type: kind, Size: r.ContentLength, Reader: fileReader{http.MaxBytesReader(w, r.Body, maxBytes)}}
}

// fileReader makes errors of the API of those that a body ends with.
type fileReader struct{ body io.Reader }

// Read reads from the body.
func (f fileReader) Read(into []byte) (int, error) {
	n, err := f.body.Read(into)
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
	case errors.As(err, &tooLarge):
		err = core.NewError(core.PayloadTooLarge).With("max_bytes", tooLarge.Limit)
	default:
		err = core.RefuseField("", "the body must be sent to its end").Because(err)
	}
	return n, err
}
