package blob

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// The bounds of one call, in addition to the caller's context.
const (
	putTimeout  = 2 * time.Minute
	callTimeout = 30 * time.Second
	listTimeout = 10 * time.Minute
)

// bucketStore is a store in a bucket.
type bucketStore struct {
	core minio.Core
	bucketLocation
	windows *windows // of the open objects
}

func (s *bucketStore) String() string {
	return "s3://" + s.bucket + "/" + s.prefix + " at " + s.endpoint
}

// Locate returns the URL of an object.
func (s *bucketStore) Locate(key string) string { return "s3://" + s.bucket + "/" + s.prefix + key }

func (s *bucketStore) Close() error { return nil }

// Put writes the data to a temporary file first: the request needs its length and hash before the data, it can be sent again
// after a broken connection, and nothing reaches the server when the data is too long.
func (s *bucketStore) Put(ctx context.Context, key string, data io.Reader, limit int64) (Written, error) {
	if err := checkKey(key); err != nil {
		return Written{}, err
	}
	file, err := os.CreateTemp("", "errand-blob-")
	if err != nil {
		return Written{}, describeError(s.String(), "writing", key, err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	written, err := receiveData(ctx, file, data, limit)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = s.upload(ctx, key, file, written.Size)
	}
	if err != nil {
		return Written{}, describeError(s.String(), "writing", key, err)
	}
	return written, nil
}

func (s *bucketStore) upload(ctx context.Context, key string, file *os.File, size int64) error {
	ctx, cancel := context.WithTimeout(ctx, putTimeout)
	defer cancel()
	_, err := s.core.Client.PutObject(ctx, s.bucket, s.prefix+key, file, size, minio.PutObjectOptions{
		ContentType: "application/octet-stream", DisableMultipart: true, SendContentMd5: true,
	})
	return cleanError(err)
}

// cleanError turns an error of the server into one of this package.
func cleanError(err error) error {
	if err == nil {
		return nil
	}
	answer := minio.ToErrorResponse(err)
	if answer.StatusCode == http.StatusNotFound && answer.Code != minio.NoSuchBucket {
		return ErrNotFound
	}
	if answer.Code == minio.NoSuchBucket {
		return errors.New("there is no such bucket")
	}
	if answer.StatusCode != 0 {
		return errors.New(answer.Code + ": " + answer.Message)
	}
	return err
}

// Delete deletes the object.
func (s *bucketStore) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := cleanError(s.core.RemoveObject(ctx, s.bucket, s.prefix+key, minio.RemoveObjectOptions{}))
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return describeError(s.String(), "deleting", key, err)
}

// List requests the objects, a thousand at a time.
func (s *bucketStore) List(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		ctx, cancel := context.WithTimeout(ctx, listTimeout)
		defer cancel()
		err := checkPrefix(prefix)
		if err == nil {
			err = s.walkEntries(ctx, prefix, func(e Entry) bool { return yield(e, nil) })
		}
		if err != nil {
			yield(Entry{}, describeError(s.String(), "listing", prefix, err))
		}
	}
}

func (s *bucketStore) walkEntries(ctx context.Context, prefix string, visit func(Entry) bool) error {
	for object := range s.core.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + prefix, Recursive: true}) {
		if object.Err != nil {
			return cleanError(object.Err)
		}
		key := strings.TrimPrefix(object.Key, s.prefix)
		if checkKey(key) != nil {
			continue // not from this package
		}
		if !visit(Entry{Key: key, Size: object.Size, ModifiedAt: object.LastModified}) {
			return nil
		}
	}
	return ctx.Err()
}

// Ping asks whether the bucket is there.
func (s *bucketStore) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	exists, err := s.core.BucketExists(ctx, s.bucket)
	if err == nil && !exists {
		err = errors.New("there is no such bucket")
	}
	return describeError(s.String(), "asking for the bucket", "", cleanError(err))
}
