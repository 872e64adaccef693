// Package blob keeps files that are written once and read in pieces, such as the indexes of source maps: in a folder of this
// machine, or in a bucket of an S3 server. BLOBS chooses the place (decisions 2).
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

// ErrNotFound is the error for a key without a blob.
var ErrNotFound = errors.New("no such blob")

// ErrTooLarge is the error of Put for more data than its limit.
var ErrTooLarge = errors.New("the blob is larger than its limit")

// Store keeps blobs under keys: one to eight parts of letters, digits, dots, hyphens and underscores with slashes
// between them, such as "sourcemaps/7/5f2c". It is safe for concurrent use, also by several processes. Errors name the
// store and the key, never credentials; every wait ends with the context, or with a deadline of the store.
type Store interface {
	// Put reads data to its end and stores it under the key. A previous blob is replaced in one step, when the whole new one is
	// stored. More than limit bytes are ErrTooLarge, and leave the previous blob. An error of data is returned unchanged.
	Put(ctx context.Context, key string, data io.Reader, limit int64) (Written, error)

	// Open opens a blob for reading in pieces; it returns ErrNotFound without a blob. Reads end with the context too.
	Open(ctx context.Context, key string) (Object, error)

	// Delete deletes a blob, if it is there.
	Delete(ctx context.Context, key string) error

	// List walks the blobs whose keys begin with prefix, in any order, for clean-up. It ends after the first error.
	List(ctx context.Context, prefix string) iter.Seq2[Entry, error]

	// Ping returns an error when the store cannot be written or queried.
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

// Written describes what Put has stored.
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

// OpenStore opens the store that a setting names: file:///folder, which is created if it is missing, or
// s3://bucket/prefix?endpoint=https://host:9000&region=eu-1&path_style=true, whose bucket must exist and whose query and prefix
// are optional. The S3 credentials are in the URL (s3://key:secret@bucket) or, as for other programs, in the environment
// (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN); otherwise they come from the role of the machine or the
// container. getenv is os.Getenv. OpenStore sends no request to an S3 server: Ping does.
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

// errKey is the error for an invalid key. Errand makes the keys, so the message does not say what is wrong with one.
var errKey = errors.New("the key of a blob is not valid")

func checkKey(key string) error {
	if len(key) > maxKey || !validKey.MatchString(key) {
		return errKey
	}
	return nil
}

// checkPrefix accepts every beginning of a valid key.
func checkPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return checkKey(prefix + "x")
}
