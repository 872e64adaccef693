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

// dictionaries keeps the compressors of projects that send events, and the decompressors of events that are read. A
// dictionary holds what the events of a project have in common; once used, it stays in the database as long as its events.
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
	// dictionaryAge is how long the newest dictionary that was read for a project counts as its newest.
	dictionaryAge = time.Minute
	// dictionaryWait is how long an event waits for its project's dictionary. If that cannot be read, the next events do
	// without it for as long.
	dictionaryWait = time.Second
)

func newDictionaries() *dictionaries {
	return &dictionaries{
		packers:   mustSucceed(lru.New[int64, packer](24)),
		unpackers: mustSucceed(lru.New[int64, *zstd.Decoder](32)),
	}
}

// findPacker returns the compressor for a project. While the dictionary cannot be read, it returns the previous compressor.
func (d *dictionaries) findPacker(ctx context.Context, w *Writer, project int64) packer {
	cached, ok := d.packers.Get(project)
	if ok && w.db.Now().Time.Before(cached.until) {
		return cached
	}
	loaded, _, _ := d.loading.Do(strconv.FormatInt(project, 10), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dictionaryWait)
		defer cancel()
		newest := cached
		if !ok {
			newest.Encoder = plainPacker
		}
		var row dictionaryRow
		err := w.db.OnShard(ctx, []int64{project}, func(on *pg.WriterPool) (err error) {
			row, err = pg.QueryOne[dictionaryRow](ctx, on, findNewestDictionary, pg.Args{"project_id": project})
			return err
		})
		switch {
		case err == nil && row.ID != newest.dictionary:
			withDictionary := zstd.WithEncoderDictRaw(uint32(row.ID), row.Content)
			newest.Encoder, newest.dictionary = mustSucceed(newPacker(withDictionary, zstd.WithEncoderConcurrency(1))), row.ID
			fallthrough
		case err == nil, core.HasCode(err, core.NotFound):
			newest.until = w.db.Now().Time.Add(dictionaryAge)
		default:
			newest.until = w.db.Now().Time.Add(dictionaryWait)
		}
		d.packers.Add(project, newest)
		return newest, nil
	})
	return loaded.(packer)
}

// findUnpacker returns the decompressor for a dictionary of a project.
func (d *dictionaries) findUnpacker(ctx context.Context, w *Writer, project, id int64) (*zstd.Decoder, error) {
	if id == 0 {
		return plainUnpacker, nil
	}
	if cached, ok := d.unpackers.Get(id); ok {
		return cached, nil
	}
	row, err := pg.QueryOne[dictionaryRow](ctx, w.db.Main, readDictionary, pg.Args{"project_id": project, "id": id})
	if err != nil {
		return nil, err
	}
	newest, err := newUnpacker(zstd.WithDecoderDictRaw(uint32(id), row.Content))
	if err == nil {
		d.unpackers.Add(id, newest)
	}
	return newest, err
}

type dictionaryRow struct {
	ID      int64 // below 2^32, the limit of the format: dictionaries are few
	Content []byte
}

const (
	findNewestDictionary = `SELECT id, content FROM dictionaries WHERE project_id = @project_id ORDER BY id DESC LIMIT 1`
	readDictionary       = `SELECT id, content FROM dictionaries WHERE project_id = @project_id AND id = @id`
)
