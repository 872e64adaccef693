package wire

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"errand/core"
)

// OpenFileBody returns the body of a request that carries a file, to be read as it arrives, up to maxBytes. Beyond
// that the reader returns payload_too_large.
func OpenFileBody(w http.ResponseWriter, r *http.Request, maxBytes int64) *core.FileBody {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		kind = "" // which no operation accepts
	}
	return &core.FileBody{Type: kind, Size: r.ContentLength, Reader: fileReader{http.MaxBytesReader(w, r.Body, maxBytes)}}
}

// fileReader turns the errors at the end of a body into errors of the API.
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
