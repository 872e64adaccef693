package sourcemap

import (
	"errors"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Cache keeps pages of indexes that are being read, for all maps together. It is safe for concurrent use. Pages that nobody asks
// for between two calls of DropIdle are dropped, so that idle maps hold no memory.
type Cache struct {
	decoder *zstd.Decoder
	limit   int // bytes of each generation

	mu       sync.Mutex
	recent   map[pageKey][]byte // asked for in this generation
	previous map[pageKey][]byte // asked for in the one before
	size     int                // bytes in recent
	hits     uint64
	misses   uint64
	loading  map[pageKey]*loadingPage // by findOnce
}

// loadingPage is a page that is being made, for all callers that want it.
type loadingPage struct {
	making sync.Once
	page   []byte
	err    error
}

// pageKey names a page. The hash identifies the index, so that equal maps, opened again or in two projects, share pages.
type pageKey struct {
	hash   [32]byte
	kind   pageKind
	number uint32
}

// pageKind is the kind of content in a page.
type pageKind uint8

const (
	filePage     pageKind = iota // bytes of the index
	contentPage                  // an unpacked block of contents
	functionPage                 // the functions of the source whose content begins there
)

// errNotMade is the error for other callers when the maker of a page panicked.
var errNotMade = errors.New("a page of a source map could not be made")

// NewCache makes a cache of at most limit bytes.
func NewCache(limit int) *Cache {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(contentBlock),
		zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err) // only wrong options
	}
	return &Cache{decoder: decoder, limit: limit / 2, recent: map[pageKey][]byte{}, loading: map[pageKey]*loadingPage{}}
}

// DropIdle drops the pages that nobody asked for since the last call.
func (c *Cache) DropIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.startGeneration()
}

// CountReads returns how often, since the start, the cache had a requested page, and how often not.
func (c *Cache) CountReads() (hits, misses uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hits, c.misses
}

// startGeneration begins a new generation.
func (c *Cache) startGeneration() {
	c.previous, c.recent, c.size = c.recent, map[pageKey][]byte{}, 0
}

// findPage returns the page, or makes it with load. Concurrent callers may both load it.
func (c *Cache) findPage(key pageKey, load func() ([]byte, error)) ([]byte, error) {
	c.mu.Lock()
	page, ok := c.recent[key]
	if !ok {
		if page, ok = c.previous[key]; ok {
			c.keepPage(key, page)
		}
	}
	if ok {
		c.hits++
	} else {
		c.misses++
	}
	c.mu.Unlock()
	if ok {
		return page, nil
	}
	page, err := load()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keepPage(key, page)
	return page, nil
}

// findOnce is findPage for pages that take long to make: only one of several concurrent callers makes it.
func (c *Cache) findOnce(key pageKey, load func() ([]byte, error)) ([]byte, error) {
	return c.findPage(key, func() ([]byte, error) {
		c.mu.Lock()
		one := c.loading[key]
		if one == nil {
			one = &loadingPage{}
			c.loading[key] = one
		}
		c.mu.Unlock()
		one.making.Do(func() {
			defer func() {
				c.mu.Lock()
				delete(c.loading, key)
				c.mu.Unlock()
			}()
			one.err = errNotMade
			one.page, one.err = load()
		})
		return one.page, one.err
	})
}

func (c *Cache) keepPage(key pageKey, page []byte) {
	if _, ok := c.recent[key]; ok {
		return
	}
	if c.size+cap(page) > c.limit {
		c.startGeneration()
	}
	c.recent[key] = page
	c.size += cap(page)
}
