package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/minio/minio-go/v7"
)

// An object is read in windows: each request takes milliseconds, even for a few bytes, and the next read is often near.
const (
	windowSize  = 256 << 10
	maxWindows  = 128     // that the open objects of a store hold together
	wholeSize   = 2 << 20 // an object up to this size is read completely when it is opened, with concurrent requests
	readTimeout = 10 * time.Second
)

// bucketObject is an open object.
type bucketObject struct {
	store *bucketStore
	ctx   context.Context
	key   string
	size  int64
	etag  string // of the object as it was opened: parts of a later version are refused
}

// windows hold the windows that were read last. They have their own lock, which nobody holds while a window is fetched.
type windows struct {
	mu   sync.Mutex
	byID *simplelru.LRU[windowID, *window]
}

type windowID struct {
	object *bucketObject
	number int64
}

// window is a part of an object that was read, or is being read.
type window struct {
	ready chan struct{}
	data  []byte
	err   error
}

func newWindows() *windows {
	byID, err := simplelru.NewLRU[windowID, *window](maxWindows, nil)
	if err != nil {
		panic(err) // only a wrong size
	}
	return &windows{byID: byID}
}

// findWindow returns a window, or fetches it, once for all concurrent callers. A failed window is tried again.
func (w *windows) findWindow(id windowID, fetch func() ([]byte, error)) ([]byte, error) {
	w.mu.Lock()
	found, ok := w.byID.Get(id)
	if ok {
		w.mu.Unlock()
		<-found.ready
		return found.data, found.err
	}
	found = &window{ready: make(chan struct{}), err: errors.New("the read was cut off")}
	w.byID.Add(id, found)
	w.mu.Unlock()
	defer close(found.ready)
	if found.data, found.err = fetch(); found.err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if current, ok := w.byID.Peek(id); ok && current == found {
			w.byID.Remove(id)
		}
	}
	return found.data, found.err
}

// dropObject drops the windows of an object.
func (w *windows) dropObject(o *bucketObject) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range w.byID.Keys() {
		if id.object == o {
			w.byID.Remove(id)
		}
	}
}

// Open reads the first window, whose answer contains the object's length. The other windows of a small object follow in the
// background.
func (s *bucketStore) Open(ctx context.Context, key string) (Object, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	o := &bucketObject{store: s, ctx: ctx, key: key, size: -1}
	_, err := o.findWindow(0)
	if minio.ToErrorResponse(err).Code == minio.InvalidRange {
		o.size, err = 0, nil
	}
	if err != nil {
		return nil, describeError(s.String(), "opening", key, cleanError(err))
	}
	for number := int64(1); o.size <= wholeSize && number*windowSize < o.size; number++ {
		go func() { _, _ = o.findWindow(number) }() // a reader of the window gets the error; it ends within readTimeout
	}
	return o, nil
}

func (o *bucketObject) Size() int64 { return o.size }

// Close drops the windows.
func (o *bucketObject) Close() error {
	o.store.windows.dropObject(o)
	return nil
}

// ReadAt implements io.ReaderAt.
func (o *bucketObject) ReadAt(into []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, errors.New("a negative offset")
	}
	read := 0
	for read < len(into) {
		at := offset + int64(read)
		if at >= o.size {
			return read, io.EOF
		}
		data, err := o.findWindow(at / windowSize)
		if err != nil {
			return read, describeError(o.store.String(), "reading", o.key, cleanError(err))
		}
		read += copy(into[read:], data[at%windowSize:])
	}
	return read, nil
}

func (o *bucketObject) findWindow(number int64) ([]byte, error) {
	return o.store.windows.findWindow(windowID{o, number}, func() ([]byte, error) { return o.fetchWindow(number) })
}

// fetchWindow requests a window from the server. The first window sets size and etag.
func (o *bucketObject) fetchWindow(number int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(o.ctx, readTimeout)
	defer cancel()
	start := number * windowSize
	var options minio.GetObjectOptions
	if err := options.SetRange(start, start+windowSize-1); err != nil {
		return nil, err
	}
	if o.etag != "" {
		if err := options.SetMatchETag(o.etag); err != nil {
			return nil, err
		}
	}
	body, info, headers, err := o.store.core.GetObject(ctx, o.store.bucket, o.store.prefix+o.key, options)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if o.size < 0 {
		if o.size, err = parseTotal(headers); err != nil {
			return nil, err
		}
		o.etag = info.ETag
	}
	data := make([]byte, min(windowSize, o.size-start))
	if _, err := io.ReadFull(body, data); err != nil {
		return nil, fmt.Errorf("the server's answer is cut off: %w", err)
	}
	return data, nil
}

// parseTotal returns the length of an object from the headers of a partial answer: "bytes 0-99/1234".
func parseTotal(headers http.Header) (int64, error) {
	_, total, found := strings.Cut(headers.Get("Content-Range"), "/")
	size, err := strconv.ParseInt(total, 10, 64)
	if !found || err != nil || size < 0 {
		return 0, errors.New("the server did not answer with the part of the object that was asked for")
	}
	return size, nil
}
