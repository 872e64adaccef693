package wire

import (
	"bytes"
	"compress/gzip"
	"mime"
	"net/http"
	"strings"
)

// worthCompressing is the smallest body in bytes that is sent compressed.
const worthCompressing = 1024

// CompressedBody is a body that is kept in both forms, because it is sent often.
type CompressedBody struct{ plain, compressed []byte }

// CompressBody compresses a body once for everybody who asks for it.
func CompressBody(body []byte) CompressedBody {
	return CompressedBody{body, compress(body, gzip.BestCompression)}
}

// Write answers with the body, compressed for a client that accepts it.
func (b CompressedBody) Write(w http.ResponseWriter, r *http.Request, status int, contentType string) {
	w.Header().Add("Vary", "Accept-Encoding")
	if len(b.plain) < worthCompressing || !takesGzip(r) {
		WriteBody(w, status, contentType, b.plain)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	WriteBody(w, status, contentType, b.compressed)
}

// WriteCompressed is WriteBody for a text that is made for one request. The text is compressed if the client accepts that.
func WriteCompressed(w http.ResponseWriter, r *http.Request, status int, contentType string, body []byte) {
	w.Header().Add("Vary", "Accept-Encoding")
	if len(body) >= worthCompressing && takesGzip(r) {
		w.Header().Set("Content-Encoding", "gzip")
		body = compress(body, gzip.DefaultCompression)
	}
	WriteBody(w, status, contentType, body)
}

func compress(body []byte, level int) []byte {
	var compressed bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&compressed, level) // all levels here are valid
	_, _ = writer.Write(body)                            // a buffer accepts everything
	_ = writer.Close()
	return compressed.Bytes()
}

// takesGzip reports whether a client accepts gzip.
func takesGzip(r *http.Request) bool {
	for accepted := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, parameters, err := mime.ParseMediaType(strings.TrimSpace(accepted))
		if err == nil && coding == "gzip" {
			return strings.Trim(parameters["q"], "0.") != "" || parameters["q"] == ""
		}
	}
	return false
}
