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

	"github.com/minio/minio-go/v7"
)

// What is read of an object comes in windows: a request takes milliseconds, however little it asks for, and what a
// reader wants next is often near.
const (
	windowSize  = 256 << 10
	maxWindows  = 4 // that an open object holds
	readTimeout = 10 * time.Second
)

// bucketObject is an open object.
type bucketObject struct {
	store *bucketStore
	ctx   context.Context
	key   string
	size  int64
	etag  string // of the object as it was opened: one that replaces it is not read into it

	mu      sync.Mutex
	windows []window // the one read last at the end
}

type window struct {
	number int64
	data   []byte
}

// Open reads the first window, which says how long the object is.
func (s *bucketStore) Open(ctx context.Context, key string) (Object, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	o := &bucketObject{store: s, ctx: ctx, key: key, size: -1}
	_, err := o.fetchWindow(0)
	if minio.ToErrorResponse(err).Code == minio.InvalidRange {
		o.size, err = 0, nil
	}
	if err != nil {
		return nil, describeError(s.String(), "opening", key, cleanError(err))
	}
	return o, nil
}

func (o *bucketObject) Size() int64 { return o.size }

// Close drops the windows.
func (o *bucketObject) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.windows = nil
	return nil
}

// ReadAt reads as io.ReaderAt says.
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
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range o.windows {
		if w.number == number {
			return w.data, nil
		}
	}
	return o.fetchWindow(number)
}

// fetchWindow asks the server for a window. The first sets size and etag.
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
	if len(o.windows) == maxWindows {
		o.windows = o.windows[1:]
	}
	o.windows = append(o.windows, window{number, data})
	return data, nil
}

// parseTotal returns the length of an object from the answer with a part of it: "bytes 0-99/1234".
func parseTotal(headers http.Header) (int64, error) {
	_, total, found := strings.Cut(headers.Get("Content-Range"), "/")
	size, err := strconv.ParseInt(total, 10, 64)
	if !found || err != nil || size < 0 {
		return 0, errors.New("the server did not answer with the part of the object that was asked for")
	}
	return size, nil
}
