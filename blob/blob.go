// Package blob keeps files that are written once and read in pieces, such as the indexes of source maps: in a folder
// of this machine, or in a bucket of a server that speaks S3. BLOBS says where (decisions 2).
package blob

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/url"
	"regexp"
	"time"
)

// ErrNotFound is the error for a key that has no blob.
var ErrNotFound = errors.New("no such blob")

// ErrTooLarge is the error of Put for more data than its limit.
var ErrTooLarge = errors.New("the blob is larger than its limit")

// Store keeps blobs under keys: one to eight parts of letters, digits, dots, hyphens and underscores with slashes
// between them, such as "sourcemaps/7/5f2c". It is safe for concurrent use, also by several processes. Errors name the
// store and the key, never credentials; every wait ends with the context, or with a deadline of the store.
type Store interface {
	// Put reads data to its end and keeps it under the key; a blob that was there is replaced in one moment, when all of
	// the new one is stored. More than limit bytes are ErrTooLarge, and leave what was there. An error of data is returned
	// as it is.
	Put(ctx context.Context, key string, data io.Reader, limit int64) (Written, error)

	// Open opens a blob for reading in pieces; no blob is ErrNotFound. Reads end with the context too.
	Open(ctx context.Context, key string) (Object, error)

	// Delete deletes a blob, if it is there.
	Delete(ctx context.Context, key string) error

	// List walks the blobs whose keys begin with prefix, in no certain order, for clean-up: it ends after the first error.
	List(ctx context.Context, prefix string) iter.Seq2[Entry, error]

	// Ping returns an error when the store cannot be written to or asked.
	Ping(ctx context.Context) error

	// Locate returns where the blob of a key is or would be, for people: a path, or a URL without credentials.
	Locate(key string) string

	// String returns where the store is, without credentials.
	String() string

	// Close ends the use of the store.
	Close() error
}

// Object is an open blob. Reading it is safe for concurrent use.
type Object interface {
	io.ReaderAt
	io.Closer
	Size() int64 // bytes
}

// Written is what Put has stored.
type Written struct {
	Size   int64  // bytes
	SHA256 string // of the data, in hexadecimal
}

// Entry is a blob in a list.
type Entry struct {
	Key        string
	Size       int64 // bytes
	ModifiedAt time.Time
}

// OpenStore opens the store that a setting names: file:///folder, which is created if it is not there, or
// s3://bucket/prefix?endpoint=https://host:9000&region=eu-1&path_style=true, whose bucket must exist and whose query and
// prefix may be absent. The keys of S3 stand in the URL (s3://key:secret@bucket) or, as for other programs, in the
// environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN); where neither has them, the role of the
// machine or the container is asked for. getenv is os.Getenv. Nothing is asked of an S3 server yet: Ping does that.
func OpenStore(location string, getenv func(name string) string) (Store, error) {
	u, err := url.Parse(location)
	if err != nil {
		return nil, errors.New("BLOBS is not a URL") // the error of url.Parse repeats the URL, with its secret
	}
	switch u.Scheme {
	case "file":
		return openFolderStore(u)
	case "s3":
		return openBucket(u, getenv)
	}
	return nil, errors.New("BLOBS must begin with file:// or s3://")
}

// maxKey and maxParts bound a key.
const (
	maxKey   = 300
	maxParts = 8
)

var validKey = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*){0,7}$`)

// errKey is the error for a key that no store takes. Keys are made by Errand: what is wrong with one is not said.
var errKey = errors.New("the key of a blob is not valid")

func checkKey(key string) error {
	if len(key) > maxKey || !validKey.MatchString(key) {
		return errKey
	}
	return nil
}

// checkPrefix allows what a valid key can begin with.
func checkPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return checkKey(prefix + "x")
}
