package sentryapi

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"errand/core"
)

// The bounds of uploads, in bytes. sentry-cli learns of them and keeps to them.
const (
	ChunkSize        = 4 << 20 // of one piece
	chunksPerRequest = 8
	maxRequest       = ChunkSize*chunksPerRequest + 1<<20 // with the parts around the pieces
	maxBundle        = 256 << 20
	maxChunks        = maxBundle / ChunkSize // of one bundle
)

// uploadConcurrency is how many requests of one upload sentry-cli may send in parallel.
const uploadConcurrency = 2

// showChunkOptions answers how to upload.
func (s *server) showChunkOptions(r *request) (int, any, error) {
	if s.Chunks == nil {
		return 0, nil, core.NewError(core.StorageNotConfigured)
	}
	return http.StatusOK, map[string]any{
		"url":       s.chunkURL(r),
		"chunkSize": ChunkSize, "chunksPerRequest": chunksPerRequest, "maxRequestSize": ChunkSize * chunksPerRequest,
		"maxFileSize": maxBundle, "maxWait": 0, "concurrency": uploadConcurrency, "hashAlgorithm": "sha1", "compression": []string{"gzip"},
		"accept": []string{"artifact_bundles", "artifact_bundles_v2", "release_files", "sources"},
	}, nil
}

// chunkURL returns where to send pieces. sentry-cli accepts a path, which is right under every name of the server. The plugins' client,
// whose User-Agent also names its platform, accepts only a URL, with the host that it is configured with.
func (s *server) chunkURL(r *request) string {
	path := "/api/0/organizations/" + url.PathEscape(r.pathPart("org")) + "/chunk-upload/"
	if agent := r.UserAgent(); strings.HasPrefix(agent, "sentry-cli/") && !strings.Contains(agent, " ") {
		return path
	}
	return strings.TrimSuffix(s.BaseURL(), "/") + path
}

// ownerOf returns the owner of a caller's pieces: nobody else can assemble them, or fill them up.
func ownerOf(actor core.Actor) string {
	switch {
	case actor.ProjectID != 0:
		return fmt.Sprintf("project-%d", int64(actor.ProjectID))
	case actor.ID != 0:
		return fmt.Sprintf("token-%d", int64(actor.ID))
	default:
		return "admin"
	}
}

// takeChunks keeps the pieces in a request. The name of each is its SHA-1.
func (s *server) takeChunks(r *request) (int, any, error) {
	if s.Chunks == nil {
		return 0, nil, core.NewError(core.StorageNotConfigured)
	}
	r.Body = http.MaxBytesReader(r.writer, r.Body, maxRequest)
	form, err := r.MultipartReader()
	if err != nil {
		return 0, nil, core.RefuseField("", "the body must be a multipart form").Because(err)
	}
	for range chunksPerRequest {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return http.StatusOK, struct{}{}, nil
		}
		if err != nil {
			return 0, nil, explainBody(err)
		}
		if err := s.takeChunk(r, part); err != nil {
			return 0, nil, explainBody(err)
		}
	}
	if _, err := form.NextPart(); !errors.Is(err, io.EOF) {
		return 0, nil, core.RefuseField("", "at most %d pieces are taken at once", chunksPerRequest)
	}
	return http.StatusOK, struct{}{}, nil
}

func (s *server) takeChunk(r *request, part *multipart.Part) error {
	defer part.Close()
	var data io.Reader = part
	switch part.FormName() {
	case "file":
	case "file_gzip":
		unpacked, err := gzip.NewReader(part)
		if err != nil {
			return core.RefuseField("file_gzip", "must be packed with gzip").Because(err)
		}
		data = unpacked
	default:
		return core.RefuseField("", "the parts of the form must be file or file_gzip")
	}
	return s.Chunks.PutChunk(r.Context(), ownerOf(r.call.Actor), part.FileName(), data)
}

// explainBody turns the errors of a broken body into errors of the API.
func explainBody(err error) error {
	var known *core.Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &tooLarge):
		return core.NewError(core.PayloadTooLarge).With("max_bytes", tooLarge.Limit)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return core.RefuseField("", "the body must be whole, and packed as it says").Because(err)
	}
	return err
}
