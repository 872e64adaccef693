package store

import (
	"context"
	"strconv"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/singleflight"
)

// dictionaries keeps the compressors of the projects that send events, and the decompressors of the events that are
// read. A dictionary holds what the events of a project have in common; a dictionary that was ever used stays in the
// database for as long as its project.
type dictionaries struct {
	packers   *lru.Cache[int64, packer]        // by project
	unpackers *lru.Cache[int64, *zstd.Decoder] // by dictionary
	loading   singleflight.Group
}

// packer compresses the events of a project.
type packer struct {
	*zstd.Encoder
	dictionary int64 // 0: none
	until      time.Time
}

// rememberDictionary is how long a project's newest dictionary is taken to be the newest.
const rememberDictionary = 5 * time.Minute

func newDictionaries() *dictionaries {
	return &dictionaries{
		packers:   must(lru.New[int64, packer](64)),
		unpackers: must(lru.New[int64, *zstd.Decoder](32)),
	}
}

// packer gives the compressor for a project. When its dictionary cannot be read now, it compresses without one.
func (d *dictionaries) packer(ctx context.Context, s *Store, project int64) packer {
	known, ok := d.packers.Get(project)
	if ok && s.clock().Before(known.until) {
		return known
	}
	loaded, _, _ := d.loading.Do(strconv.FormatInt(project, 10), func() (any, error) {
		fresh := packer{Encoder: plainPacker, until: s.clock().Add(rememberDictionary)}
		row, err := one[dictionaryRow](ctx, s.pool, newestDictionary, args{"project_id": project})
		switch {
		case err == nil && ok && row.ID == known.dictionary:
			fresh.Encoder, fresh.dictionary = known.Encoder, known.dictionary
		case err == nil:
			if encoder, err := newPacker(zstd.WithEncoderDict(row.Content), zstd.WithEncoderConcurrency(2)); err == nil {
				fresh.Encoder, fresh.dictionary = encoder, row.ID
			}
		}
		d.packers.Add(project, fresh)
		return fresh, nil
	})
	return loaded.(packer)
}

// unpacker gives the decompressor for a dictionary of a project.
func (d *dictionaries) unpacker(ctx context.Context, s *Store, project, id int64) (*zstd.Decoder, error) {
	if id == 0 {
		return plainUnpacker, nil
	}
	if known, ok := d.unpackers.Get(id); ok {
		return known, nil
	}
	row, err := one[dictionaryRow](ctx, s.pool, oneDictionary, args{"project_id": project, "id": id})
	if err != nil {
		return nil, err
	}
	fresh, err := newUnpacker(zstd.WithDecoderDicts(row.Content))
	if err == nil {
		d.unpackers.Add(id, fresh)
	}
	return fresh, err
}

type dictionaryRow struct {
	ID      int64
	Content []byte
}

const (
	newestDictionary = `SELECT id, content FROM dictionaries WHERE project_id = @project_id ORDER BY id DESC LIMIT 1`
	oneDictionary    = `SELECT id, content FROM dictionaries WHERE project_id = @project_id AND id = @id`
	insertDictionary = `INSERT INTO dictionaries (project_id, id, created_at, content) VALUES (@project_id, @id, @now, @content)`
)

// AddDictionary stores a dictionary that make builds for the id that it gets.
func (s *Store) AddDictionary(ctx context.Context, project int64, make func(id uint32) ([]byte, error)) error {
	id, err := s.ids.one(ctx, dictionaryIDs)
	if err != nil {
		return err
	}
	content, err := make(uint32(id)) // the format has 32 bits; dictionaries are few
	if err != nil || content == nil {
		return err
	}
	_, err = exec(ctx, s.pool, insertDictionary, args{"project_id": project, "id": id, "now": s.Now(), "content": content})
	return err
}

// Projects that sent enough events lately to learn from, and have no dictionary that is young.
const untrainedProjects = `
SELECT h.project_id FROM project_hours h JOIN projects p ON p.id = h.project_id AND p.deleted_at IS NULL
WHERE h.hour >= @day_ago AND NOT EXISTS (SELECT 1 FROM dictionaries d WHERE d.project_id = h.project_id AND d.created_at > @week_ago)
GROUP BY h.project_id HAVING sum(h.events) >= @enough ORDER BY h.project_id`

// UntrainedProjects gives the projects that sent at least so many events in the last day and have had no new dictionary
// for a week.
func (s *Store) UntrainedProjects(ctx context.Context, enough int) ([]int64, error) {
	a := issueWindows(s.Now())
	a["enough"] = enough
	rows, err := many[struct{ ProjectID int64 }](ctx, s.pool, untrainedProjects, a)
	list := make([]int64, len(rows))
	for i, r := range rows {
		list[i] = r.ProjectID
	}
	return list, err
}

// The newest events of the issues that were seen last: many kinds, so that the dictionary is not one issue's.
const sampleEvents = `
SELECT e.payload, e.dictionary FROM (
	SELECT project_id, id FROM issues WHERE project_id = @project_id ORDER BY last_seen DESC, id DESC LIMIT 150
) i CROSS JOIN LATERAL (
	SELECT payload, dictionary FROM events WHERE project_id = i.project_id AND issue_id = i.id
	ORDER BY received_at DESC, id DESC LIMIT @each
) e LIMIT 500`

// SampleEvents gives the stored form of up to 500 recent events of a project, at most each of an issue.
func (s *Store) SampleEvents(ctx context.Context, project int64, each int) ([][]byte, error) {
	rows, err := many[struct {
		Payload    []byte
		Dictionary int64
	}](ctx, s.pool, sampleEvents, args{"project_id": project, "each": each})
	if err != nil {
		return nil, err
	}
	list := make([][]byte, len(rows))
	for i, r := range rows {
		if list[i], err = s.unpackText(ctx, project, Payload{r.Payload, r.Dictionary}); err != nil {
			return nil, err
		}
	}
	return list, nil
}
