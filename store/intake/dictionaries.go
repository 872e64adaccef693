package intake

import (
	"context"
	"strconv"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/singleflight"

	"errand/core"
	"errand/store/pg"
)

// dictionaries keeps the compressors of the projects that send events, and the decompressors of the events that are
// read. A dictionary holds what the events of a project have in common; a dictionary that was ever used stays in the
// database for as long as its project.
type dictionaries struct {
	packers   *lru.Cache[int64, packer]        // by project; about 1 MB each
	unpackers *lru.Cache[int64, *zstd.Decoder] // by dictionary
	loading   singleflight.Group
}

// packer compresses the events of a project.
type packer struct {
	*zstd.Encoder
	dictionary int64 // 0: none
	until      time.Time
}

const (
	// rememberDictionary is how long a project's newest dictionary is taken to be the newest.
	rememberDictionary = time.Minute
	// findDictionary is how long an event waits for its project's dictionary, and how long the others go without when it
	// cannot be read.
	findDictionary = time.Second
)

func newDictionaries() *dictionaries {
	return &dictionaries{
		packers:   must(lru.New[int64, packer](24)),
		unpackers: must(lru.New[int64, *zstd.Decoder](32)),
	}
}

// packer gives the compressor for a project. When its dictionary cannot be read now, it is what it was before.
func (d *dictionaries) packer(ctx context.Context, w *Writer, project int64) packer {
	known, ok := d.packers.Get(project)
	if ok && w.db.Now().Time.Before(known.until) {
		return known
	}
	loaded, _, _ := d.loading.Do(strconv.FormatInt(project, 10), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), findDictionary)
		defer cancel()
		fresh := known
		if !ok {
			fresh.Encoder = plainPacker
		}
		row, err := pg.QueryOne[dictionaryRow](ctx, w.db.Writer, newestDictionary, pg.Args{"project_id": project})
		switch {
		case err == nil && row.ID != fresh.dictionary:
			fresh.Encoder, fresh.dictionary = must(newPacker(zstd.WithEncoderDictRaw(uint32(row.ID), row.Content), zstd.WithEncoderConcurrency(1))), row.ID
			fallthrough
		case err == nil, core.HasCode(err, core.NotFound):
			fresh.until = w.db.Now().Time.Add(rememberDictionary)
		default:
			fresh.until = w.db.Now().Time.Add(findDictionary)
		}
		d.packers.Add(project, fresh)
		return fresh, nil
	})
	return loaded.(packer)
}

// unpacker gives the decompressor for a dictionary of a project.
func (d *dictionaries) unpacker(ctx context.Context, w *Writer, project, id int64) (*zstd.Decoder, error) {
	if id == 0 {
		return plainUnpacker, nil
	}
	if known, ok := d.unpackers.Get(id); ok {
		return known, nil
	}
	row, err := pg.QueryOne[dictionaryRow](ctx, w.db.Main, oneDictionary, pg.Args{"project_id": project, "id": id})
	if err != nil {
		return nil, err
	}
	fresh, err := newUnpacker(zstd.WithDecoderDictRaw(uint32(id), row.Content))
	if err == nil {
		d.unpackers.Add(id, fresh)
	}
	return fresh, err
}

type dictionaryRow struct {
	ID      int64 // below 2^32, which the format has for it: dictionaries are few
	Content []byte
}

const (
	newestDictionary = `SELECT id, content FROM dictionaries WHERE project_id = @project_id ORDER BY id DESC LIMIT 1`
	oneDictionary    = `SELECT id, content FROM dictionaries WHERE project_id = @project_id AND id = @id`
)
