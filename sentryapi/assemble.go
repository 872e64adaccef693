package sentryapi

import (
	"cmp"
	"context"
	"crypto/sha1" //nolint:gosec // the protocol names files with it
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"errand/core"
)

// The states of an upload, in Sentry's words.
const (
	stateMissing = "not_found" // pieces are missing
	stateDone    = "ok"
	stateFailed  = "error"
)

// assembly is the answer about an upload.
type assembly struct {
	State         string    `json:"state"`
	MissingChunks []string  `json:"missingChunks"`
	Detail        core.Text `json:"detail"`
}

// bundleUpload is the request to assemble a bundle.
type bundleUpload struct {
	Checksum string   `json:"checksum"`
	Chunks   []string `json:"chunks"`
	Projects []string `json:"projects"`
	Version  string   `json:"version"`
	Dist     string   `json:"dist"`
}

// assembleBundle assembles the pieces of a bundle and stores its source maps. Clients also call it before the upload,
// to learn which pieces are missing.
func (s *server) assembleBundle(r *request) (int, any, error) {
	var in bundleUpload
	if err := r.readBody(&in); err != nil {
		return 0, nil, err
	}
	switch {
	case s.Chunks == nil:
		return 0, nil, core.NewError(core.StorageNotConfigured)
	case len(in.Chunks) == 0 || len(in.Chunks) > maxChunks:
		return 0, nil, core.RefuseField("chunks", "must be 1 to %d", maxChunks)
	}
	projects, err := s.findProjects(r, "", in.Projects)
	if err != nil {
		return 0, nil, err
	}
	owner := ownerOf(r.call.Actor)
	key := assemblyKey(owner, in, projects)
	endUse := s.assemblies.usePieces(owner, in.Chunks)
	answer, err := s.assemble(r, owner, in, projects)
	free := endUse()
	if err != nil {
		return 0, nil, err
	}
	if answer.State == stateMissing {
		if s.assemblies.isDone(key, s.Clock()) {
			answer = assembly{State: stateDone, MissingChunks: []string{}}
		}
		return http.StatusOK, answer, nil
	}
	if answer.State == stateDone {
		s.assemblies.noteDone(key, s.Clock())
	}
	return http.StatusOK, answer, s.Chunks.DropChunks(r.Context(), owner, free)
}

// assemble assembles a bundle, unless pieces are missing. It does not delete the pieces.
func (s *server) assemble(r *request, owner string, in bundleUpload, projects []int64) (assembly, error) {
	missing, err := s.Chunks.FindMissing(r.Context(), owner, in.Chunks)
	if err != nil || len(missing) > 0 {
		return assembly{State: stateMissing, MissingChunks: missing}, err
	}
	endTurn, err := s.assemblies.takeTurn(r.Context())
	if err != nil {
		return assembly{}, err
	}
	defer endTurn()
	answer := assembly{State: stateDone, MissingChunks: []string{}}
	var refused *refusedBundle
	if err := s.storeBundle(r, owner, in, projects); errors.As(err, &refused) {
		answer.State, answer.Detail = stateFailed, core.Text(refused.reason)
	} else if err != nil {
		return assembly{}, err
	}
	return answer, nil
}

// refusedBundle is the error for a bundle that cannot be accepted, or only in part. The sender sees the reason.
type refusedBundle struct{ reason string }

func (e *refusedBundle) Error() string { return e.reason }

func refuseBundle(format string, args ...any) error {
	return &refusedBundle{fmt.Sprintf(format, args...)}
}

func (s *server) storeBundle(r *request, owner string, in bundleUpload, projects []int64) error {
	whole, err := s.Chunks.OpenWhole(r.Context(), owner, in.Chunks)
	if err != nil {
		return err
	}
	defer whole.Close()
	if err := checkWhole(r.Context(), whole, in.Checksum); err != nil {
		return err
	}
	opened, err := openBundle(whole, whole.Size())
	if err != nil {
		return err
	}
	var refusals []string
	for _, m := range opened.maps {
		reason, err := s.storeMap(r, opened, m, in, projects)
		if err != nil {
			return err
		}
		if reason != "" {
			refusals = append(refusals, m.name+": "+reason)
		}
	}
	if len(refusals) > 0 {
		return refuseBundle("%d of %d source maps were refused, the others are stored: %s", len(refusals), len(opened.maps),
			strings.Join(refusals[:min(len(refusals), maxNamed)], "; "))
	}
	return nil
}

// maxNamed is how many refused source maps are named.
const maxNamed = 10

// checkWhole compares a file with the SHA-1 that was announced for it.
func checkWhole(ctx context.Context, whole Whole, checksum string) error {
	if whole.Size() > maxBundle {
		return refuseBundle("the bundle is larger than %d bytes", maxBundle)
	}
	sum := sha1.New() //nolint:gosec // see above
	buffer, section := make([]byte, 1<<20), io.NewSectionReader(whole, 0, whole.Size())
	for {
		n, err := section.Read(buffer)
		sum.Write(buffer[:n])
		if errors.Is(err, io.EOF) {
			break
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != checksum {
		return refuseBundle("the checksum of the bundle is %s, not what was said", got)
	}
	return nil
}

// storeMap stores one source map in each project. If it was refused, it returns the reason.
func (s *server) storeMap(r *request, b *bundle, m bundledMap, in bundleUpload, projects []int64) (reason string, err error) {
	release := releaseOf(m, b, in.Version)
	if release == "" {
		return "it has no debug id and the upload names no release: use --release, or sentry-cli sourcemaps inject", nil
	}
	for _, project := range projects {
		file, err := m.openMap()
		if refused := (*refusedBundle)(nil); errors.As(err, &refused) {
			return refused.reason, nil
		}
		if core.HasCode(err, core.InvalidRequest) {
			return describeFailure(core.AsError(err)), nil
		}
		if err != nil {
			return "", err
		}
		call := r.call
		call.Body = &core.FileBody{Type: core.SourceMapJSON, Reader: file, IsOfBuild: true, DebugID: m.debugID}
		args := map[string]any{"project": fmt.Sprint(project), "release": release, "name": m.name}
		if dist := cmp.Or(in.Dist, b.dist); dist != "" {
			args["dist"] = dist
		}
		_, failure := s.Registry.Call(r.Context(), core.UploadSourceMap.Operation, call, args)
		_ = file.Close() // only read
		switch {
		case failure == nil:
		case failure.Code == core.InvalidRequest, failure.Code == core.InvalidSourceMap, failure.Code == core.Limit:
			return describeFailure(failure), nil
		default:
			return "", failure
		}
	}
	return "", nil
}

// releaseOf returns the release to store a map under. Without one, the map's debug id stands in for the release: the
// map is found by it, and maps of other builds with the same names stay.
func releaseOf(m bundledMap, b *bundle, version string) string {
	for _, release := range []string{version, b.release, m.debugID} {
		if release != "" {
			return release
		}
	}
	return ""
}
