package wire

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"

	"errand/core"
)

// OpenFileBody returns the body of a request that is a file, to be read as it comes in. A type that the operation does not take
// is unsupported_media_type. A body that is too large is payload_too_large: at once when its length is said, else as the error
// of the reader.
func OpenFileBody(w http.ResponseWriter, r *http.Request, form *core.BodyForm) (*core.FileBody, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(form.Types, kind) {
		return nil, core.NewError(core.UnsupportedMedia).With("supported", form.Types)
	}
	if r.ContentLength > form.MaxBytes {
		return nil, core.NewError(core.PayloadTooLarge).With("max_bytes", form.MaxBytes)
	}
	return &core.FileBody{Type: kind, Reader: fileReader{http.MaxBytesReader(w, r.Body, form.MaxBytes)}}, nil
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
		err = core.Invalid("", "the body must be sent to its end").Because(err)
	}
	return n, err
}
