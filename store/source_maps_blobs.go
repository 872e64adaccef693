package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"errand/core"
	"errand/store/pg"
)

// SourceMapPrefix begins the keys of the blobs of source maps.
const SourceMapPrefix = "sourcemaps/"

const (
	// blobOfSourceMap is the blob of source map m: the first versions named it after the id of its only map.
	blobOfSourceMap = `coalesce(m.blob, m.id::text)`
	findSameBlob    = `
SELECT m.blob FROM source_maps m
WHERE m.project_id = @project_id AND m.blob >= @content || '-' AND m.blob < @content || '.' ORDER BY m.id LIMIT 1`
	// While the row is locked, a deletion of the last map with the blob waits, and then finds this map.
	holdSameBlob = `
SELECT m.id FROM source_maps m WHERE m.project_id = @project_id AND m.blob = @blob ORDER BY m.id LIMIT 1 FOR SHARE`
	findKnownBlobs = `
SELECT k.key FROM unnest(@keys::text[], @projects::bigint[], @blobs::text[], @ids::bigint[]) AS k (key, project_id, blob, id)
WHERE EXISTS (SELECT 1 FROM source_maps m WHERE m.project_id = k.project_id AND m.blob = k.blob AND /* of some projects: m */ true)
	OR EXISTS (SELECT 1 FROM source_maps m WHERE m.project_id = k.project_id AND m.id = k.id AND m.blob IS NULL
		AND /* of some projects: m */ true)`
	takeSourceMapTurn = `SELECT pg_advisory_xact_lock(hashtextextended('source_maps', @project_id))`
	sumSourceMaps     = `
SELECT coalesce(sum(size), 0)::bigint AS bytes FROM (
	SELECT max(m.size) + @each::bigint * count(*) AS size FROM source_maps m
	WHERE m.project_id = @project_id GROUP BY ` + blobOfSourceMap + `) AS b`
)

// bytesOfName is the size that a source map's name counts for, in addition to its blob, which it may share: roughly its row
// with the indexes.
const bytesOfName = 1 << 10

// contentLength is how many hexadecimal digits of the SHA-256 of an index are in the name of its blob.
const contentLength = 32

// NameBlob returns the name of a new blob, from the id of its map and the SHA-256 of its index in hexadecimal. If a copy of
// the database uses the same id for another map, the blob still gets another name.
func NameBlob(sha256 string, id int64) string {
	return sha256[:contentLength] + "-" + strconv.FormatInt(id, 10)
}

// KeyOfBlob returns the key of a blob of a project.
func KeyOfBlob(project int64, blob string) string {
	return fmt.Sprintf("%s%d/%s", SourceMapPrefix, project, blob)
}

// parseBlobKey is the inverse of KeyOfBlob. Other keys are not ours to delete.
func parseBlobKey(key string) (project int64, blob string, ok bool) {
	projectText, blob, ok := strings.Cut(strings.TrimPrefix(key, SourceMapPrefix), "/")
	project, err := strconv.ParseInt(projectText, 10, 64)
	id := blob
	if len(blob) > contentLength && blob[contentLength] == '-' {
		id = blob[contentLength+1:]
	}
	_, errID := strconv.ParseInt(id, 10, 64)
	return project, blob, ok && err == nil && errID == nil && KeyOfBlob(project, blob) == key
}

// FindSameBlob returns the blob of a project's map whose index has the SHA-256, or "".
func (s *Store) FindSameBlob(ctx context.Context, project int64, sha256 string) (string, error) {
	rows, err := pg.QueryMany[struct{ Blob string }](ctx, s.db.Main, findSameBlob,
		pg.Args{"project_id": project, "content": sha256[:contentLength]})
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0].Blob, nil
}

// takeSourceMapTurn makes the uploads of a project wait for each other, so that they cannot exceed the bound together.
func (t *tx) takeSourceMapTurn(ctx context.Context, project int64) error {
	_, err := pg.Exec(ctx, t, takeSourceMapTurn, pg.Args{"project_id": project})
	return err
}

// holdBlob keeps the blob of another map from being deleted until the transaction has ended. If it is gone, the error is ErrBlobGone.
func (t *tx) holdBlob(ctx context.Context, n NewSourceMap) error {
	if strings.HasSuffix(n.Blob, "-"+strconv.FormatInt(n.ID, 10)) {
		return nil // the map's own blob
	}
	rows, err := pg.QueryMany[struct{ ID int64 }](ctx, t, holdSameBlob, pg.Args{"project_id": n.ProjectID, "blob": n.Blob})
	if err == nil && len(rows) == 0 {
		err = ErrBlobGone
	}
	return err
}

// checkSourceMapRoom refuses a map when the source maps of the project together exceed the bound.
func (t *tx) checkSourceMapRoom(ctx context.Context, project, maxMB int64) error {
	sum, err := pg.QueryOne[struct{ Bytes int64 }](ctx, t, sumSourceMaps, pg.Args{"project_id": project, "each": bytesOfName})
	if err != nil {
		return err
	}
	if sum.Bytes > maxMB<<20 {
		return core.NewError(core.Limit).With("message", fmt.Sprintf(
			"the source maps of the project would have %d MB, and SOURCE_MAPS_MAX_MB is %d: delete those of old releases, or raise it",
			(sum.Bytes+1<<20-1)>>20, maxMB))
	}
	return nil
}

// FoundBlobs are keys of blobs, sorted by whether a source map has them.
type FoundBlobs struct {
	Known []string
	Stray []string // left by an interrupted upload or a deleted map or project; also the blobs of running uploads
}

// FindBlobs looks for the source maps that have the blobs. Keys of other kinds of blobs are in neither list.
func (s *Store) FindBlobs(ctx context.Context, keys []string) (FoundBlobs, error) {
	var asked, blobs []string
	var projects, ids []int64
	for _, key := range keys {
		if project, blob, ok := parseBlobKey(key); ok {
			id, _ := strconv.ParseInt(blob, 10, 64) // 0 unless the first versions made it; no map has the id 0
			asked, projects, blobs, ids = append(asked, key), append(projects, project), append(blobs, blob), append(ids, id)
		}
	}
	args := pg.Args{"keys": asked, "projects": projects, "blobs": blobs, "ids": ids}
	rows, err := pg.QueryEach[struct{ Key string }](ctx, s.db, s.db.Main, findKnownBlobs, args, projects)
	if err != nil {
		return FoundBlobs{}, err
	}
	var found FoundBlobs
	isKnown := make(map[string]bool, len(rows))
	for _, row := range rows {
		isKnown[row.Key] = true
		found.Known = append(found.Known, row.Key)
	}
	for _, key := range asked {
		if !isKnown[key] {
			found.Stray = append(found.Stray, key)
		}
	}
	return found, nil
}
